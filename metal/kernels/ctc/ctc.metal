// CTC: the kernels that the host dispatches. interface.h describes their arguments and their order.
//
// float, half and bfloat (Metal 3.1) are the types of activations and gradient. All arithmetic is in float and int.
// Each operation is rounded by itself, and NaN and infinities are what they are: sums of pairs of floats rest on it, and
// equal bits on all devices. Before Metal 3.2 only the host's compile options can say so.
#if __METAL_VERSION__ >= 320
#pragma METAL fp math_mode(safe)
#endif
#pragma METAL fp contract(off)

#include "emissions.h"
#include "gradient.h"
#include "long_rows.h"
#include "plain_kernels.h"
#include "recursion.h"

namespace assay {
namespace ctc {

#define INSTANTIATE(name, ...) template [[host_name(name)]] [[kernel]] decltype(__VA_ARGS__) __VA_ARGS__;

#define INSTANTIATE_FOR(type)                                           \
  INSTANTIATE("ctc_emissions_" #type, emissions<type>)                  \
  INSTANTIATE("ctc_emissions_held_" #type, emissions_wide<type, true>)  \
  INSTANTIATE("ctc_emissions_wide_" #type, emissions_wide<type, false>) \
  INSTANTIATE("ctc_gradient_" #type, gradient<type>)                    \
  INSTANTIATE("ctc_plain_log_softmax_" #type, plain_log_softmax<type>)  \
  INSTANTIATE("ctc_plain_gradient_" #type, plain_gradient<type>)

INSTANTIATE_FOR(float)
INSTANTIATE_FOR(half)
#if __METAL_VERSION__ >= 310
INSTANTIATE_FOR(bfloat)
#endif

INSTANTIATE("ctc_recursion_2", recursion<2>)
INSTANTIATE("ctc_recursion_4", recursion<4>)
INSTANTIATE("ctc_recursion_8", recursion<8>)

}  // namespace ctc
}  // namespace assay
