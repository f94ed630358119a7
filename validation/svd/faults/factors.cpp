// Faults after the rotations: values, order, vectors, signs.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "validation/svd/faults/faults.h"
#include "validation/svd/faults/plain_kernel.h"

namespace assay::validation::svd {
namespace {

struct NullSpaceLeftZero final : PlainSvdKernel {
  static constexpr FaultNote note{"null-space-left-zero",
                                  "u = A v / sigma is 0 where sigma is: reconstruction holds, U^T U is not I "
                                  "(pytorch/pytorch#196112)",
                                  "orthonormal-u"};
  void complete(Columns&, std::int64_t) const override {}
};

struct NullSpaceUnitVector final : PlainSvdKernel {
  static constexpr FaultNote note{"null-space-unit-vector", "completes U by unit vectors as they are", "null-space"};
  void complete(Columns& U, std::int64_t k) const override {
    U[static_cast<std::size_t>(k)].assign(U[static_cast<std::size_t>(k)].size(), 0.0);
    U[static_cast<std::size_t>(k)][static_cast<std::size_t>(k)] = 1;
  }
};

struct CompletionFromOnes final : PlainSvdKernel {
  static constexpr FaultNote note{
      "null-space-from-ones", "completes U by a vector of ones made orthogonal to the others, whatever is left of it",
      "orthonormal-u"};
  void complete(Columns& U, std::int64_t k) const override {
    Column& rest = U[static_cast<std::size_t>(k)];
    rest.assign(rest.size(), 1.0);
    for (std::int64_t l = 0; l < k; ++l) {
      const Column& u = U[static_cast<std::size_t>(l)];
      const double share = dot(u, rest);
      for (std::size_t i = 0; i < rest.size(); ++i) rest[i] -= share * u[i];
    }
    const double norm = std::sqrt(dot(rest, rest));
    for (double& element : rest) element /= norm > 0 ? norm : 1;
  }
};

struct Unsorted final : PlainSvdKernel {
  static constexpr FaultNote note{"unsorted", "singular values come in the order of the columns", "order"};
  std::vector<std::int64_t> order(const std::vector<double>& S) const override {
    std::vector<std::int64_t> order(S.size());
    std::iota(order.begin(), order.end(), 0);
    return order;
  }
};

struct SortedAlone final : PlainSvdKernel {
  static constexpr FaultNote note{"values-sorted-alone", "S is sorted, U and V are not", "reconstruction"};
  Factors factors_of_tall(const Work& work, Tall W) const override {
    Factors factors = PlainSvdKernel::factors_of_tall(work, std::move(W));
    std::reverse(factors.U.begin(), factors.U.end());
    std::reverse(factors.V.begin(), factors.V.end());
    return factors;
  }
};

struct SignOnS final : PlainSvdKernel {
  static constexpr FaultNote note{"sign-on-s", "signs are made canonical by a negative singular value", "order"};
  void make_signs_canonical(Factors& factors) const override {
    for (std::size_t k = 0; k < factors.U.size(); ++k) {
      Column before = factors.U[k];
      Factors one{{factors.U[k]}, {factors.S[k]}, {factors.V[k]}};
      PlainSvdKernel::make_signs_canonical(one);
      if (one.U[0] != before) factors.S[k] = -factors.S[k];
      factors.U[k] = one.U[0];
    }
  }
};

struct SignsAsTheyCome final : PlainSvdKernel {
  static constexpr FaultNote note{"signs-as-they-come", "says that signs are canonical, and leaves them", "signs"};
  void make_signs_canonical(Factors&) const override {}
};

struct SignOfUAlone final : PlainSvdKernel {
  static constexpr FaultNote note{"sign-of-u-alone", "makes U's signs canonical and forgets V's", "reconstruction"};
  void make_signs_canonical(Factors& factors) const override {
    const Columns V = factors.V;
    PlainSvdKernel::make_signs_canonical(factors);
    factors.V = V;
  }
};

struct FromGramMatrix final : PlainSvdKernel {
  static constexpr FaultNote note{"values-of-gram-matrix",
                                  "singular values are roots of the eigenvalues of A^T A in float: half of the digits",
                                  "values"};
  double value_of(const Tall& W, std::int64_t j) const override {
    const double value = PlainSvdKernel::value_of(W, j), largest = largest_value(W);
    return std::sqrt(value * value + 0x1p-24 * largest * largest);
  }
};

struct SmallValuesDropped final : PlainSvdKernel {
  static constexpr FaultNote note{"small-values-dropped",
                                  "values below 1e-6 of the largest count as rounding, and are 0", "graded"};
  double value_of(const Tall& W, std::int64_t j) const override {
    const double value = PlainSvdKernel::value_of(W, j);
    return value < 1e-6 * largest_value(W) ? 0 : value;
  }
};

struct FloatNoise final : PlainSvdKernel {
  static constexpr FaultNote note{"bidiagonal-accuracy",
                                  "small singular values are as good as the largest allows: what gesdd returns, from a "
                                  "kernel that claims better",
                                  "graded"};
  Tall load(const Work& work, std::span<const double> A) const override {
    Tall W = PlainSvdKernel::load(work, A);
    double largest = 0;
    for (const Column& column : W.columns)
      for (const double element : column) largest = std::max(largest, std::abs(element));
    double sign = 1;
    for (Column& column : W.columns)
      for (double& element : column) element += (sign = -sign) * 0x1p-53 * largest;
    return W;
  }
};

struct LowerTriangleIgnored final : PlainSvdKernel {
  static constexpr FaultNote note{"half-of-the-matrix", "elements below the diagonal are not read (lapack#1269)",
                                  "reconstruction"};
  Tall load(const Work& work, std::span<const double> A) const override {
    Tall W = PlainSvdKernel::load(work, A);
    for (std::size_t j = 0; j < W.columns.size(); ++j)
      for (std::size_t i = j + 1; i < W.columns[j].size(); ++i) W.columns[j][i] = 0;
    return W;
  }
};

struct WideNotSwapped final : PlainSvdKernel {
  static constexpr FaultNote note{"wide-not-swapped", "of a wide matrix that is nearly square, U is V and V is U",
                                  "reconstruction"};
  Factors factors_of(const Work& work, std::span<const double> A) const override {
    Factors factors = PlainSvdKernel::factors_of(work, A);
    if (work.M >= work.N) return factors;
    for (std::size_t k = 0; k < factors.U.size(); ++k) {
      factors.U[k].resize(static_cast<std::size_t>(work.N), 0.0);
      std::swap(factors.U[k], factors.V[k]);
      factors.U[k].resize(static_cast<std::size_t>(work.M), 0.0);
      factors.V[k].resize(static_cast<std::size_t>(work.N), 0.0);
    }
    return factors;
  }
};

struct VInPlaceOfVh final : PlainSvdKernel {
  static constexpr FaultNote note{"v-in-place-of-vh", "of a square matrix V is returned, not its transpose",
                                  "reconstruction"};
  Factors factors_of(const Work& work, std::span<const double> A) const override {
    Factors factors = PlainSvdKernel::factors_of(work, A);
    if (work.M != work.N) return factors;
    const Columns V = factors.V;
    for (std::size_t k = 0; k < V.size(); ++k)
      for (std::size_t j = 0; j < V.size(); ++j) factors.V[k][j] = V[j][k];
    return factors;
  }
};

struct TransposedOtherwise final : PlainSvdKernel {
  static constexpr FaultNote note{"values-of-wide-rounded",
                                  "wide matrices go through a transposition in half precision", "transposition"};
  Tall load(const Work& work, std::span<const double> A) const override {
    Tall W = PlainSvdKernel::load(work, A);
    if (work.M >= work.N || work.dtype == Dtype::float16) return W;
    const int scale = exponent(work, W);
    for (Column& column : W.columns)
      for (double& element : column)
        element = std::ldexp(rounded_to<double>(Dtype::float16, std::ldexp(element, -scale)), scale);
    return W;
  }
};

struct LastColumnMatters final : PlainSvdKernel {
  static constexpr FaultNote note{"last-column-shortened",
                                  "a vector loop leaves the last row of the last column out where rows are odd",
                                  "permutation"};
  Tall load(const Work& work, std::span<const double> A) const override {
    Tall W = PlainSvdKernel::load(work, A);
    if (W.rows % 2 == 1 && W.count() > 1) W.columns.back().back() = 0;
    return W;
  }
};

struct FirstRowsOnly final : PlainSvdKernel {
  static constexpr FaultNote note{"rows-past-eight", "of more than eight rows the first eight make the norms",
                                  "invariance"};
  double value_of(const Tall& W, std::int64_t j) const override {
    const Column& w = W.columns[static_cast<std::size_t>(j)];
    return std::sqrt(
        std::inner_product(w.begin(), w.begin() + std::min<std::ptrdiff_t>(8, std::ssize(w)), w.begin(), 0.0));
  }
};

struct ValuesInHalf final : PlainSvdKernel {
  static constexpr FaultNote note{"values-in-the-type-of-a", "singular values are rounded to A's 16 bits", "values"};
  double stored_value(Dtype dtype, double value) const override { return rounded_to<double>(dtype, value); }
};

}  // namespace

std::vector<SvdFault> factor_faults() {
  return plant_all<SvdOperation, NullSpaceLeftZero, NullSpaceUnitVector, CompletionFromOnes, Unsorted, SortedAlone,
                   SignOnS, SignsAsTheyCome, SignOfUAlone, FromGramMatrix, SmallValuesDropped, FloatNoise,
                   LowerTriangleIgnored, WideNotSwapped, VInPlaceOfVh, TransposedOtherwise, LastColumnMatters,
                   FirstRowsOnly, ValuesInHalf>(plain_svd_kernel());
}

}  // namespace assay::validation::svd
