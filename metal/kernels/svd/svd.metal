// Singular value decomposition: the kernels that the host dispatches. interface.h describes their arguments and their
// order.
//
// float, half and bfloat (Metal 3.1) are the types of A, U and Vh. S and all arithmetic are in float.
// Each operation is rounded by itself, and NaN and infinities are what they are: sums of pairs of floats rest on it, and
// equal bits on all devices. Before Metal 3.2 only the host's compile options can say so.
#if __METAL_VERSION__ >= 320
#pragma METAL fp math_mode(safe)
#endif
#pragma METAL fp contract(off)

#include "block.h"
#include "finish.h"
#include "load.h"
#include "multiply.h"
#include "plain.h"
#include "settle.h"
#include "sweeps.h"

namespace assay {
namespace svd {

#define INSTANTIATE(name, ...) template [[host_name(name)]] [[kernel]] decltype(__VA_ARGS__) __VA_ARGS__;

#define INSTANTIATE_FOR(type)                \
  INSTANTIATE("svd_load_" #type, load<type>) \
  INSTANTIATE("svd_finish_" #type, finish<type>)

INSTANTIATE("svd_sweeps_8", sweeps<8>)
INSTANTIATE("svd_sweeps_8_threadgroup", sweeps_threadgroup<8>)
INSTANTIATE("svd_sweeps_32", sweeps<32>)
INSTANTIATE("svd_sweeps_32_threadgroup", sweeps_threadgroup<32>)

INSTANTIATE_FOR(float)
INSTANTIATE_FOR(half)
#if __METAL_VERSION__ >= 310
INSTANTIATE_FOR(bfloat)
#endif

}  // namespace svd
}  // namespace assay
