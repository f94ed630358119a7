// Linear cross-entropy: the kernels that the host dispatches. interface.h describes their arguments and their order.
//
// float, half and bfloat (Metal 3.1) are the types of hidden, weight, bias and gradients. All arithmetic is in float.
// Each operation is rounded by itself, and NaN and infinities are what they are: sums of pairs of floats rest on it, and
// equal bits on all devices. Before Metal 3.2 only the host's compile options can say so.
#if __METAL_VERSION__ >= 320
#pragma METAL fp math_mode(safe)
#endif
#pragma METAL fp contract(off)

#include "loss.h"
#include "matrix_products.h"
#include "plain_kernels.h"
#include "products.h"
#include "rows.h"

namespace assay {
namespace cce {

#define INSTANTIATE(name, ...) template [[host_name(name)]] [[kernel]] decltype(__VA_ARGS__) __VA_ARGS__;

#define INSTANTIATE_FOR(type, logits, dhidden, dweight)        \
  INSTANTIATE("cce_logits_" #type, logits<type>)               \
  INSTANTIATE("cce_loss_" #type, loss<type>)                   \
  INSTANTIATE("cce_differentiate_" #type, differentiate<type>) \
  INSTANTIATE("cce_dhidden_" #type, dhidden<type>)             \
  INSTANTIATE("cce_dweight_" #type, dweight<type>)             \
  INSTANTIATE("cce_dbias_" #type, dbias<type>)                 \
  INSTANTIATE("cce_clear_dhidden_" #type, clear_dhidden<type>) \
  INSTANTIATE("cce_plain_forward_" #type, plain_forward<type>) \
  INSTANTIATE("cce_plain_dhidden_" #type, plain_dhidden<type>) \
  INSTANTIATE("cce_plain_dweight_" #type, plain_dweight<type>)

INSTANTIATE_FOR(float, logits, dhidden, dweight)
INSTANTIATE_FOR(half, matrix_logits, dhidden, dweight)
#if __METAL_VERSION__ >= 310
INSTANTIATE_FOR(bfloat, matrix_logits, matrix_dhidden, matrix_dweight)
#endif

}  // namespace cce
}  // namespace assay
