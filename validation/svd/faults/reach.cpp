// Faults of reach: right up to an index, wrong from there on; wrong with some numbers of threads or on some calls.
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "validation/core/reach_faults.h"
#include "validation/svd/faults/faults.h"
#include "validation/svd/operation.h"

namespace assay::validation::svd {
namespace {

using Problem = metal::AnySvdProblem;
using Output = metal::AnySvdOutput;

/// Zeros the elements of A for which `is_ignored(i, j)`, if A is in float32.
template <class IsIgnored>
void without(const IsIgnored& is_ignored, const SvdKernel& healthy, const Problem& problem, const Output& out,
             const SvdRequest& request) {
  const auto* const given = std::get_if<std::span<const float>>(&problem.A);
  if (given == nullptr) return healthy.run(problem, out, request);
  std::vector<float> A(given->begin(), given->end());
  const auto [M, N] = std::pair(problem.options.M, problem.options.N);
  for (std::size_t at = 0; at < A.size(); ++at) {
    const auto i = static_cast<std::int64_t>(at);
    if (is_ignored(i / N % M, i % N)) A[at] = 0;
  }
  Problem changed = problem;
  changed.A = std::span<const float>(A);
  healthy.run(changed, out, request);
}

void without_rows(std::int64_t first, const SvdKernel& healthy, const Problem& problem, const Output& out,
                  const SvdRequest& request) {
  without([first](std::int64_t i, std::int64_t) { return i >= first; }, healthy, problem, out, request);
}

void without_columns(std::int64_t first, const SvdKernel& healthy, const Problem& problem, const Output& out,
                     const SvdRequest& request) {
  without([first](std::int64_t, std::int64_t j) { return j >= first; }, healthy, problem, out, request);
}

/// The values of the matrices past 2^32 elements, from where the lower 32 bits of their offset point.
void wrapped_offsets(const SvdKernel& healthy, const Problem& problem, const Output& out, const SvdRequest& request) {
  healthy.run(problem, out, request);
  const auto* const given = std::get_if<std::span<const float>>(&problem.A);
  const auto* const values = std::get_if<std::span<float>>(&out.S);
  const std::int64_t elements = problem.options.M * problem.options.N;
  if (given == nullptr || values == nullptr || given->size() <= std::size_t{1} << 32U) return;
  const std::int64_t first = (std::int64_t{1} << 32U) / elements + 1, count = problem.options.B - first;
  Problem wrapped = problem;
  wrapped.options.B = count;
  wrapped.A = given->subspan(static_cast<std::uint32_t>(first * elements), static_cast<std::size_t>(count * elements));
  Output of_wrapped;
  of_wrapped.S = values->last(static_cast<std::size_t>(count * problem.options.K()));
  healthy.run(wrapped, of_wrapped, request);
}

/// Singular values below 2^-11 of the largest are 0, as the roots of the eigenvalues of A^T A in float32 are about.
void without_small_values(const SvdKernel& healthy, const Problem& problem, const Output& out,
                          const SvdRequest& request) {
  healthy.run(problem, out, request);
  with_result<SvdOperation>("S", problem, out, request, [](auto elements, const std::vector<std::int64_t>& shape) {
    const auto K = static_cast<std::size_t>(shape.at(1));
    for (std::size_t i = 0; K >= 65 && i < elements.size(); ++i)
      if (elements[i] < elements[i / K * K] / 2048) elements[i] = {};
  });
}

}  // namespace

std::vector<SvdFault> reach_faults() {
  std::vector<SvdFault> faults;
  add_zero_results<SvdOperation>(faults, {{"S", 0, 'b', "batch-singles", thresholds_to_2_17},
                                          {"U", 0, 'b', "batch-singles", thresholds_to_2_17},
                                          {"Vh", 0, 'b', "batch-singles", thresholds_to_2_17},
                                          {"U", 1, 'i', "orthonormal-u", thresholds_to_2_12},
                                          {"Vh", 2, 'j', "orthonormal-v", thresholds_to_2_12}});
  add_ignored_inputs<SvdOperation>(faults, {{"M", "values", thresholds_to_2_12, without_rows},
                                            {"N", "values", thresholds_to_2_12, without_columns}});
  const Cut<SvdOperation> M{"M", "values", without_rows}, N{"N", "values", without_columns},
      B = cut_result<SvdOperation>("B", "values", "S", 0);
  add_lost_sizes<SvdOperation>(faults, {B, M, N});
  add_lost_pairs<SvdOperation>(faults, {{B, "M"}, {N, "B"}, {M, "N"}});
  add_lost_rests<SvdOperation>(faults, {{M, "N"}, {N, "M"}});
  add_rare_calls<SvdOperation>(faults, "S");
  faults.push_back(reach_fault<SvdOperation>("small-values-of-65", "singular values below 2^-11 of the largest are 0",
                                             "values", without_small_values));
  faults.push_back(
      far_fault<SvdOperation>("offsets-of-32-bits", "an offset past 2^32 wraps", "far-matrices", wrapped_offsets));
  return faults;
}

}  // namespace assay::validation::svd
