// The operation of CTC (validation/core/operation.h).
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "validation/core/any_case.h"
#include "validation/core/fault.h"
#include "validation/core/operation.h"
#include "validation/core/property.h"
#include "validation/core/random.h"
#include "validation/core/reach.h"
#include "validation/core/shrink.h"
#include "validation/ctc/fields.h"
#include "validation/ctc/shader_arrays.h"
#include "validation/ctc/truth.h"
#include "validation/gradcheck/judge.h"

namespace assay::validation {

/// What a property needs of its cases.
struct CtcProfile {
  std::int64_t min_rows = 1;
  double impossible_rows = 0.12;  ///< share of rows with fewer frames than their labels need
  double empty_rows = 0.12;       ///< share of rows without labels or without frames
  double minus_infinity = 0.1;    ///< share of cases with -inf activations
  double log_probs = 0.3;         ///< share of cases given as log-probabilities
  double long_rows = 0.08;        ///< share of cases with a long row (up to 70 labels), slow to judge
  double half_types = 0.25;       ///< share of cases in float16 or bfloat16
};

extern template struct OperationOf<CtcFields>;

struct CtcOperation : OperationOf<CtcFields>, CtcShaderArrays {
  using Profile = CtcProfile;
  using Truth = CtcTruth;
  static constexpr bool takes_long_double = true;

  /// Real input, in notebooks/data.
  static constexpr std::array<const char*, 1> data_files = {"speech.npz"};

  static CtcCase generate(Random& random, int size, const CtcProfile& profile);
  static std::vector<Shrink<CtcCase>> shrinks_of(const CtcCase& c);
  static CtcTruth truth_of(const CtcCase& c, int digits) { return validation::truth_of(c, digits); }

  static std::span<const CaseClass<CtcCase>> case_classes();

  static GradientJudgement judge_gradients(const CtcKernel& kernel, const CtcCase& c, int digits);
  static CtcProfile gradcheck_profile(const CtcKernel& kernel);
  static std::vector<Picture> pictures(const CtcKernel& kernel, const CtcCase& c, int digits);
  /// One row of T frames, C classes and S labels without blank; logits are Gaussian times `scale`.
  static CtcCase sized_case(std::int64_t T, std::int64_t C, std::int64_t S, double scale, std::uint64_t seed);
  static std::vector<GivenCase> sized_cases();
  static constexpr std::array<NeedleExtent, 4> needle_extents = {
      {{"T", 't', 1 << 12}, {"B", 'b', 1 << 17, 1 << 10}, {"C", 'k', 1 << 17}, {"S", 's', 1 << 12, 1 << 11}}};
  static CtcCase needle(std::string_view extent, std::int64_t size);
  static std::vector<NamedCase<CtcOperation>> paired_cases(Reach reach, std::uint64_t seed);
  static std::vector<NamedCase<CtcOperation>> pattern_cases(std::uint64_t seed);  ///< of those, what people have
  static std::int64_t work_of(const CtcCase& c);
  static std::vector<NamedCase<CtcOperation>> sharp_cases();

  static const std::vector<Property<CtcOperation>>& properties();

  static const std::vector<Fault<CtcOperation>>& faults();
  static std::shared_ptr<const CtcKernel> shipped_kernel(const std::string& name);
};
static_assert(Operation<CtcOperation>);

using CtcContext = Context<CtcOperation>;
using CtcProperty = Property<CtcOperation>;
using CtcFault = Fault<CtcOperation>;
using CtcNamedCase = NamedCase<CtcOperation>;

}  // namespace assay::validation
