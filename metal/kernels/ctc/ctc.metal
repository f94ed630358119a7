// CTC: the kernels that the host dispatches. interface.h describes their arguments and their order.
//
// float, half and bfloat (Metal 3.1) are the types of activations and gradient. All arithmetic is in float and int.
#include "backward.h"
#include "columns_kernels.h"
#include "emissions.h"
#include "forward.h"
#include "plain_kernels.h"

namespace assay {
namespace ctc {

#define INSTANTIATE(name, ...) template [[host_name(name)]] [[kernel]] decltype(__VA_ARGS__) __VA_ARGS__;

#define INSTANTIATE_FOR(type)                                          \
  INSTANTIATE("ctc_emissions_" #type, emissions<type>)                 \
  INSTANTIATE("ctc_backward_1_" #type, backward<1, type>)              \
  INSTANTIATE("ctc_backward_2_" #type, backward<2, type>)              \
  INSTANTIATE("ctc_backward_4_" #type, backward<4, type>)              \
  INSTANTIATE("ctc_backward_8_" #type, backward<8, type>)              \
  INSTANTIATE("ctc_backward_columns_" #type, backward_columns<type>)   \
  INSTANTIATE("ctc_backward_device_" #type, backward_device<type>)     \
  INSTANTIATE("ctc_plain_log_softmax_" #type, plain_log_softmax<type>) \
  INSTANTIATE("ctc_plain_gradient_" #type, plain_gradient<type>)

INSTANTIATE_FOR(float)
INSTANTIATE_FOR(half)
#if __METAL_VERSION__ >= 310
INSTANTIATE_FOR(bfloat)
#endif

INSTANTIATE("ctc_forward_1", forward<1>)
INSTANTIATE("ctc_forward_2", forward<2>)
INSTANTIATE("ctc_forward_4", forward<4>)
INSTANTIATE("ctc_forward_8", forward<8>)

}  // namespace ctc
}  // namespace assay
