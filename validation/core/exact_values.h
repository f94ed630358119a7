// The values of a reference: at some digits, or in long double, which takes 16 bytes a value in place of 80.
#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <variant>
#include <vector>

#include "reference/number/big_float.h"

namespace assay::validation {

using reference::BigFloat;

/// x, exactly.
BigFloat exactly(long double x);
inline const BigFloat& exactly(const BigFloat& x) {
  return x;
}

// As those of BigFloat (core/number.h).
inline double to_double(long double x) {
  return static_cast<double>(x);
}
inline bool is_finite(long double x) {
  return std::isfinite(x);
}

class ExactValues {
 public:
  ExactValues() = default;
  ExactValues(std::vector<BigFloat> values) : values_(std::move(values)) {}
  ExactValues(std::vector<long double> values) : values_(std::move(values)) {}

  std::size_t size() const {
    return std::visit([](const auto& values) { return values.size(); }, values_);
  }

  /// use(value) of value i, which is a BigFloat or a long double.
  template <class Use>
  auto with(std::size_t i, const Use& use) const {
    return std::visit([&](const auto& values) { return use(values[i]); }, values_);
  }

  BigFloat operator[](std::size_t i) const {
    return with(i, [](const auto& value) { return BigFloat(exactly(value)); });
  }

  std::vector<BigFloat> all() const {
    std::vector<BigFloat> exact;
    exact.reserve(size());
    for (std::size_t i = 0; i < size(); ++i) exact.push_back((*this)[i]);
    return exact;
  }

 private:
  std::variant<std::vector<BigFloat>, std::vector<long double>> values_;
};

}  // namespace assay::validation
