// One-sided Jacobi by its definition, in double: one matrix at a time, factors rounded once at the end.
//
//   columns w_j of A (of A^T where A is wide), scaled by a power of two;  V = I
//   until no pair of columns has |w_i . w_j| > tol ||w_i|| ||w_j||, for every pair (i, j):
//     zeta = (||w_j||^2 - ||w_i||^2) / (2 w_i . w_j),   t = sign(zeta) / (|zeta| + sqrt(1 + zeta^2))
//     c = 1 / sqrt(1 + t^2),   (w_i, w_j) = (c (w_i - t w_j), c (t w_i + w_j)),   and so the columns of V
//                                                                                (Golub and Van Loan, section 8.6.3)
//   S_j = ||w_j||, sorted;  u_j = w_j / S_j, or where that is 0 a unit vector orthogonal to the others
//
// Shapes: reference/svd/problem.h. The gradient and the rSVD: metal/cpu/svd/gradient.h, and Halko, Martinsson and Tropp
// 2011, algorithms 4.4 and 5.1.
//
// It is written to be read, and to be broken: each step is a small virtual function, and a planted fault of this folder
// overrides one of them, rarely two.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "validation/core/fault.h"
#include "validation/core/random.h"
#include "validation/svd/kernel.h"

namespace assay::validation {

class PlainSvdKernel : public RenamedKernel<SvdKernel> {
 public:
  PlainSvdKernel() {
    info_ = {.name = "plain",
             .unit_roundoff = 0x1p-53,
             .graded = true,
             .canonical_signs = true,
             .has_randomized = true,
             .has_gradient = true,
             .batch_invariant = true,
             .exact_scaling = true,
             .same_values = true};
    info_.support.can_be_forked = true;
  }

  void run(const metal::AnySvdProblem& problem, const metal::AnySvdOutput& out,
           const SvdRequest& request) const override;
  void randomized(const metal::AnySvdProblem& problem, const reference::RandomizedSvd& randomized,
                  const metal::AnySvdOutput& out) const override;
  metal::SvdGradientNotes gradient(const metal::SvdCotangent<double>& cotangent, std::span<double> dA) const override;

 protected:
  using Column = std::vector<double>;
  using Columns = std::vector<Column>;

  /// A matrix as its columns, each of `rows` elements.
  struct Tall {
    std::int64_t rows = 0;
    Columns columns;
    std::int64_t count() const { return static_cast<std::int64_t>(columns.size()); }
  };

  /// U [M, K] and V [N, K] as columns, and S.
  struct Factors {
    Columns U;
    std::vector<double> S;
    Columns V;
  };

  struct Rotation {
    double c, s;
  };

  /// The request.
  struct Work {
    std::int64_t B = 0, M = 0, N = 0;
    Dtype dtype = Dtype::float32;
    bool vectors = true;
    int threads = 1;
  };

  /// One matrix of a batch of cotangents, with intermediate results of the formula.
  struct Cotangent {
    std::int64_t M = 0, N = 0, K = 0;
    std::span<const double> U, S, Vh, dU, dS, dVh;
  };

  // The request.
  virtual void check(const metal::AnySvdProblem& problem, const metal::AnySvdOutput& out) const;

  // The steps of one matrix.
  virtual Tall load(const Work& work, std::span<const double> A) const;
  virtual int exponent(const Work& work, const Tall& W) const;
  virtual bool is_orthogonal(double alpha, double beta, double gamma) const;
  virtual Rotation rotation(double alpha, double beta, double gamma) const;
  virtual void rotate(Column& a, Column& b, const Rotation& rotation) const;
  virtual void rotate_v(Column& a, Column& b, const Rotation& rotation) const;
  virtual bool sweep(Tall& W, Columns& V) const;
  virtual int max_sweeps() const;
  virtual void orthogonalise(Tall& W, Columns& V) const;
  virtual double value_of(const Tall& W, std::int64_t j) const;
  static double largest_value(const Tall& W);
  virtual std::vector<std::int64_t> order(const std::vector<double>& S) const;
  virtual void complete(Columns& U, std::int64_t k) const;
  virtual void make_signs_canonical(Factors& factors) const;
  virtual Factors factors_of_tall(const Work& work, Tall W) const;
  virtual Factors factors_of(const Work& work, std::span<const double> A) const;

  // The batch.
  virtual void compute(const Work& work, std::span<const double> A, std::vector<Factors>& all) const;
  virtual double stored(Dtype dtype, double value) const;
  virtual double stored_value(Dtype dtype, double value) const;
  virtual void store(const Work& work, const std::vector<Factors>& all, const metal::AnySvdOutput& out) const;

  // The rSVD, on columns: Q orthonormal, B = Q^T A.
  virtual Columns sketch(const Work& work, const Tall& A, std::int64_t count, std::uint64_t seed) const;
  virtual std::int64_t power_iterations(const reference::RandomizedSvd& randomized) const;
  virtual std::int64_t samples(const Work& work, const reference::RandomizedSvd& randomized) const;
  virtual void orthonormalise(Columns& columns) const;
  virtual Factors random_factors(const Work& work, std::span<const double> A,
                                 const reference::RandomizedSvd& randomized) const;

  // The gradient.
  virtual double pair_term(double p, double q, double s_i, double s_j, metal::SvdGradientNotes& notes) const;
  virtual double inverse(double s, metal::SvdGradientNotes& notes) const;
  virtual bool has_tall_correction() const;
  virtual bool has_wide_correction() const;
  virtual double diagonal_term(double dS) const;
  virtual std::vector<double> gradient_of(const Cotangent& cotangent, metal::SvdGradientNotes& notes) const;

  static double dot(const Column& a, const Column& b);
  /// Whether a column counts as 0: rotations shrink a dependent column by 2^-53 in each sweep, but never to 0.
  static bool vanishes(double squares);
  static Work work_of(const metal::AnySvdProblem& problem, const metal::AnySvdOutput& out, int threads);
};

}  // namespace assay::validation
