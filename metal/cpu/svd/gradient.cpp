#include "metal/cpu/svd/gradient.h"

#include <atomic>
#include <cmath>
#include <cstddef>
#include <vector>

#include "metal/cpu/blas.h"
#include "metal/cpu/parallel.h"
#include "reference/svd/validate.h"

namespace assay::metal {

namespace {

using cpu::DenseMatrix;
using cpu::multiply;
using cpu::Transpose;
using reference::detail::refuse;

/// A matrix with its own memory, initially 0.
class OwnMatrix {
 public:
  OwnMatrix(std::int64_t rows, std::int64_t columns)
      : elements_(static_cast<std::size_t>(rows * columns)), rows_(rows), columns_(columns) {}

  template <class Real>
  void assign(const Real* from) {
    for (double& x : elements_) x = static_cast<double>(*from++);
  }

  operator DenseMatrix<double>() {  // NOLINT(google-explicit-constructor): a view of it
    return {elements_.data(), rows_, columns_, columns_};
  }
  double& operator()(std::int64_t i, std::int64_t j) { return elements_[static_cast<std::size_t>(i * columns_ + j)]; }
  const std::vector<double>& elements() const { return elements_; }

 private:
  std::vector<double> elements_;
  std::int64_t rows_, columns_;
};

void product(Transpose of_a, OwnMatrix& a, Transpose of_b, OwnMatrix& b, OwnMatrix& c, double alpha = 1.0,
             double beta = 0.0) {
  multiply<double>(alpha, of_a, a, of_b, b, beta, c);
}

/// The gradient of matrices of one size, one after the other.
template <class Real>
class GradientRun {
 public:
  GradientRun(const SvdCotangent<Real>& cotangent, std::int64_t K)
      : given_(cotangent),
        M_(cotangent.M),
        N_(cotangent.N),
        K_(K),
        s_(static_cast<std::size_t>(K)),
        U_(M_, K),
        Vh_(K, N_),
        dU_(M_, K),
        dVh_(K, N_),
        P_(K, K),
        Q_(K, K),
        X_(K, K),
        XVh_(K, N_),
        dA_(M_, N_) {}

  void run(std::int64_t b, Real* dA) {
    read(b);
    for (std::int64_t i = 0; i < K_; ++i)
      X_(i, i) = given_.dS.empty() ? 0.0 : static_cast<double>(given_.dS[static_cast<std::size_t>(b * K_ + i)]);
    couple_vectors();
    product(Transpose::no, X_, Transpose::no, Vh_, XVh_);
    product(Transpose::no, U_, Transpose::no, XVh_, dA_);
    if (M_ > K_ && !given_.dU.empty()) add_tall();
    if (N_ > K_ && !given_.dVh.empty()) add_wide();
    for (const double x : dA_.elements()) *dA++ = rounded<Real>(x);
  }

  SvdGradientNotes notes;

 private:
  double s(std::int64_t i) const { return s_[static_cast<std::size_t>(i)]; }

  void read(std::int64_t b) {
    for (std::int64_t i = 0; i < K_; ++i)
      s_[static_cast<std::size_t>(i)] = static_cast<double>(given_.S[static_cast<std::size_t>(b * K_ + i)]);
    U_.assign(given_.U.data() + b * M_ * K_);
    Vh_.assign(given_.Vh.data() + b * K_ * N_);
    if (!given_.dU.empty()) dU_.assign(given_.dU.data() + b * M_ * K_);
    if (!given_.dVh.empty()) dVh_.assign(given_.dVh.data() + b * K_ * N_);
  }

  /// Sets X outside its diagonal.
  void couple_vectors() {
    product(Transpose::yes, U_, Transpose::no, dU_, P_);
    product(Transpose::no, Vh_, Transpose::yes, dVh_, Q_);
    const bool vectors = !given_.dU.empty() || !given_.dVh.empty();
    for (std::int64_t i = 0; i < K_; ++i)
      for (std::int64_t j = i + 1; j < K_; ++j) {
        const double p = P_(i, j) - P_(j, i), q = Q_(i, j) - Q_(j, i), difference = s(j) - s(i), sum = s(j) + s(i);
        const double by_difference = difference == 0.0 ? 0.0 : (p + q) / difference;
        const double by_sum = sum == 0.0 ? 0.0 : (p - q) / sum;
        if (vectors && difference == 0.0) ++notes.equal_values;
        X_(i, j) = (by_difference + by_sum) / 2;
        X_(j, i) = (by_difference - by_sum) / 2;
      }
  }

  double over_s(double x, std::int64_t i) const { return s(i) == 0.0 ? 0.0 : x / s(i); }

  void count_zeros() {
    for (const double value : s_) notes.zero_values += value == 0.0 ? 1 : 0;
  }

