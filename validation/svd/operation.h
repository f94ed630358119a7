// The operation of the singular value decomposition (validation/core/operation.h).
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "validation/core/any_case.h"
#include "validation/core/fault.h"
#include "validation/core/operation.h"
#include "validation/core/property.h"
#include "validation/core/random.h"
#include "validation/core/reach.h"
#include "validation/core/shrink.h"
#include "validation/gradcheck/judge.h"
#include "validation/svd/fields.h"
#include "validation/svd/truth.h"

namespace assay::validation {

/// What a property needs of its cases: shares of the cases unless stated otherwise.
struct SvdProfile {
  double deficient = 0.25;   ///< of less than full rank
  double graded = 0.2;       ///< of the full-rank cases, with columns (rows of wide matrices) of very different norms
  double equal = 0.15;       ///< of the remaining cases, with equal or nearly equal singular values
  double scaled = 0.3;       ///< far from 1 in size
  double half_types = 0.25;  ///< in float16 or bfloat16
  double doubles = 0.2;      ///< of the remaining cases, in float64
  double large = 0.06;       ///< of 15 to 33 columns
  std::int64_t min_extent = 1;
  std::int64_t max_batch = 4;
};

extern template struct OperationOf<SvdFields>;

struct SvdOperation : OperationOf<SvdFields> {
  using Profile = SvdProfile;
  using Truth = SvdTruth;

  static SvdCase generate(Random& random, int size, const SvdProfile& profile);
  static std::vector<Shrink<SvdCase>> shrinks_of(const SvdCase& c);
  static SvdTruth truth_of(const SvdCase& c, int digits) { return validation::truth_of(c, digits); }

  static std::span<const CaseClass<SvdCase>> case_classes();

  static GradientJudgement judge_gradients(const SvdKernel& kernel, const SvdCase& c, int digits);
  static SvdProfile gradcheck_profile(const SvdKernel& kernel);
  static std::vector<Picture> pictures(const SvdKernel& kernel, const SvdCase& c, int digits);
  /// Gaussian matrices. If `decades` > 0, the norms of columns (of wide matrices: rows) spread over that many decades.
  static SvdCase sized_case(std::int64_t B, std::int64_t M, std::int64_t N, double decades, Dtype dtype,
                            std::uint64_t seed);
  static std::vector<GivenCase> sized_cases();
  static constexpr std::array<NeedleExtent, 3> needle_extents = {
      {{"B", 'b', 1 << 17, 1 << 10}, {"M", 'i', 1 << 12}, {"N", 'j', 1 << 12}}};
  static SvdCase needle(std::string_view extent, std::int64_t size);
  static std::vector<NamedCase<SvdOperation>> paired_cases(Reach reach, std::uint64_t seed);
  static std::vector<NamedCase<SvdOperation>> pattern_cases(std::uint64_t seed);  ///< of those, what people have
  static std::int64_t work_of(const SvdCase& c);
  /// Bounds grow with the number of singular values; the longer side alone says little, as of a column.
  static std::pair<std::string, std::int64_t> joint_size(const SvdCase& c) { return {"min(M, N)", c.K()}; }
  static std::vector<NamedCase<SvdOperation>> sharp_cases();

  static const std::vector<Property<SvdOperation>>& properties();

  static const std::vector<Fault<SvdOperation>>& faults();
  static std::shared_ptr<const SvdKernel> shipped_kernel(const std::string& name);
};
static_assert(Operation<SvdOperation>);

using SvdContext = Context<SvdOperation>;
using SvdProperty = Property<SvdOperation>;
using SvdFault = Fault<SvdOperation>;
using SvdNamedCase = NamedCase<SvdOperation>;

}  // namespace assay::validation
