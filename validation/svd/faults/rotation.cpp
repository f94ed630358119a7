// Faults of the rotations and of the test for convergence.
#include <algorithm>
#include <cmath>

#include "validation/svd/faults/faults.h"
#include "validation/svd/faults/plain_kernel.h"

namespace assay::validation::svd {
namespace {

struct AbsoluteThreshold final : PlainSvdKernel {
  static constexpr FaultNote note{"absolute-threshold",
                                  "columns count as orthogonal where their product is below 1e-6, whatever their norms "
                                  "(metalsvd)",
                                  "scaling"};
  int exponent(const Work&, const Tall&) const override { return 0; }
  bool is_orthogonal(double, double, double gamma) const override { return std::abs(gamma) <= 1e-6; }
};

struct ThresholdOfLargest final : PlainSvdKernel {
  static constexpr FaultNote note{"threshold-of-largest",
                                  "the threshold is relative to the largest of both norms: small columns are left as "
                                  "they are",
                                  "orthonormal-u"};
  bool is_orthogonal(double alpha, double beta, double gamma) const override {
    return std::abs(gamma) <= 0x1p-48 * std::max(alpha, beta);
  }
};

struct LooseThreshold final : PlainSvdKernel {
  static constexpr FaultNote note{"loose-threshold", "stops at cosines of 1e-4", "orthonormal-u"};
  bool is_orthogonal(double alpha, double beta, double gamma) const override {
    return std::abs(gamma) <= 1e-4 * std::sqrt(alpha) * std::sqrt(beta);
  }
};

struct FewSweeps final : PlainSvdKernel {
  static constexpr FaultNote note{"three-sweeps",
                                  "a fixed number of sweeps is taken for convergence, and what they leave for a result",
                                  "orthonormal-u"};
  void orthogonalise(Tall& W, Columns& V) const override {
    for (int sweeps = 0; sweeps < 3; ++sweeps) sweep(W, V);
  }
};

struct LastPairNeverMeets final : PlainSvdKernel {
  static constexpr FaultNote note{"last-pair-never-meets",
                                  "the schedule of odd numbers of columns leaves out the pair of the last two",
                                  "orthonormal-u"};
  bool sweep(Tall& W, Columns& V) const override {
    if (W.count() % 2 == 0 || W.count() < 3) return PlainSvdKernel::sweep(W, V);
    Column apart = W.columns.back();
    Column apart_v = V.back();
    W.columns.pop_back();
    V.pop_back();
    const bool rotated = PlainSvdKernel::sweep(W, V);
    W.columns.push_back(std::move(apart));
    V.push_back(std::move(apart_v));
    return rotated;
  }
};

struct NaiveTangent final : PlainSvdKernel {
  static constexpr FaultNote note{"larger-tangent",
                                  "takes the root of t^2 + 2 zeta t - 1 that exchanges columns: rotations by more than "
                                  "45 degrees need not converge, and what 60 sweeps leave is returned",
                                  "orthonormal-u"};
  Rotation rotation(double alpha, double beta, double gamma) const override {
    const double zeta = (beta - alpha) / (2 * gamma);
    const double t = zeta < 0 ? -zeta + std::hypot(1.0, zeta) : -zeta - std::hypot(1.0, zeta);
    const double c = 1 / std::hypot(1.0, t);
    return {c, c * t};
  }
  void orthogonalise(Tall& W, Columns& V) const override {
    for (int sweeps = 0; sweeps < max_sweeps() && sweep(W, V);) ++sweeps;
  }
};

struct TangentAsSine final : PlainSvdKernel {
  static constexpr FaultNote note{"tangent-as-sine", "s = t instead of c t: the rotation is none", "reconstruction"};
  Rotation rotation(double alpha, double beta, double gamma) const override {
    Rotation by = PlainSvdKernel::rotation(alpha, beta, gamma);
    by.s /= by.c;
    return by;
  }
};

struct HalfRotations final : PlainSvdKernel {
  static constexpr FaultNote note{"half-rotations", "c and s are kept in half precision", "orthonormal-v"};
  Rotation rotation(double alpha, double beta, double gamma) const override {
    const Rotation by = PlainSvdKernel::rotation(alpha, beta, gamma);
    return {rounded_to<double>(Dtype::float16, by.c), rounded_to<double>(Dtype::float16, by.s)};
  }
  bool is_orthogonal(double alpha, double beta, double gamma) const override {
    return std::abs(gamma) <= 0x1p-9 * std::sqrt(alpha) * std::sqrt(beta);  // the accuracy of such rotations
  }
};

struct VRotatedBackwards final : PlainSvdKernel {
  static constexpr FaultNote note{"v-rotated-backwards", "V is rotated by the inverse rotation", "reconstruction"};
  void rotate_v(Column& a, Column& b, const Rotation& rotation) const override {
    PlainSvdKernel::rotate_v(a, b, {rotation.c, -rotation.s});
  }
};

struct VNotRotated final : PlainSvdKernel {
  static constexpr FaultNote note{"v-not-rotated", "V stays the identity", "reconstruction"};
  void rotate_v(Column&, Column&, const Rotation&) const override {}
};

struct RotationsRace final : PlainSvdKernel {
  static constexpr FaultNote note{"column-read-after-write",
                                  "the second column is computed from the first one's new values: a missing barrier",
                                  "reconstruction"};
  void rotate(Column& a, Column& b, const Rotation& rotation) const override {
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] = rotation.c * a[i] - rotation.s * b[i];
      b[i] = rotation.s * a[i] + rotation.c * b[i];
    }
  }
  void orthogonalise(Tall& W, Columns& V) const override {
    for (int sweeps = 0; sweeps < 10 && sweep(W, V);) ++sweeps;
  }
};

struct NoScaling final : PlainSvdKernel {
  static constexpr FaultNote note{"squares-overflow",
                                  "norms are sums of squares in float, of the matrix as it comes: 1e20 overflows, "
                                  "1e-25 vanishes (OpenBLAS#5855 for gesvj)",
                                  "values"};
  int exponent(const Work&, const Tall&) const override { return 0; }
  double value_of(const Tall& W, std::int64_t j) const override {
    const double squares = dot(W.columns[static_cast<std::size_t>(j)], W.columns[static_cast<std::size_t>(j)]);
    return std::sqrt(double{static_cast<float>(squares)});
  }
};

}  // namespace

std::vector<SvdFault> rotation_faults() {
  return plant_all<SvdOperation, AbsoluteThreshold, ThresholdOfLargest, LooseThreshold, FewSweeps, LastPairNeverMeets,
                   NaiveTangent, TangentAsSine, HalfRotations, VRotatedBackwards, VNotRotated, RotationsRace,
                   NoScaling>(plain_svd_kernel());
}

}  // namespace assay::validation::svd
