#include "validation/svd/bounds.h"

#include <algorithm>
#include <cmath>

namespace assay::validation {

SvdBounds::SvdBounds(const SvdCase& c, const SvdKernelInfo& kernel) : case_(c) {
  const auto K = static_cast<double>(c.K()), L = static_cast<double>(std::max(c.M, c.N));
  rotations_ = (4 * std::sqrt(kernel.sweeps * K + L) + 8) * kernel.roundoff(c.dtype);
  drift_ = kernel.sweeps * std::max(K - 1, 0.0) / 4 * kernel.roundoff(c.dtype);
  stored_ = rotations_ + format_of(c.dtype).roundoff + std::sqrt(L) * format_of(c.dtype).smallest;
}

double SvdBounds::rounded(double sigma) const {
  const Dtype dtype = value_dtype(case_.dtype);
  return format_of(dtype).roundoff * sigma + format_of(dtype).smallest;
}

double SvdBounds::residual(std::int64_t b) const {
  const double vectors = stored_ + drift_;
  const double relative = rotations_ + 2 * vectors + format_of(value_dtype(case_.dtype)).roundoff;
  const double underflow = static_cast<double>(case_.K()) * format_of(value_dtype(case_.dtype)).smallest;
  return frobenius_norm(case_, b, relative * (1 + vectors) * (1 + vectors)) + underflow;
}

}  // namespace assay::validation
