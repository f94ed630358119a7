// One-sided Jacobi in float32, written straight down: three dot products and a rotation for each pair of columns, and
// no care beyond a scale that keeps squares in range.
//
// What it claims of itself is up to the test: the truth, so that the bounds must hold it, or more than that, so that
// they must not.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "validation/svd/kernel.h"

namespace assay::validation {

class FloatSvdKernel final : public SvdKernel {
 public:
  explicit FloatSvdKernel(SvdKernelInfo info) : info_(std::move(info)) {}

  const SvdKernelInfo& info() const override { return info_; }

  void run(const metal::AnySvdProblem& any, const metal::AnySvdOutput& out, const SvdRequest&) const override {
    metal::with_types(any, out, [](const auto& problem, const auto& output) {
      for (std::int64_t b = 0; b < problem.B; ++b) compute(problem, b, output);
    });
  }

 private:
  using Column = std::vector<float>;
  using Columns = std::vector<Column>;

  static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

  static float dot(const Column& a, const Column& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0F); }

  static void rotate(Column& a, Column& b, float c, float s) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      const float first = a[i], second = b[i];
      a[i] = c * first - s * second;
      b[i] = s * first + c * second;
    }
  }

  static bool sweep(Columns& W, Columns& V) {
    bool rotated = false;
    for (std::size_t i = 0; i < W.size(); ++i) {
      for (std::size_t j = i + 1; j < W.size(); ++j) {
        const float alpha = dot(W[i], W[i]), beta = dot(W[j], W[j]), gamma = dot(W[i], W[j]);
        if (vanishes(alpha) || vanishes(beta) || std::abs(gamma) <= 0x1p-21F * std::sqrt(alpha) * std::sqrt(beta))
          continue;
        const float zeta = (beta - alpha) / (2 * gamma);
        const float t = std::copysign(1 / (std::abs(zeta) + std::sqrt(1 + zeta * zeta)), zeta);
        const float c = 1 / std::sqrt(1 + t * t);
        rotate(W[i], W[j], c, c * t);
        rotate(V[i], V[j], c, c * t);
        rotated = true;
      }
    }
    return rotated;
  }

  /// Of columns whose largest element is about 1: what is left of one without a direction of its own.
  static bool vanishes(float squares) { return squares < 0x1p-110F; }

  /// The unit vector that is farthest from the columns before k, made orthogonal to them, twice.
  static void complete(Columns& U, std::size_t k) {
    float largest = -1;
    Column best;
    for (std::size_t e = 0; e < U[k].size(); ++e) {
      Column rest(U[k].size(), 0.0F);
      rest[e] = 1;
      for (int pass = 0; pass < 2; ++pass) {
        for (std::size_t l = 0; l < k; ++l) {
          const float share = dot(U[l], rest);
          for (std::size_t i = 0; i < rest.size(); ++i) rest[i] -= share * U[l][i];
        }
      }
      const float norm = std::sqrt(dot(rest, rest));
      if (norm <= largest) continue;
      largest = norm;
      best = rest;
    }
    for (float& element : best) element /= largest;
    U[k] = best;
  }

  template <class Real>
  static void compute(const reference::SvdProblem<Real>& p, std::int64_t b, const metal::SvdOutput<Real>& out) {
    const bool is_wide = p.M < p.N;
    const std::int64_t K = p.K(), L = std::max(p.M, p.N);
    const auto A = p.A.subspan(at(b * p.M * p.N), at(p.M * p.N));
    float most = 0;
    for (const Real& element : A) most = std::max(most, std::abs(static_cast<float>(element)));
    const int scale = most > 0 ? std::ilogb(most) : 0;
    Columns W(at(K), Column(at(L))), V(at(K), Column(at(K)));
    for (std::int64_t j = 0; j < K; ++j) {
      V[at(j)][at(j)] = 1;
      for (std::int64_t i = 0; i < L; ++i)
        W[at(j)][at(i)] = std::ldexp(static_cast<float>(A[at(is_wide ? j * p.N + i : i * p.N + j)]), -scale);
    }
    for (int sweeps = 0; sweeps < 30 && sweep(W, V);) ++sweeps;
    store(is_wide, b, scale, W, V, out);
  }

  template <class Real>
  static void store(bool is_wide, std::int64_t b, int scale, const Columns& W, const Columns& V,
                    const metal::SvdOutput<Real>& out) {
    const std::size_t K = W.size();
    std::vector<std::pair<float, std::size_t>> order;
    for (std::size_t j = 0; j < K; ++j) {
      const float squares = dot(W[j], W[j]);
      order.emplace_back(vanishes(squares) ? 0 : -std::sqrt(squares), j);
    }
    std::sort(order.begin(), order.end());
    Columns left, right;
    for (const auto& [value, j] : order) {
      out.S[at(b) * K + left.size()] = std::ldexp(-value, scale);
      right.push_back(V[j]);
      left.push_back(W[j]);
      for (float& element : left.back()) element /= -value;
      if (value == 0) complete(left, left.size() - 1);
    }
    if (out.U.empty()) return;
    const Columns& U = is_wide ? right : left;
    const Columns& V_sorted = is_wide ? left : right;
    const std::size_t M = U[0].size(), N = V_sorted[0].size();
    for (std::size_t k = 0; k < K; ++k) {
      for (std::size_t i = 0; i < M; ++i) out.U[(at(b) * M + i) * K + k] = static_cast<Real>(U[k][i]);
      for (std::size_t j = 0; j < N; ++j) out.Vh[(at(b) * K + k) * N + j] = static_cast<Real>(V_sorted[k][j]);
    }
  }

  SvdKernelInfo info_;
};

}  // namespace assay::validation
