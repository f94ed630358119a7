// The singular value decomposition as the gate knows it.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "validation/svd/coverage.h"
#include "validation/svd/fields.h"
#include "validation/svd/generate.h"
#include "validation/svd/shrink.h"
#include "validation/svd/truth.h"
#include "validation/core/fault.h"
#include "validation/core/gate.h"
#include "validation/core/operation.h"
#include "validation/core/picture.h"

namespace assay::validation {

extern template struct OperationOf<SvdFields>;

struct SvdOperation : OperationOf<SvdFields> {
  using Profile = SvdProfile;
  using Truth = SvdTruth;

  static constexpr std::array<const char*, 0> data_files = {};

  static SvdCase generate(Random& random, int size, const SvdProfile& profile) {
    return generate_svd(random, size, profile);
  }
  static std::vector<Shrink<SvdCase>> shrinks_of(const SvdCase& c) { return validation::shrinks_of(c); }
  static SvdTruth truth_of(const SvdCase& c, int digits) { return validation::truth_of(c, digits); }
  static std::vector<std::string> classes() { return svd_classes(); }
  static std::vector<std::string> classes_of(const SvdCase& c) { return validation::classes_of(c); }
  static bool is_worth_remembering(const SvdCase& c) {
    return c.B * c.M * c.N * c.K() >= 8'000 && c.A.size() <= 1'000'000;
  }

  static std::vector<Picture> pictures(const SvdKernel& kernel, const SvdCase& c, int digits);
  static std::vector<NamedCase<SvdOperation>> sized_cases();
  static const std::vector<Property<SvdOperation>>& properties();

  /// In a fixed order. Faults are made once: a kernel whose fault is the state that it keeps between calls keeps it for
  /// the life of the program. That state is locked or atomic: any kernel may run on several threads.
  static const std::vector<Fault<SvdOperation>>& faults();
  static std::shared_ptr<const SvdKernel> kernel(const std::string& name);

  /// The kernels that a gate run judges unless one is named: those that are meant to be used.
  static std::vector<std::string> shipped_kernels() { return {"cpu", "metal-emulated"}; }
};
static_assert(Operation<SvdOperation>);

using SvdContext = Context<SvdOperation>;
using SvdProperty = Property<SvdOperation>;
using SvdFault = Fault<SvdOperation>;
using SvdNamedCase = NamedCase<SvdOperation>;
using SvdGateOptions = GateOptions<SvdOperation>;

}  // namespace assay::validation
