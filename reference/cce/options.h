// The options of linear cross-entropy by name, for whatever reads, copies or lists them: problem.h says what they mean.
#pragma once

#include "reference/cce/problem.h"

namespace assay::reference {

/// Calls visit(name, option) for each option of the problem, a number or a Reduction.
template <class Real, class Visit>
void visit_options(CceProblem<Real>& problem, Visit&& visit) {
  visit("ignore_index", problem.ignore_index);
  visit("logit_softcap", problem.logit_softcap);
  visit("label_smoothing", problem.label_smoothing);
  visit("z_loss", problem.z_loss);
  visit("reduction", problem.reduction);
}

}  // namespace assay::reference
