// The signs of singular vectors: in each column of U, the first of the elements of largest magnitude is positive.
#pragma once

#include "metal/cpu/svd/kernels.h"

namespace assay::metal::cpu {

/// Writes U [M, K] and V [N, K] to the outputs, with these signs.
template <class T>
void write_canonical(const SvdView<T>& U, const SvdView<T>& V, const SvdView<T>& to_U, const SvdView<T>& to_V);

}  // namespace assay::metal::cpu
