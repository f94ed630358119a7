#include "validation/svd/faults/plain_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>
#include <variant>

#include "metal/host/svd/outputs.h"
#include "reference/svd/validate.h"
#include "validation/core/any_span.h"
#include "validation/core/index.h"
#include "validation/svd/fields.h"

namespace assay::validation {

double PlainSvdKernel::dot(const Column& a, const Column& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void PlainSvdKernel::check(const metal::AnySvdProblem& problem, const metal::AnySvdOutput& out) const {
  SvdFields::validate(problem, out);
}

PlainSvdKernel::Tall PlainSvdKernel::load(const Work& work, std::span<const double> A) const {
  const bool is_wide = work.M < work.N;
  Tall W{is_wide ? work.N : work.M, {}};
  for (std::int64_t j = 0; j < std::min(work.M, work.N); ++j) {
    Column column;
    for (std::int64_t i = 0; i < W.rows; ++i)
      column.push_back(is_wide ? A[index(j * work.N + i)] : A[index(i * work.N + j)]);
    W.columns.push_back(std::move(column));
  }
  return W;
}

int PlainSvdKernel::exponent(const Work&, const Tall& W) const {
  double largest = 0;
  for (const Column& column : W.columns)
    for (const double element : column) largest = std::max(largest, std::abs(element));
  return largest > 0 ? std::ilogb(largest) : 0;
}

bool PlainSvdKernel::vanishes(double squares) {
  return squares < 0x1p-1000;
}

bool PlainSvdKernel::is_orthogonal(double alpha, double beta, double gamma) const {
  return vanishes(alpha) || vanishes(beta) || std::abs(gamma) <= 0x1p-48 * std::sqrt(alpha) * std::sqrt(beta);
}

PlainSvdKernel::Rotation PlainSvdKernel::rotation(double alpha, double beta, double gamma) const {
  const double zeta = (beta - alpha) / (2 * gamma);
  const double t = (zeta < 0 ? -1 : 1) / (std::abs(zeta) + std::hypot(1.0, zeta));
  const double c = 1 / std::hypot(1.0, t);
  return {c, c * t};
}

void PlainSvdKernel::rotate(Column& a, Column& b, const Rotation& rotation) const {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double first = a[i], second = b[i];
    a[i] = rotation.c * first - rotation.s * second;
    b[i] = rotation.s * first + rotation.c * second;
  }
}

void PlainSvdKernel::rotate_v(Column& a, Column& b, const Rotation& rotation) const {
  PlainSvdKernel::rotate(a, b, rotation);
}

bool PlainSvdKernel::sweep(Tall& W, Columns& V) const {
  bool rotated = false;
  for (std::size_t i = 0; i < W.columns.size(); ++i) {
    for (std::size_t j = i + 1; j < W.columns.size(); ++j) {
      const double alpha = dot(W.columns[i], W.columns[i]), beta = dot(W.columns[j], W.columns[j]);
      const double gamma = dot(W.columns[i], W.columns[j]);
      if (is_orthogonal(alpha, beta, gamma)) continue;
      const Rotation by = rotation(alpha, beta, gamma);
      rotate(W.columns[i], W.columns[j], by);
      rotate_v(V[i], V[j], by);
      rotated = true;
    }
  }
  return rotated;
}

int PlainSvdKernel::max_sweeps() const {
  return 60;
}

void PlainSvdKernel::orthogonalise(Tall& W, Columns& V) const {
  for (int sweeps = 0; sweeps < max_sweeps(); ++sweeps)
    if (!sweep(W, V)) return;
  throw metal::SvdNotConverged(fmt::format("columns are not orthogonal after {} sweeps", max_sweeps()));
}

double PlainSvdKernel::value_of(const Tall& W, std::int64_t j) const {
  const double squares = dot(W.columns[index(j)], W.columns[index(j)]);
  return vanishes(squares) ? 0 : std::sqrt(squares);
}

double PlainSvdKernel::largest_value(const Tall& W) {
  double squares = 0;
  for (const Column& column : W.columns) squares = std::max(squares, dot(column, column));
  return std::sqrt(squares);
}

std::vector<std::int64_t> PlainSvdKernel::order(const std::vector<double>& S) const {
  std::vector<std::int64_t> order(S.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int64_t i, std::int64_t j) { return S[index(i)] > S[index(j)]; });
  return order;
}

/// Sets column k to the unit vector farthest from the span of the columns before, orthogonalised against them twice.
void PlainSvdKernel::complete(Columns& U, std::int64_t k) const {
  Column best;
  double largest = -1;
  for (std::size_t e = 0; e < U[index(k)].size(); ++e) {
    Column rest(U[index(k)].size(), 0.0);
    rest[e] = 1;
    for (int pass = 0; pass < 2; ++pass) {
      for (std::int64_t l = 0; l < k; ++l) {
        const double share = dot(U[index(l)], rest);
        for (std::size_t i = 0; i < rest.size(); ++i) rest[i] -= share * U[index(l)][i];
      }
    }
    const double norm = std::sqrt(dot(rest, rest));
    if (norm <= largest) continue;
    largest = norm;
    best = rest;
  }
  for (double& element : best) element /= largest;
  U[index(k)] = best;
}

