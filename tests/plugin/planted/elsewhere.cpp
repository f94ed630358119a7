#include "tests/plugin/planted/planted.h"

float planted::mean_of_squares(const float* x, std::int64_t n, float offset) {
  float sum = 0;
  for (std::int64_t j = 0; j < n; ++j) sum += (x[j] + offset) * (x[j] + offset);
  return sum / static_cast<float>(n);
}
