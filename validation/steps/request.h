// How requests are read and answered: fields that must be there, matrices of numbers, and the number type by name.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "reference/matrix.h"
#include "reference/number/big_float.h"
#include "reference/number/exact.h"
#include "reference/number/narrow.h"
#include "reference/number/precision.h"
#include "reference/refuse.h"

namespace assay::validation::steps {

using Json = nlohmann::json;

/// The largest size of an array in a request; a response with more elements is of no use to a reader.
inline constexpr std::int64_t max_elements = 4'000'000;

/// Returns answer(request), or {"error": ...} if the request is not JSON or is refused.
std::string respond(std::string_view request, const std::function<Json(const Json&)>& answer);

/// The member `name` of the request. Refuses a request without it.
const Json& member(const Json& request, const char* name);

std::int64_t integer(const Json& request, const char* name);
std::int64_t integer_or(const Json& request, const char* name, std::int64_t fallback);
double real_or(const Json& request, const char* name, double fallback);
std::string text_or(const Json& request, const char* name, const char* fallback);
std::vector<std::int64_t> integers(const Json& request, const char* name);

/// The labels l [S], each in [0, C) and not the blank; C is the width of the request's outputs or logits.
std::vector<std::int64_t> labels_of(const Json& request, std::int64_t blank);

/// The double for a JSON number or a decimal text; "-inf", "inf" and "nan" are texts too.
double real_of(const Json& value, const std::string& name);

/// Rows of equal length, each element by `element(value, name of the place)`.
template <class Number, class Element>
reference::Matrix<Number> matrix_of(const Json& request, const char* name, const Element& element) {
  using reference::detail::refuse;
  const Json& rows = member(request, name);
  if (!rows.is_array()) refuse(name, " = ", rows.dump(), ": expected an array of rows");
  const std::size_t width = rows.empty() || !rows[0].is_array() ? 0 : rows[0].size();
  if (static_cast<std::int64_t>(rows.size() * width) > max_elements)
    refuse(name, " of ", rows.size(), " rows of ", width, ": expected at most ", max_elements, " elements");
  reference::Matrix<Number> matrix(static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(width));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].is_array() || rows[i].size() != width)
      refuse(name, "[", i, "]: expected a row of ", width, " numbers, as the first");
    for (std::size_t j = 0; j < width; ++j)
      matrix(static_cast<std::int64_t>(i), static_cast<std::int64_t>(j)) =
          element(rows[i][j], std::string(name) + "[" + std::to_string(i) + "][" + std::to_string(j) + "]");
  }
  return matrix;
}

/// The exact fraction for a text such as "3/16", a decimal text or a JSON number.
reference::Rational fraction_of(const Json& value, const std::string& name);

/// Calls `run.template operator()<Number>(digits)` with the number type of the request. `digits` matters for BigFloats
/// alone, which are computed with ten more digits than are shown.
template <class Run>
Json with_number(const Json& request, const Run& run) {
  const Json number = request.value("number", Json("double"));
  if (number == "half") return run.template operator()<reference::Half>(0);
  if (number == "bfloat16") return run.template operator()<reference::BFloat16>(0);
  if (number == "float") return run.template operator()<reference::Single>(0);
  if (number == "double") return run.template operator()<reference::Double>(0);
  if (number.is_object() && number.contains("digits")) {
    const std::int64_t digits = integer(number, "digits");
    if (digits < reference::min_digits || digits > 1000 || digits + 10 > reference::max_digits)
      reference::detail::refuse("digits = ", digits, ": expected a number in [", reference::min_digits, ", ",
                                std::min<std::int64_t>(1000, reference::max_digits - 10), "]");
    const reference::PrecisionScope scope(static_cast<int>(digits) + 10);
    return run.template operator()<reference::BigFloat>(static_cast<int>(digits));
  }
  reference::detail::refuse("number = ", number.dump(),
                            ": expected half, bfloat16, float, double, exact where there is no exponential, or "
                            "{\"digits\": n}");
}

inline bool is_exact(const Json& request) {
  return request.value("number", Json()) == "exact";
}

}  // namespace assay::validation::steps