void PlainSvdKernel::make_signs_canonical(Factors& factors) const {
  for (std::size_t k = 0; k < factors.U.size(); ++k) {
    Column& u = factors.U[k];
    const auto largest =
        std::max_element(u.begin(), u.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
    if (largest == u.end() || *largest >= 0) continue;
    for (Column* const column : {&u, &factors.V[k]})
      for (double& element : *column) element = -element;
  }
}

PlainSvdKernel::Factors PlainSvdKernel::factors_of_tall(const Work& work, Tall W) const {
  const int scale = exponent(work, W);
  for (Column& column : W.columns)
    for (double& element : column) element = std::ldexp(element, -scale);
  const std::int64_t K = W.count();
  Columns V(index(K), Column(index(K), 0.0));
  for (std::int64_t k = 0; k < K; ++k) V[index(k)][index(k)] = 1;
  orthogonalise(W, V);
  std::vector<double> values;
  for (std::int64_t j = 0; j < K; ++j) values.push_back(value_of(W, j));
  Factors factors;
  for (const std::int64_t j : order(values)) {
    const double value = values[index(j)];
    factors.S.push_back(std::ldexp(value, scale));
    factors.V.push_back(V[index(j)]);
    factors.U.push_back(W.columns[index(j)]);
    for (double& element : factors.U.back()) element = value > 0 ? element / value : 0;
    if (!(value > 0)) complete(factors.U, static_cast<std::int64_t>(factors.U.size()) - 1);
  }
  return factors;
}

PlainSvdKernel::Factors PlainSvdKernel::factors_of(const Work& work, std::span<const double> A) const {
  Factors factors = factors_of_tall(work, load(work, A));
  if (work.M < work.N) std::swap(factors.U, factors.V);
  make_signs_canonical(factors);
  return factors;
}

void PlainSvdKernel::compute(const Work& work, std::span<const double> A, std::vector<Factors>& all) const {
  const std::size_t matrix = index(work.M * work.N);
  for (std::int64_t b = 0; b < work.B; ++b) all[index(b)] = factors_of(work, A.subspan(index(b) * matrix, matrix));
}

double PlainSvdKernel::stored(Dtype dtype, double value) const {
  return rounded_to<double>(dtype, value);
}

double PlainSvdKernel::stored_value(Dtype dtype, double value) const {
  return rounded_to<double>(value_dtype(dtype), value);
}

void PlainSvdKernel::store(const Work& work, const std::vector<Factors>& all, const metal::AnySvdOutput& out) const {
  const auto put = [](const auto& any, std::int64_t i, double value) {
    std::visit(
        [&](const auto& span) {
          using Real = typename std::remove_cvref_t<decltype(span)>::element_type;
          span[index(i)] = static_cast<Real>(value);
        },
        any);
  };
  for (std::int64_t b = 0; b < work.B; ++b) {
    const Factors& factors = all[index(b)];
    const auto K = static_cast<std::int64_t>(factors.S.size());
    for (std::int64_t k = 0; k < K; ++k) {
      put(out.S, b * K + k, stored_value(work.dtype, factors.S[index(k)]));
      for (std::int64_t i = 0; work.vectors && i < work.M; ++i)
        put(out.U, (b * work.M + i) * K + k, stored(work.dtype, factors.U[index(k)][index(i)]));
      for (std::int64_t j = 0; work.vectors && j < work.N; ++j)
        put(out.Vh, (b * K + k) * work.N + j, stored(work.dtype, factors.V[index(k)][index(j)]));
    }
  }
}

void PlainSvdKernel::run(const metal::AnySvdProblem& problem, const metal::AnySvdOutput& out,
                         const SvdRequest& request) const {
  check(problem, out);
  const Work work = work_of(problem, out, request.threads);
  std::vector<Factors> all(index(work.B));
  compute(work, widened(problem.A), all);
  store(work, all, out);
}

void PlainSvdKernel::randomized(const metal::AnySvdProblem& problem, const reference::RandomizedSvd& randomized,
                                const metal::AnySvdOutput& out) const {
  metal::with_types(problem, out, [&](const auto& typed, const auto& output) {
    reference::validate(typed);
    reference::validate(randomized, typed);
    metal::host::validate_output(typed, randomized.rank, output);
    reference::validate_values(typed);
  });
  const Work work = work_of(problem, out, 1);
  const std::vector<double> A = widened(problem.A);
  const std::size_t matrix = index(work.M * work.N);
  std::vector<Factors> all;
  for (std::int64_t b = 0; b < work.B; ++b)
    all.push_back(random_factors(work, std::span(A).subspan(index(b) * matrix, matrix), randomized));
  store(work, all, out);
}

PlainSvdKernel::Work PlainSvdKernel::work_of(const metal::AnySvdProblem& problem, const metal::AnySvdOutput& out,
                                             int threads) {
  constexpr Dtype dtypes[] = {Dtype::float32, Dtype::float64, Dtype::float16, Dtype::bfloat16};  // of AnySvdInput
  return {problem.options.B,         problem.options.M, problem.options.N,
          dtypes[problem.A.index()], !is_empty(out.U),  threads};
}

}  // namespace assay::validation
