// What the gate judges: anything that maps a batch of matrices to their singular values and vectors.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "metal/cpu/svd/any.h"
#include "metal/cpu/svd/gradient.h"
#include "validation/core/kernel.h"
#include "validation/core/support.h"
#include "validation/svd/case.h"

namespace assay::validation {

/// A kernel's claims about itself. The bounds on the kernel's errors are derived from these claims and from the problem
/// (docs/bounds.md); a stronger claim gives tighter bounds.
struct SvdKernelInfo {
  std::string name;
  double unit_roundoff = std::ldexp(1.0, -24);  ///< of the arithmetic; for float64 it is 2^-53
  int sweeps = 10;                              ///< about how often each pair of columns is rotated, or an equivalent
  bool graded = false;  ///< relative accuracy for column-scaled tall and row-scaled wide matrices
  double graded_range = std::ldexp(1.0, -50);  ///< ... for singular values above this share of the largest
  bool canonical_signs = false;                ///< the first largest element of each column of U is positive
  bool has_randomized = false;
  bool has_gradient = false;
  bool batch_invariant = false;  ///< a matrix has the same bits of its factors whatever B is
  bool exact_scaling = false;    ///< a matrix times a power of two has the same bits of U and Vh
  bool same_values = false;      ///< without vectors, S has the bits that it has with vectors
  Support support = {.dtypes = {Dtype::float32, Dtype::float16, Dtype::bfloat16, Dtype::float64}};

  /// The unit roundoff of the arithmetic inside, for a problem of the type.
  double roundoff(Dtype dtype) const { return dtype == Dtype::float64 ? std::ldexp(1.0, -53) : unit_roundoff; }

  /// The largest rounding of one value in a problem of the type.
  double largest_rounding(Dtype dtype) const { return std::max(roundoff(dtype), format_of(dtype).roundoff); }
};

/// Options of a run.
struct SvdRequest {
  int threads = 0;                                                    ///< 0: the kernel's own choice
  std::optional<reference::RandomizedSvd> randomized = std::nullopt;  ///< the rSVD instead of the whole SVD
  bool aligned = false;  ///< arrays of plug-ins begin at multiples of 64 bytes
  int layout = 0;        ///< of the inputs of functions in Python (core/layouts.h)

  /// The rSVD has `rank` triplets.
  void replaces(std::string_view name, std::int64_t& extent) const {
    if (name == "K" && randomized) extent = randomized->rank;
  }
};

class SvdKernel : public BasicKernel<SvdKernelInfo, metal::AnySvdProblem, metal::AnySvdOutput, SvdRequest> {
 public:
  /// The rSVD, if info().has_randomized.
  virtual void randomized(const metal::AnySvdProblem&, const reference::RandomizedSvd&,
                          const metal::AnySvdOutput&) const {
    throw std::logic_error("the kernel has no rSVD");
  }

  /// The gradient in float64, if info().has_gradient.
  virtual metal::SvdGradientNotes gradient(const metal::SvdCotangent<double>&, std::span<double>) const {
    throw std::logic_error("the kernel has no gradient");
  }
};

}  // namespace assay::validation
