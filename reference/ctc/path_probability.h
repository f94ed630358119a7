// p(pi|x) = prod_t y^t_{pi_t}    (Graves et al. 2006, equation 2): the probability of one alignment pi [T].
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "reference/matrix.h"

namespace assay::reference {

template <class Weight>
Weight path_probability(const Matrix<Weight>& y, std::span<const std::int64_t> alignment) {
  Weight product(1);
  for (std::size_t t = 0; t < alignment.size(); ++t) product *= y(static_cast<std::int64_t>(t), alignment[t]);
  return product;
}

}  // namespace assay::reference
