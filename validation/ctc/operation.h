// CTC as the gate knows it.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "validation/ctc/coverage.h"
#include "validation/ctc/fields.h"
#include "validation/ctc/generate.h"
#include "validation/ctc/shader_arrays.h"
#include "validation/ctc/shrink.h"
#include "validation/ctc/truth.h"
#include "validation/core/fault.h"
#include "validation/core/gate.h"
#include "validation/core/operation.h"
#include "validation/core/picture.h"

namespace assay::validation {

extern template struct OperationOf<CtcFields>;

struct CtcOperation : OperationOf<CtcFields>, CtcShaderArrays {
  using Profile = CtcProfile;
  using Truth = CtcTruth;

  /// Real input, in notebooks/data.
  static constexpr std::array<const char*, 1> data_files = {"speech.npz"};

  static CtcCase generate(Random& random, int size, const CtcProfile& profile) {
    return generate_ctc(random, size, profile);
  }
  static std::vector<Shrink<CtcCase>> shrinks_of(const CtcCase& c) { return validation::shrinks_of(c); }
  static CtcTruth truth_of(const CtcCase& c, int digits) { return validation::truth_of(c, digits); }
  static std::vector<std::string> classes() { return ctc_classes(); }
  static std::vector<std::string> classes_of(const CtcCase& c) { return validation::classes_of(c); }
  /// A million activations take about 200 MB.
  static bool is_worth_remembering(const CtcCase& c) {
    return c.activations.size() >= 20'000 && c.activations.size() <= 1'000'000;
  }

  static std::vector<Picture> pictures(const CtcKernel& kernel, const CtcCase& c, int digits);
  static std::vector<NamedCase<CtcOperation>> sized_cases();
  static const std::vector<Property<CtcOperation>>& properties();

  /// In a fixed order. Faults are made once: a kernel whose fault is the state that it keeps between calls keeps it for
  /// the life of the program. That state is locked or atomic: any kernel may run on several threads.
  static const std::vector<Fault<CtcOperation>>& faults();
  static std::shared_ptr<const CtcKernel> kernel(const std::string& name);

  /// The kernels that a gate run judges unless one is named: those that are meant to be used.
  static std::vector<std::string> shipped_kernels() { return {"cpu", "metal-emulated"}; }
};
static_assert(Operation<CtcOperation>);

using CtcContext = Context<CtcOperation>;
using CtcProperty = Property<CtcOperation>;
using CtcFault = Fault<CtcOperation>;
using CtcNamedCase = NamedCase<CtcOperation>;
using CtcGateOptions = GateOptions<CtcOperation>;
using CtcFailure = Failure<CtcOperation>;
using CtcPropertyReport = PropertyReport<CtcOperation>;
using CtcCounterexample = Counterexample<CtcOperation>;

}  // namespace assay::validation
