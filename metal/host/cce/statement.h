// All that the kernels get of a linear cross-entropy problem, except its arrays: extents, options, and which results
// are wanted.
#pragma once

#include <cstdint>
#include <string>

#include "metal/host/kernel_path.h"
#include "metal/host/work.h"
#include "metal/kernels/cce/interface.h"
#include "reference/cce/problem.h"

namespace assay::metal::host {

using CcePath = KernelPath;

/// The results that are wanted.
struct CceWork {
  bool forward = false;  ///< losses and lse; if false, lse is given
  bool dhidden = false, dweight = false, dbias = false;
};

struct CceStatement {
  std::uint64_t N = 0, H = 1, V = 1, M = 0;  ///< M: tokens that are not ignored
  CcePath path = CcePath::production;
  std::string type;                ///< of hidden, weight, bias and gradients: Metal's name
  std::uint64_t element_size = 0;  ///< its bytes
  bool has_bias = false, has_softcap = false, has_smoothing = false;
  CceWork work;
  /// Tokens in a block; on the plain path tokens or entries in a dispatch, and entries at a time.
  std::uint64_t chunk = cce::slab;
  std::uint64_t max_work = default_max_work;
  cce::Shape shape{};  ///< except the tokens and entries of a dispatch
};

/// The statement of a valid problem, without its chunk. `M`: the number of tokens that are not ignored. Numbers are
/// rounded to float once.
template <class Real>
CceStatement cce_statement(const reference::CceProblem<Real>& problem, std::uint64_t M, const CceWork& work,
                           CcePath path);

}  // namespace assay::metal::host
