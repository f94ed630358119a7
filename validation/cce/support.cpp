#include "validation/cce/support.h"

#include <algorithm>

namespace assay::validation {

std::string why_not(const CceSupport& support, const CceCase& c) {
  const bool known_type = std::ranges::find(support.dtypes, c.dtype) != support.dtypes.end();
  return WhyNot()
      .unless(known_type, std::string(name_of(c.dtype)))
      .at_most(support.largest_N, "N", c.N)
      .at_most(support.largest_H, "H", c.H)
      .at_most(support.largest_V, "V", c.V)
      .unless(c.bias.empty() || support.bias, "a bias")
      .unless(c.logit_softcap == 0 || support.logit_softcap, "logit_softcap")
      .unless(c.label_smoothing == 0 || support.label_smoothing, "label_smoothing")
      .unless(c.z_loss == 0 || support.z_loss, "z_loss")
      .unless(c.reduction != Reduction::none || support.reduction_none, "reduction 'none'")
      .unless(c.reduction != Reduction::sum || support.reduction_sum, "reduction 'sum'")
      .unless(c.reduction != Reduction::mean || support.reduction_mean, "reduction 'mean'")
      .unless(c.upstream.empty() || support.upstream, "an upstream gradient")
      .unless(c.ignore_index == -100 || support.any_ignore_index, "an ignore_index other than -100")
      .unless(support.empty || c.valid_tokens() > 0, "batches of no valid tokens")
      .reason();
}

}  // namespace assay::validation
