// Numbers, vectors and matrices as JSON: decimal texts, "inf", "-inf", "nan", or fractions.
//
// What is a double or narrower is written with the fewest digits that give the same double: read as a double it is the
// very number of its format. Of a BigFloat there are as many digits as are asked for.
#pragma once

#include <array>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "reference/matrix.h"
#include "reference/number/big_float.h"
#include "reference/number/decimal_point.h"
#include "reference/number/exact.h"
#include "reference/number/log_number.h"
#include "reference/number/traits.h"

namespace assay::validation::steps {

/// The fewest digits that read as the same double: doubles tell all numbers of 15 digits apart, and 17 digits all
/// doubles. std::to_chars does not exist in the library that Emscripten compiles with.
inline std::string shortest(double x) {
  std::array<char, 32> buffer{};
  for (const int digits : {15, 16, 17}) {
    std::snprintf(buffer.data(), buffer.size(), "%.*g", digits, x);
    if (std::strtod(buffer.data(), nullptr) == x) break;
  }
  return reference::with_point(buffer.data());
}

template <class Number>
nlohmann::json text(const Number& x, int digits) {
  using Traits = reference::NumberTraits<Number>;
  if (Traits::is_nan(x)) return "nan";
  if (!Traits::is_finite(x)) return x < Number(0) ? "-inf" : "inf";
  if constexpr (requires { static_cast<double>(x); } && !std::is_same_v<Number, reference::BigFloat> &&
                !std::is_same_v<Number, reference::Rational>) {
    return shortest(static_cast<double>(x));
  } else {
    return Traits::to_string(x, digits);
  }
}

/// The logarithm of a weight that is stored as its logarithm.
template <class Number>
nlohmann::json text(const reference::LogNumber<Number>& x, int digits) {
  return text(x.log(), digits);
}

template <class Number>
nlohmann::json texts(std::span<const Number> numbers, int digits) {
  nlohmann::json array = nlohmann::json::array();
  for (const Number& x : numbers) array.push_back(text(x, digits));
  return array;
}

template <class Number>
nlohmann::json texts(const std::vector<Number>& numbers, int digits) {
  return texts(std::span<const Number>(numbers), digits);
}

template <class Number>
nlohmann::json texts(const reference::Matrix<Number>& matrix, int digits) {
  nlohmann::json rows = nlohmann::json::array();
  for (std::int64_t i = 0; i < matrix.rows(); ++i) rows.push_back(texts<Number>(matrix.row(i), digits));
  return rows;
}

}  // namespace assay::validation::steps
