#include "validation/ctc/softmax.h"

#include <algorithm>
#include <cmath>

namespace assay::validation {

std::vector<long double> log_softmax(const CtcCase& c, std::int64_t t, std::int64_t b) {
  std::vector<long double> log_y;
  for (std::int64_t k = 0; k < c.C; ++k) log_y.push_back(static_cast<long double>(c.activation(t, b, k)));
  if (c.input == CtcInput::log_probs) return log_y;
  const long double largest = *std::max_element(log_y.begin(), log_y.end());
  long double sum = 0;
  for (const long double a : log_y) sum += std::exp(a - largest);
  for (auto& a : log_y) a = a - largest - std::log(sum);
  return log_y;
}

std::vector<long double> softmax(const CtcCase& c, std::int64_t t, std::int64_t b) {
  auto y = log_softmax(c, t, b);
  for (auto& value : y) value = std::exp(value);
  return y;
}

}  // namespace assay::validation
