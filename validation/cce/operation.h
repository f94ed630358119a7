// The operation of linear cross-entropy (validation/core/operation.h).
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "validation/cce/compare.h"
#include "validation/cce/fields.h"
#include "validation/cce/truth.h"
#include "validation/core/any_case.h"
#include "validation/core/fault.h"
#include "validation/core/operation.h"
#include "validation/core/property.h"
#include "validation/core/random.h"
#include "validation/core/reach.h"
#include "validation/core/shrink.h"
#include "validation/gradcheck/judge.h"

namespace assay::validation {

/// What a property needs of its cases: shares of the cases unless stated otherwise.
struct CceProfile {
  std::int64_t min_tokens = 1;
  double ignored = 0.35;         ///< with tokens that are ignored
  double bias = 0.5;             ///< with a bias
  double minus_infinity = 0.25;  ///< of the cases with a bias, with some elements -inf
  double offset = 0.15;          ///< of the cases with a bias, with a huge offset common to all elements
  double softcap = 0.25;
  double smoothing = 0.2;
  double z_loss = 0.2;
  double half_types = 0.4;     ///< in float16 or bfloat16
  double many_entries = 0.12;  ///< of 200 entries or more
  double many_tokens = 0.1;    ///< of more than six tokens
};

extern template struct OperationOf<CceFields>;

struct CceOperation : OperationOf<CceFields> {
  using Profile = CceProfile;
  using Truth = CceTruth;
  static constexpr bool takes_long_double = true;
  using Agreement = CceRunComparison;

  static CceCase generate(Random& random, int size, const CceProfile& profile);
  static std::vector<Shrink<CceCase>> shrinks_of(const CceCase& c);
  static CceTruth truth_of(const CceCase& c, int digits) { return validation::truth_of(c, digits); }

  static std::span<const CaseClass<CceCase>> case_classes();

  static GradientJudgement judge_gradients(const CceKernel& kernel, const CceCase& c, int digits);
  static CceProfile gradcheck_profile(const CceKernel& kernel);
  static std::vector<Picture> pictures(const CceKernel& kernel, const CceCase& c, int digits);
  /// N tokens of H Gaussian elements and V entries; logits have the standard deviation `scale`.
  static CceCase sized_case(std::int64_t N, std::int64_t H, std::int64_t V, double scale, Dtype dtype,
                            std::uint64_t seed);
  static std::vector<GivenCase> sized_cases();
  static constexpr std::array<NeedleExtent, 3> needle_extents = {
      {{"N", 'n', 1 << 17, 1 << 10}, {"H", 'h', 1 << 12}, {"V", 'v', 1 << 17}}};
  static CceCase needle(std::string_view extent, std::int64_t size);
  static std::vector<NamedCase<CceOperation>> paired_cases(Reach reach, std::uint64_t seed);
  static std::vector<NamedCase<CceOperation>> pattern_cases(std::uint64_t seed);  ///< of those, what people have
  static std::int64_t work_of(const CceCase& c);
  static std::vector<NamedCase<CceOperation>> sharp_cases();

  static const std::vector<Property<CceOperation>>& properties();

  static const std::vector<Fault<CceOperation>>& faults();
  static std::shared_ptr<const CceKernel> shipped_kernel(const std::string& name);
};
static_assert(Operation<CceOperation>);

using CceContext = Context<CceOperation>;
using CceProperty = Property<CceOperation>;
using CceFault = Fault<CceOperation>;
using CceNamedCase = NamedCase<CceOperation>;

}  // namespace assay::validation
