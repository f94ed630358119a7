// Pictures of a kernel's errors on a case: the deviations of the first wrong matrix's factors.
#include <cmath>

#include "validation/core/picture.h"
#include "validation/svd/bounds.h"
#include "validation/svd/measure.h"
#include "validation/svd/operation.h"

namespace assay::validation {
namespace {

constexpr std::int64_t max_products = 20'000'000;  ///< the largest M N K with pictures

double off_identity(const SvdRun& run, std::int64_t b, std::int64_t k, std::int64_t l) {
  return std::abs(u_product(run, b, k, l) - (k == l ? 1 : 0));
}

bool is_wrong(const SvdCase& c, const SvdRun& run, const SvdBounds& bounds, std::int64_t b) {
  if (!(residual_norm(c, run, b) <= bounds.residual(b))) return true;
  for (std::int64_t k = 0; k < run.K; ++k)
    for (std::int64_t l = k; l < run.K; ++l)
      if (!(off_identity(run, b, k, l) <= (k == l ? bounds.unit_length() : bounds.orthogonal()))) return true;
  return false;
}

}  // namespace

std::vector<Picture> SvdOperation::pictures(const SvdKernel& kernel, const SvdCase& c, int) {
  if (c.B == 0 || c.M * c.N * c.K() > max_products) return {};
  const SvdRun run = run_valid(kernel, c);
  const SvdBounds bounds(c, kernel.info());
  std::int64_t b = 0;
  while (b + 1 < c.B && !is_wrong(c, run, bounds, b)) ++b;
  const double norm = frobenius_norm(c, b);
  return {picture_of(fmt::format("|U^T U - I| of matrix {}", b), "column k", "column l", run.K, run.K,
                     [&](std::int64_t k, std::int64_t l) { return off_identity(run, b, k, l); }),
          picture_of(fmt::format("|A - U S Vh| / ||A|| of matrix {}", b), "row i", "column j", c.M, c.N,
                     [&](std::int64_t i, std::int64_t j) {
                       const double rest = std::abs(residual(c, run, b, i, j));
                       return norm > 0 ? rest / norm : rest;
                     })};
}

}  // namespace assay::validation
