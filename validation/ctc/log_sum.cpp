#include "validation/ctc/log_sum.h"

#include <algorithm>
#include <cmath>

namespace assay::validation {

double LogSum::growth(const std::array<double, 3>& growths) const {
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i) sum += weighted(shares[i], growths[i]);
  return sum;
}

LogSum log_sum_of(const std::array<double, 3>& logs) {
  const double largest = std::max({logs[0], logs[1], logs[2]});
  LogSum found;
  if (largest == log_zero) return found;
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    if (logs[i] == log_zero) continue;
    found.shares[i] = logs[i] == largest ? 1 : std::exp(logs[i] - largest);
    sum += found.shares[i];
    ++found.terms;
  }
  for (std::size_t i = 0; i < 3; ++i) {
    found.shares[i] /= sum;
    if (logs[i] != log_zero) found.smallest = std::min(found.smallest, found.shares[i]);
  }
  found.log = largest + std::log(sum);
  return found;
}

}  // namespace assay::validation
