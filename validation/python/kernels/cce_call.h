// The options of cross-entropy, as callers from NumPy, from a GPU's tensors and from XLA all give them.
#pragma once

#include <cstdint>
#include <string_view>

#include "reference/cce/problem.h"
#include "validation/python/kernels/call.h"

namespace assay::python {

inline void set_options(reference::CceProblem<float>& options, std::int64_t ignore_index, double logit_softcap,
                        double label_smoothing, double z_loss, std::string_view reduction) {
  options.ignore_index = ignore_index;
  options.logit_softcap = logit_softcap;
  options.label_smoothing = label_smoothing;
  options.z_loss = z_loss;
  options.reduction = reduction_of(reduction);
}

}  // namespace assay::python
