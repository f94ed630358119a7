// A permutation of A's columns permutes the columns of Vh and changes nothing else: singular values stay the same, and
// the factors with their columns put back are factors of the matrix.
#include <numeric>

#include "validation/svd/compare.h"
#include "validation/svd/measure.h"
#include "validation/svd/properties/properties.h"

namespace assay::validation::svd {
namespace {

/// A permutation: the last half first, backwards.
std::vector<std::int64_t> shuffled(std::int64_t N) {
  std::vector<std::int64_t> columns(static_cast<std::size_t>(N));
  std::iota(columns.begin(), columns.end(), N / 2);
  for (auto& column : columns) column = column < N ? N - 1 - (column - N / 2) : column - N;
  return columns;
}

Finding check_permutation(const SvdContext& context, const SvdCase& c) {
  const auto columns = shuffled(c.N);
  const SvdCase d = select_columns(c, columns);
  const SvdRun run = run_valid(context.kernel, c), of_shuffled = run_valid(context.kernel, d);
  SvdRun back = of_shuffled;
  for (std::int64_t b = 0; b < c.B; ++b)
    for (std::int64_t k = 0; k < run.K; ++k)
      for (std::int64_t j = 0; j < c.N; ++j)
        back.Vh[static_cast<std::size_t>((b * run.K + k) * c.N + columns[static_cast<std::size_t>(j)])] =
            of_shuffled.vh(b, k, j);
  Comparison comparison;
  hold_values(comparison, context.kernel.info(), d, of_shuffled, c, run);
  const SvdBounds bounds(c, context.kernel.info());
  for (std::int64_t b = 0; b < c.B; ++b)
    if (!overflowed(back, b))
      comparison.near({"|A - U S Vh|", b, -1, -1, "b"}, residual_norm(c, back, b), 0.0, bounds.residual(b),
                      frobenius_norm(c, b));
  return comparison.finding();
}

}  // namespace

SvdProperty permutation() {
  return {"permutation", "columns in another order have the same factors", {}, check_permutation};
}

}  // namespace assay::validation::svd
