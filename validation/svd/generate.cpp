// Generates matrices on which SVD kernels are known to break.
//
// Extents first: one row, one column, odd and even, tall and wide, around 8, 16 and 32. Then values: zeros, few bits,
// Gaussian, graded columns in any order, rank deficient in several ways, orthogonal and nearly so (equal singular
// values), Hilbert, triangular; then a scale, from subnormal to the largest numbers of the type.
#include <algorithm>
#include <cmath>
#include <vector>

#include "validation/svd/operation.h"

namespace assay::validation {
namespace {

void choose_extents(SvdCase& c, Random& random, int size, const SvdProfile& profile) {
  const std::int64_t most = std::max<std::int64_t>(profile.min_extent, 1 + size / 9);
  if (size >= 30 && random.chance(profile.large)) {
    c.B = 1;
    c.N = random.pick({16, 16, 32}) + random.integer(-1, 1);
    c.M = random.pick({c.N, c.N, c.N + 1, c.N / 2, c.N * 2});
  } else {
    c.B = random.chance(0.5) ? 1 : random.integer(1, profile.max_batch);
    c.N = random.integer(profile.min_extent, most);
    c.M = random.chance(0.3) ? c.N : random.integer(profile.min_extent, most);
    if (random.chance(0.08)) c.M = 3 * most;
  }
  if (random.chance(0.15)) std::swap(c.M, c.N);
}

void choose_dtype(SvdCase& c, Random& random, const SvdProfile& profile) {
  if (random.chance(profile.half_types)) {
    c.dtype = random.pick({Dtype::float16, Dtype::bfloat16});
  } else if (random.chance(profile.doubles)) {
    c.dtype = Dtype::float64;
  }
}

/// Sets element [b, i, j] to value(i, j), rounded to the type.
template <class Value>
void fill(SvdCase& c, std::int64_t b, const Value& value) {
  for (std::int64_t i = 0; i < c.M; ++i)
    for (std::int64_t j = 0; j < c.N; ++j) c.at(b, i, j) = rounded_to<double>(c.dtype, value(i, j));
}

/// A product of two narrow matrices of small integers, which has low rank.
void fill_low_rank(SvdCase& c, std::int64_t b, Random& random) {
  const std::int64_t rank = random.integer(std::min<std::int64_t>(1, c.K() - 1), c.K() - 1);
  std::vector<std::int64_t> left(static_cast<std::size_t>(c.M * rank)), right(static_cast<std::size_t>(rank * c.N));
  for (auto* const factor : {&left, &right})
    for (auto& element : *factor) element = random.integer(-2, 2);
  fill(c, b, [&](std::int64_t i, std::int64_t j) {
    std::int64_t sum = 0;
    for (std::int64_t r = 0; r < rank; ++r)
      sum += left[static_cast<std::size_t>(i * rank + r)] * right[static_cast<std::size_t>(r * c.N + j)];
    return static_cast<double>(sum);
  });
}

void copy_column(SvdCase& c, std::int64_t b, std::int64_t from, std::int64_t to, double factor) {
  for (std::int64_t i = 0; i < c.M; ++i) c.at(b, i, to) = factor * c.at(b, i, from);
}

void fill_gaussian(SvdCase& c, std::int64_t b, Random& random) {
  fill(c, b, [&](std::int64_t, std::int64_t) { return random.gaussian(); });
}

/// One of three, equally likely: low rank, a column that is equal or opposite to another, columns of zeros.
void fill_deficient(SvdCase& c, std::int64_t b, Random& random) {
  if (random.chance(0.4)) return fill_low_rank(c, b, random);
  fill_gaussian(c, b, random);
  for (int times = random.chance(0.5) ? 1 : 2; times > 0; --times)
    copy_column(c, b, random.integer(0, c.N - 1), random.integer(0, c.N - 1), random.pick({0.0, 0.0, 1.0, -1.0}));
}

/// Multiplies columns of a tall matrix, rows of a wide one, by powers of ten down to 1e-12, in float16 down to 1e-3.
void fill_graded(SvdCase& c, std::int64_t b, Random& random) {
  const double span = random.real(1, c.dtype == Dtype::float16 ? 3 : 12);
  std::vector<double> scale;
  for (std::int64_t j = 0; j < std::max(c.M, c.N); ++j) scale.push_back(std::pow(10, -span * random.real()));
  if (random.chance(0.3)) std::sort(scale.begin(), scale.end());
  fill(c, b, [&](std::int64_t i, std::int64_t j) {
    return scale[static_cast<std::size_t>(c.M < c.N ? i : j)] * random.gaussian();
  });
}

/// Reflections of a scaled identity by vectors of few bits, sometimes with a small perturbation.
void fill_equal(SvdCase& c, std::int64_t b, Random& random) {
  std::vector<double> w;
  double squares = 0;
  for (std::int64_t i = 0; i < c.M; ++i) w.push_back(static_cast<double>(random.integer(-1, 1)));
  for (const double element : w) squares += element * element;
  const double small = random.chance(0.5) ? 0 : random.pick({1e-7, 1e-5, 1e-3});
  const double other = random.chance(0.5) ? 1 : 2;
  fill(c, b, [&](std::int64_t i, std::int64_t j) {
    const double diagonal = j % 2 == 0 ? 1 : other;
    const double own = i == j ? diagonal : 0;
    const double reflected = squares > 0 && j < c.M ? 2 * w[static_cast<std::size_t>(i)] *
                                                          w[static_cast<std::size_t>(j)] / squares * diagonal
                                                    : 0;
    return own - reflected + (small > 0 ? small * random.gaussian() : 0);
  });
}

void fill_other(SvdCase& c, std::int64_t b, Random& random) {
  switch (random.integer(0, 7)) {
    case 0:
      return fill(c, b, [](std::int64_t, std::int64_t) { return 0.0; });
    case 1:
      return fill(c, b, [](std::int64_t i, std::int64_t j) { return 1 / static_cast<double>(i + j + 1); });
    case 2:
      return fill(c, b, [](std::int64_t i, std::int64_t j) { return i == j ? 1.0 : i < j ? -1.0 : 0.0; });
    case 3:
      return fill(c, b,
                  [](std::int64_t i, std::int64_t j) { return i == j ? static_cast<double>(1 + i % 3) - 2.5 : 0.0; });
    case 4:
      return fill(c, b, [&](std::int64_t, std::int64_t) { return static_cast<double>(random.integer(-4, 4)) / 4; });
    default:
      return fill_gaussian(c, b, random);
  }
}

/// The exponent of a power of two by which a matrix of elements near 1 may be scaled; sometimes one that is too large,
/// which scale_matrix reduces.
int choose_exponent(Dtype dtype, Random& random) {
  switch (dtype) {
    case Dtype::float16:
      return static_cast<int>(random.integer(-22, 18));
    case Dtype::float64:
      return static_cast<int>(
          random.pick({random.integer(-1070, -900), random.integer(900, 1022), std::int64_t{1023}}));
    default:
      return static_cast<int>(random.pick(
          {random.integer(-146, -110), random.integer(-70, -60), random.integer(60, 126), std::int64_t{127}}));
  }
}

void scale_matrix(SvdCase& c, std::int64_t b, int exponent) {
  const double largest = largest_element(c, b);
  if (largest == 0) return;
  const int max_exponent = std::ilogb(format_of(c.dtype).largest) - std::ilogb(largest) - 1;
  const int applied = std::min(exponent, max_exponent);
  fill(c, b, [&](std::int64_t i, std::int64_t j) { return std::ldexp(c.at(b, i, j), applied); });
}

/// Fills matrix b. No element is infinite.
void fill_matrix(SvdCase& c, std::int64_t b, Random& random, const SvdProfile& profile) {
  if (random.chance(profile.deficient)) {
    fill_deficient(c, b, random);
  } else if (random.chance(profile.graded)) {
    fill_graded(c, b, random);
  } else if (random.chance(profile.equal)) {
    fill_equal(c, b, random);
  } else {
    fill_other(c, b, random);
  }
  if (random.chance(profile.scaled)) scale_matrix(c, b, choose_exponent(c.dtype, random));
}

}  // namespace

SvdCase SvdOperation::generate(Random& random, int size, const SvdProfile& profile) {
  SvdCase c;
  choose_extents(c, random, size, profile);
  choose_dtype(c, random, profile);
  c.A.resize(static_cast<std::size_t>(c.B * c.M * c.N));
  for (std::int64_t b = 0; b < c.B; ++b) fill_matrix(c, b, random, profile);
  return c;
}

}  // namespace assay::validation
