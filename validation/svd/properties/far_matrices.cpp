// Matrices that lie past 2^32 elements have the singular values that they have in a batch of their own. The matrices
// before them are zeros in the same 2 MiB of memory (core/far_pages.h), so that an offset of 32 bits reads zeros. They
// are small, since a kernel computes many small ones side by side, and have no vectors: to make those of so many zero
// matrices orthonormal takes ten times as long.
#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "validation/core/far_floats.h"
#include "validation/svd/compare.h"
#include "validation/svd/properties/properties.h"

namespace assay::validation::svd {
namespace {

constexpr std::int64_t large_matrix = 1 << 12, far_columns = 256;

/// The first columns of the matrices.
SvdCase first_columns(const SvdCase& c, std::int64_t count) {
  std::vector<std::int64_t> which(static_cast<std::size_t>(count));
  std::iota(which.begin(), which.end(), std::int64_t{0});
  return select_columns(c, which);
}

/// The singular values of the matrices of a case behind as many matrices of zeros as it takes.
SvdRun far_values(const SvdKernel& kernel, const SvdCase& c) {
  const std::int64_t zeros = (std::int64_t{1} << 32) / (c.M * c.N) + 1;
  const FarParts matrices{static_cast<std::size_t>(zeros * c.M * c.N), c.A.size()};
  const FarParts values{static_cast<std::size_t>(zeros * c.K()), static_cast<std::size_t>(c.B * c.K())};
  const FarFloats A(matrices.first + matrices.size, matrices), S(values.first + values.size, values);
  std::ranges::transform(c.A, A.part(0).begin(), [](double a) { return static_cast<float>(a); });
  metal::AnySvdProblem problem{statement_of(c), std::span<const float>(A.view())};
  problem.options.B = zeros + c.B;
  metal::AnySvdOutput out;
  out.S = S.view();
  kernel.run(problem, out, {});
  SvdRun run;
  run.describe(c, {});
  run.S.assign(S.part(0).begin(), S.part(0).end());
  return run;
}

Finding check_far_matrices(const SvdContext& context, const SvdCase& given) {
  if (!context.kernel.info().support.takes_views) return Finding::not_claimed("take arrays in place");
  if (given.N < large_matrix || given.dtype != Dtype::float32)
    return Finding::skip("the case has no matrices of 2^12 columns in float32", SkipCause::wrong_kind);
  const SvdCase c = first_columns(given, far_columns);
  Comparison comparison;
  hold_values(comparison, context.kernel.info(), c, far_values(context.kernel, c), c, run_valid(context.kernel, c));
  return comparison.finding();
}

}  // namespace

SvdProperty far_matrices() {
  return {.name = "far-matrices",
          .claim = "singular values of matrices past 2^32 elements",
          .profile = {},
          .check = check_far_matrices,
          .is_far = true};
}

}  // namespace assay::validation::svd
