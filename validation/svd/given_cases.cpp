// Cases of the SVD that generation does not reach: larger matrices, needle cases (validation/core/reach.h), and
// Gaussian matrices for checks of the gradient, to which each row and column adds elements of about the same size.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "validation/svd/operation.h"

namespace assay::validation {

SvdCase SvdOperation::sized_case(std::int64_t B, std::int64_t M, std::int64_t N, double decades, Dtype dtype,
                                 std::uint64_t seed) {
  Random random(seed);
  SvdCase c{B, M, N, dtype, {}};
  const std::int64_t K = c.K();
  for (std::int64_t b = 0; b < B; ++b) {
    for (std::int64_t i = 0; i < M; ++i) {
      for (std::int64_t j = 0; j < N; ++j) {
        // 7 k mod (K + 1) takes every value once, in an order far from sorted, if 7 does not divide K + 1.
        const auto place = static_cast<double>(7 * (M < N ? i : j) % (K + 1));
        const double scale = std::pow(10, -decades * place / static_cast<double>(K));
        c.A.push_back(rounded_to<double>(dtype, scale * random.gaussian()));
      }
    }
  }
  return c;
}

std::vector<GivenCase> SvdOperation::sized_cases() {
  struct Size {
    std::int64_t M, N;
    double decades;
    Dtype dtype;
  };
  const Size sizes[] = {{64, 64, 0, Dtype::float32},   {48, 48, 12, Dtype::float32}, {200, 24, 12, Dtype::float32},
                        {24, 150, 0, Dtype::bfloat16}, {81, 81, 0, Dtype::float64},  {129, 129, 0, Dtype::float32}};
  std::vector<GivenCase> cases;
  for (const Size& size : sizes)
    cases.push_back(
        {fmt::format("M={} N={}{} {}", size.M, size.N,
                     size.decades > 0 ? fmt::format(" graded over {} decades", size.decades) : "", name_of(size.dtype)),
         sized_case(1, size.M, size.N, size.decades, size.dtype, 7), true});
  return cases;
}

/// A large batch has no more than needle_period different matrices, which are Gaussian; rows and columns of a
/// large matrix are of about one length, so that none is small beside the bound.
SvdCase SvdOperation::needle(std::string_view extent, std::int64_t size) {
  SvdCase c{1, 2, 2, Dtype::float32, {}};
  (extent == "B" ? c.B : extent == "M" ? c.M : c.N) = size;
  for (std::int64_t b = 0; b < c.B; ++b) {
    Random random(static_cast<std::uint64_t>(1 + b % needle_period));
    for (std::int64_t i = 0; i < c.M * c.N; ++i) {
      const double a = extent == "B" ? random.gaussian() : random.pick({-1, 1}) * random.real(0.8, 1.2);
      c.A.push_back(static_cast<double>(static_cast<float>(a)));
    }
  }
  return c;
}

std::vector<SvdNamedCase> SvdOperation::sharp_cases() {
  return {{"case of 1030 rows", SvdOperation::sized_case(1, 1030, 2, 0, Dtype::float32, 1)},
          {"case of 1027 columns", SvdOperation::sized_case(1, 2, 1027, 0, Dtype::float32, 2)},
          {"case of 67 matrices", SvdOperation::sized_case(67, 2, 2, 0, Dtype::float32, 3)}};
}

}  // namespace assay::validation