  /// Adds (I - U U^T) dU diag(1/S) Vh.
  void add_tall() {
    count_zeros();
    product(Transpose::no, U_, Transpose::no, P_, dU_, -1.0, 1.0);
    for (std::int64_t i = 0; i < M_; ++i)
      for (std::int64_t j = 0; j < K_; ++j) dU_(i, j) = over_s(dU_(i, j), j);
    product(Transpose::no, dU_, Transpose::no, Vh_, dA_, 1.0, 1.0);
  }

  /// Adds U diag(1/S) dVh (I - Vh^T Vh).
  void add_wide() {
    count_zeros();
    product(Transpose::yes, Q_, Transpose::no, Vh_, dVh_, -1.0, 1.0);
    for (std::int64_t i = 0; i < K_; ++i)
      for (std::int64_t j = 0; j < N_; ++j) dVh_(i, j) = over_s(dVh_(i, j), i);
    product(Transpose::no, U_, Transpose::no, dVh_, dA_, 1.0, 1.0);
  }

  const SvdCotangent<Real>& given_;
  std::int64_t M_, N_, K_;
  std::vector<double> s_;
  OwnMatrix U_, Vh_, dU_, dVh_, P_, Q_, X_, XVh_, dA_;
};

/// An array [B, rows, columns], or [B, columns] where rows is -1, with its name for messages.
struct Argument {
  const char* name;
  const char* shape;
  std::int64_t rows, columns;
  bool may_be_empty;
};

template <class Element>
void validate_argument(const Argument& is, std::span<const Element> given, std::int64_t B) {
  if (is.may_be_empty && given.empty()) return;
  const std::int64_t rows = is.rows < 0 ? 1 : is.rows;
  reference::detail::expect_size(is.name, given.size(), is.shape, B * rows * is.columns);
  for (std::size_t at = 0; at < given.size(); ++at) {
    const auto value = static_cast<double>(given[at]);
    if (std::isfinite(value)) continue;
    const auto columns = static_cast<std::size_t>(is.columns), matrix = static_cast<std::size_t>(rows) * columns;
    if (is.rows < 0)
      refuse(is.name, "[b=", at / columns, ", i=", at % columns, "] = ", value, ": expected a finite number");
    refuse(is.name, "[b=", at / matrix, ", i=", at % matrix / columns, ", j=", at % columns, "] = ", value,
           ": expected a finite number");
  }
}

template <class Real>
void validate_cotangent(const SvdCotangent<Real>& given, std::span<Real> dA, int threads) {
  const std::int64_t B = given.B, M = given.M, N = given.N, K = std::min(M, N);
  reference::detail::expect_at_least("B", B, 0);
  reference::detail::expect_at_least("M", M, 0);
  reference::detail::expect_at_least("N", N, 0);
  const std::int64_t elements = reference::detail::product("M * N", M, N);
  reference::detail::expect_size("dA", dA.size(), "B * M * N", reference::detail::product("B * (M * N)", B, elements));
  if (threads < 0) refuse("threads = ", threads, ": expected at least 0");
  validate_argument({"U", "B * M * K", M, K, false}, given.U, B);
  validate_argument({"S", "B * K", -1, K, false}, given.S, B);
  validate_argument({"Vh", "B * K * N", K, N, false}, given.Vh, B);
  validate_argument({"dU", "B * M * K, or empty", M, K, true}, given.dU, B);
  validate_argument({"dS", "B * K, or empty", -1, K, true}, given.dS, B);
  validate_argument({"dVh", "B * K * N, or empty", K, N, true}, given.dVh, B);
}

}  // namespace

template <class Real>
SvdGradientNotes svd_gradient(const SvdCotangent<Real>& cotangent, std::span<Real> dA, const SvdCpuOptions& options) {
  validate_cotangent(cotangent, dA, options.threads);
  const std::int64_t K = std::min(cotangent.M, cotangent.N);
  if (cotangent.B == 0 || K == 0) return {};
  const auto B = static_cast<std::size_t>(cotangent.B);
  const cpu::SerialBlas serial;
  std::vector<GradientRun<Real>> runs(cpu::worker_count(options.threads, B), GradientRun<Real>(cotangent, K));
  cpu::for_each_piece(B, runs.size(), [&](std::size_t worker, std::size_t b) {
    runs[worker].run(static_cast<std::int64_t>(b),
                     dA.data() + static_cast<std::int64_t>(b) * cotangent.M * cotangent.N);
  });
  SvdGradientNotes notes;
  for (const GradientRun<Real>& run : runs) {
    notes.equal_values += run.notes.equal_values;
    notes.zero_values += run.notes.zero_values;
  }
  return notes;
}

template SvdGradientNotes svd_gradient(const SvdCotangent<float>&, std::span<float>, const SvdCpuOptions&);
template SvdGradientNotes svd_gradient(const SvdCotangent<double>&, std::span<double>, const SvdCpuOptions&);
template SvdGradientNotes svd_gradient(const SvdCotangent<Half>&, std::span<Half>, const SvdCpuOptions&);
template SvdGradientNotes svd_gradient(const SvdCotangent<BFloat16>&, std::span<BFloat16>, const SvdCpuOptions&);

}  // namespace assay::metal
