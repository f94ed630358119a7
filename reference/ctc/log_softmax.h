// ln y_k = a_k - m - ln sum_j exp(a_j - m), m = max_j a_j: the softmax over the log semiring, read as numbers.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "reference/ctc/softmax.h"
#include "reference/number/log_number.h"

namespace assay::reference {

/// ln y [C] of the logits a [C], of which at least one is finite.
template <class Number, class Real>
void log_softmax(std::span<const Real> logits, std::span<Number> log_y) {
  std::vector<LogNumber<Number>> y(logits.size());
  softmax<LogNumber<Number>, Real>(logits, y);
  for (std::size_t k = 0; k < y.size(); ++k) log_y[k] = y[k].log();
}

}  // namespace assay::reference
