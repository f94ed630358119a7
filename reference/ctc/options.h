// The options of CTC by name, for whatever reads, copies or lists them: problem.h says what they mean.
#pragma once

#include "reference/ctc/problem.h"

namespace assay::reference {

/// Calls visit(name, option) for each option that the arrays do not imply, a number, a flag or a Reduction. What the
/// activations, the gradient and the rows of the targets are goes with the arrays.
template <class Real, class Visit>
void visit_options(CtcProblem<Real>& problem, Visit&& visit) {
  visit("blank", problem.blank);
  visit("reduction", problem.reduction);
  visit("zero_infinity", problem.zero_infinity);
}

}  // namespace assay::reference
