// What the gate judges: anything that maps a batch of matrices to their singular values and vectors.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "metal/cpu/svd/any.h"
#include "metal/cpu/svd/gradient.h"
#include "validation/core/support.h"
#include "validation/svd/case.h"

namespace assay::validation {

/// What a kernel says of itself. The bounds it is held to are derived from this and from the problem (docs/bounds.md):
/// what a kernel does not claim, it is not held to; what it claims, it must keep.
struct SvdKernelInfo {
  std::string name;
  double unit_roundoff = std::ldexp(1.0, -24);  ///< inside, for types of at most 32 bits; of float64 at most 2^-53
  int sweeps = 10;      ///< how often every column meets every other, about; for other algorithms, what they are worth
  bool graded = false;  ///< singular values of column-scaled tall and row-scaled wide matrices to relative accuracy
  double graded_range = std::ldexp(1.0, -50);  ///< ... those above so much of the largest
  bool canonical_signs = false;                ///< of each column of U, the first largest element is positive
  bool has_randomized = false;
  bool has_gradient = false;
  Support support = {.dtypes = {Dtype::float32, Dtype::float16, Dtype::bfloat16, Dtype::float64}};

  /// Inside, for a problem of the type.
  double roundoff(Dtype dtype) const { return dtype == Dtype::float64 ? std::ldexp(1.0, -53) : unit_roundoff; }
};

/// How a run is to be done.
struct SvdRequest {
  int threads = 0;                                                    ///< 0: the kernel's own choice
  std::optional<reference::RandomizedSvd> randomized = std::nullopt;  ///< the rSVD, in the place of the whole one

  /// The rSVD has `rank` triplets.
  void replaces(std::string_view name, std::int64_t& extent) const {
    if (name == "K" && randomized) extent = randomized->rank;
  }
};

class SvdKernel {
 public:
  SvdKernel() = default;
  SvdKernel(const SvdKernel&) = delete;
  SvdKernel& operator=(const SvdKernel&) = delete;
  virtual ~SvdKernel() = default;

  virtual const SvdKernelInfo& info() const = 0;

  /// Fills `out`, or refuses a bad argument by throwing std::invalid_argument that names it.
  /// A gate asks for what info().support claims, and in the property of refusals for anything.
  virtual void run(const metal::AnySvdProblem& problem, const metal::AnySvdOutput& out,
                   const SvdRequest& request) const = 0;

  /// The rSVD, where info().has_randomized.
  virtual void randomized(const metal::AnySvdProblem&, const reference::RandomizedSvd&,
                          const metal::AnySvdOutput&) const {
    throw std::logic_error("the kernel has no rSVD");
  }

  /// The gradient in float64, where info().has_gradient.
  virtual metal::SvdGradientNotes gradient(const metal::SvdCotangent<double>&, std::span<double>) const {
    throw std::logic_error("the kernel has no gradient");
  }
};

}  // namespace assay::validation
