// Matrices that people have and that random draws do not, at moderate sizes: images and counts, covariances, triangles,
// probabilities, batches of very different scales or of many matrices.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "validation/svd/operation.h"

namespace assay::validation {
namespace {

using Element = std::function<double(std::int64_t i, std::int64_t j)>;

struct Shape {
  std::int64_t B, M, N;
};

/// Named cases in float32, some also in another type.
class Patterns {
 public:
  explicit Patterns(std::uint64_t seed) : random_(seed) {}

  /// make() gives the elements of one matrix.
  void add(const std::string& name, const Shape& size, const std::function<Element()>& make) {
    add_of(Dtype::float32, name, size, make);
    if (random_.chance(0.3)) add_of(random_.pick({Dtype::float16, Dtype::bfloat16, Dtype::float64}), name, size, make);
  }

  Random& random() { return random_; }

  std::vector<SvdNamedCase> cases;

 private:
  void add_of(Dtype dtype, const std::string& name, const Shape& size, const std::function<Element()>& make) {
    SvdCase c{size.B, size.M, size.N, dtype, std::vector<double>(static_cast<std::size_t>(size.B * size.M * size.N))};
    for (std::int64_t b = 0; b < c.B; ++b) {
      const Element element = make();
      for (std::int64_t i = 0; i < c.M; ++i)
        for (std::int64_t j = 0; j < c.N; ++j) c.at(b, i, j) = rounded_to<double>(dtype, element(i, j));
    }
    cases.push_back({fmt::format("{}, B={} M={} N={} {}", name, c.B, c.M, c.N, name_of(dtype)), std::move(c)});
  }

  Random random_;
};

/// A tall and a wide shape.
std::vector<Shape> shapes(Random& random) {
  const std::int64_t longer = random.integer(24, 30), shorter = random.integer(3, 6);
  return {{1, longer, shorter}, {1, shorter, longer}};
}

void add_positive(Patterns& patterns) {
  Random& random = patterns.random();
  for (const Shape& e : shapes(random)) {
    patterns.add("positive elements", e, [&] { return [&](auto, auto) { return random.real(0.1, 1); }; });
    patterns.add("counts", e, [&] { return [&](auto, auto) { return static_cast<double>(random.integer(0, 9)); }; });
    patterns.add("mostly zeros", e, [&] {
      return [&](auto i, auto j) { return i == j || random.chance(0.1) ? random.gaussian() : 0.0; };
    });
    patterns.add("equal elements", e, [&] { return [](auto, auto) { return 0.75; }; });
    patterns.add("negative elements", e, [&] { return [&](auto, auto) { return -random.real(0.1, 1); }; });
  }
}

/// The elements of a square matrix of Gaussian numbers, by rows.
std::vector<double> gaussians(Random& random, std::int64_t n) {
  std::vector<double> all;
  for (std::int64_t i = 0; i < n * n; ++i) all.push_back(random.gaussian());
  return all;
}

void add_square(Patterns& patterns) {
  Random& random = patterns.random();
  const std::int64_t n = random.integer(8, 10);
  const auto of_gaussians = [&](const char* name, const auto& element) {
    patterns.add(name, {1, n, n}, [&]() -> Element {
      return [x = gaussians(random, n), element, n](std::int64_t i, std::int64_t j) {
        return element([&](std::int64_t r, std::int64_t s) { return x[static_cast<std::size_t>(r * n + s)]; }, i, j);
      };
    });
  };
  of_gaussians("symmetric", [](const auto& x, auto i, auto j) { return x(std::min(i, j), std::max(i, j)); });
  of_gaussians("antisymmetric", [](const auto& x, auto i, auto j) {
    return i == j ? 0.0 : i < j ? x(i, j) : -x(j, i);
  });
  of_gaussians("covariance", [n](const auto& x, auto i, auto j) {
    double sum = 0;
    for (std::int64_t k = 0; k < n; ++k) sum += x(k, i) * x(k, j);
    return sum / static_cast<double>(n);
  });
  of_gaussians("upper triangular", [](const auto& x, auto i, auto j) { return i <= j ? x(i, j) : 0.0; });
  of_gaussians("lower triangular", [](const auto& x, auto i, auto j) { return i >= j ? x(i, j) : 0.0; });
  of_gaussians("tridiagonal", [](const auto& x, auto i, auto j) { return std::abs(i - j) <= 1 ? x(i, j) : 0.0; });
  of_gaussians("diagonal", [](const auto& x, auto i, auto j) { return i == j ? x(i, j) : 0.0; });
  of_gaussians("circulant", [n](const auto& x, auto i, auto j) { return x(0, (j - i + n) % n); });
  of_gaussians("rows of probabilities", [n](const auto& x, auto i, auto j) {
    double sum = 0;
    for (std::int64_t k = 0; k < n; ++k) sum += std::exp(x(i, k));
    return std::exp(x(i, j)) / sum;
  });
  of_gaussians("columns of mean 0", [n](const auto& x, auto i, auto j) {
    double sum = 0;
    for (std::int64_t k = 0; k < n; ++k) sum += x(k, j);
    return x(i, j) - sum / static_cast<double>(n);
  });
  of_gaussians("permutation", [n](const auto&, auto i, auto j) { return (i + n / 2) % n == j ? 1.0 : 0.0; });
}

void add_batches(Patterns& patterns) {
  Random& random = patterns.random();
  patterns.add("matrices of very different scales", {5, 9, 7}, [&random, exponent = 4]() mutable -> Element {
    exponent = exponent == 4 ? -4 : exponent + 2;
    return [&random, factor = std::pow(10, exponent)](auto, auto) { return factor * random.gaussian(); };
  });
}

}  // namespace

std::vector<SvdNamedCase> SvdOperation::pattern_cases(std::uint64_t seed) {
  Patterns patterns(seed);
  add_positive(patterns);
  add_square(patterns);
  add_batches(patterns);
  return std::move(patterns.cases);
}

}  // namespace assay::validation
