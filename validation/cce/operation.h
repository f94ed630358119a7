// Linear cross-entropy as the gate knows it.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "validation/cce/compare.h"
#include "validation/cce/coverage.h"
#include "validation/cce/fields.h"
#include "validation/cce/generate.h"
#include "validation/cce/shrink.h"
#include "validation/cce/truth.h"
#include "validation/core/fault.h"
#include "validation/core/gate.h"
#include "validation/core/operation.h"
#include "validation/core/picture.h"

namespace assay::validation {

extern template struct OperationOf<CceFields>;

struct CceOperation : OperationOf<CceFields> {
  using Profile = CceProfile;
  using Truth = CceTruth;
  using Agreement = CceRunComparison;

  static constexpr std::array<const char*, 0> data_files = {};

  static CceCase generate(Random& random, int size, const CceProfile& profile) {
    return generate_cce(random, size, profile);
  }
  static std::vector<Shrink<CceCase>> shrinks_of(const CceCase& c) { return validation::shrinks_of(c); }
  static CceTruth truth_of(const CceCase& c, int digits) { return validation::truth_of(c, digits); }
  static std::vector<std::string> classes() { return cce_classes(); }
  static std::vector<std::string> classes_of(const CceCase& c) { return validation::classes_of(c); }
  /// Four properties ask for the truth of a case; a million elements take about 200 MB.
  static bool is_worth_remembering(const CceCase& c) {
    return c.N * c.V * c.H >= 100'000 && c.hidden.size() + c.weight.size() <= 1'000'000;
  }

  static std::vector<Picture> pictures(const CceKernel& kernel, const CceCase& c, int digits);
  static std::vector<NamedCase<CceOperation>> sized_cases();
  static const std::vector<Property<CceOperation>>& properties();

  /// In a fixed order. Faults are made once: a kernel whose fault is the state that it keeps between calls keeps it for
  /// the life of the program. That state is locked or atomic: any kernel may run on several threads.
  static const std::vector<Fault<CceOperation>>& faults();
  static std::shared_ptr<const CceKernel> kernel(const std::string& name);

  /// The kernels that a gate run judges unless one is named: those that are meant to be used.
  static std::vector<std::string> shipped_kernels() { return {"cpu", "metal-emulated"}; }
};
static_assert(Operation<CceOperation>);

using CceContext = Context<CceOperation>;
using CceProperty = Property<CceOperation>;
using CceFault = Fault<CceOperation>;
using CceNamedCase = NamedCase<CceOperation>;
using CceGateOptions = GateOptions<CceOperation>;

}  // namespace assay::validation
