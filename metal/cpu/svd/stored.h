// Converts matrices of a 16-bit type to float, and rounds their factors to that type.
#pragma once

#include <cstdint>
#include <vector>

#include "metal/cpu/half.h"
#include "metal/cpu/svd/signs.h"
#include "metal/cpu/svd/single.h"
#include "metal/cpu/svd/svd.h"

namespace assay::metal::cpu {

template <class Real>
class StoredMatrices {
 public:
  StoredMatrices(std::int64_t matrices, std::int64_t M, std::int64_t N, std::int64_t K, bool vectors)
      : M_(M), N_(N), K_(K), A_(static_cast<std::size_t>(matrices * M * N)) {
    if (!vectors) return;
    U_.resize(static_cast<std::size_t>(matrices * M * K_));
    Vh_.resize(static_cast<std::size_t>(matrices * K_ * N));
  }

  /// The matrices from `first` on, and memory for their factors.
  SvdMatrix<float> load(const reference::SvdProblem<Real>& problem, std::int64_t first, std::int64_t count) {
    const Real* from = problem.A.data() + first * M_ * N_;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count * M_ * N_); ++i) A_[i] = static_cast<float>(from[i]);
    const bool vectors = !U_.empty();
    return {A_.data(), M_, N_, vectors ? U_.data() : nullptr, nullptr, vectors ? Vh_.data() : nullptr};
  }

  void store(const SvdOutput<Real>& output, std::int64_t first, std::int64_t count) const {
    if (U_.empty()) return;
    for (std::int64_t b = 0; b < count; ++b)
      store_one(output.U.data() + (first + b) * M_ * K_, output.Vh.data() + (first + b) * K_ * N_, b);
  }

 private:
  void store_one(Real* U, Real* Vh, std::int64_t b) const {
    const float *from_U = U_.data() + b * M_ * K_, *from_Vh = Vh_.data() + b * K_ * N_;
    for (std::int64_t i = 0; i < M_ * K_; ++i) U[i] = rounded<Real>(static_cast<double>(from_U[i]));
    for (std::int64_t i = 0; i < K_ * N_; ++i) Vh[i] = rounded<Real>(static_cast<double>(from_Vh[i]));
    for (std::int64_t r = 0; r < K_; ++r)
      if (is_negative(U, r)) negate(U, Vh, r);
  }

  /// Whether the column needs another sign, since rounding can make another element the first of the largest.
  bool is_negative(const Real* U, std::int64_t r) const {
    return largest_is_negative(M_, [&](std::int64_t i) { return static_cast<float>(U[i * K_ + r]); });
  }

  void negate(Real* U, Real* Vh, std::int64_t r) const {
    const auto change = [](Real& x) { x = rounded<Real>(-static_cast<double>(static_cast<float>(x))); };
    for (std::int64_t i = 0; i < M_; ++i) change(U[i * K_ + r]);
    for (std::int64_t j = 0; j < N_; ++j) change(Vh[r * N_ + j]);
  }

  std::int64_t M_, N_, K_;
  std::vector<float> A_, U_, Vh_;
};

}  // namespace assay::metal::cpu
