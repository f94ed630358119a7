// A case as one line of text, and back: the line that reproduces a failure. Its words follow the table of fields:
//
//   N=1 H=1 V=2 dtype=float32 ignore_index=-100 ... targets=1 upstream= hidden=1 weight=0,0.5 bias=
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <string>

#include "validation/core/fields.h"
#include "validation/core/words.h"

namespace assay::validation {

/// The names of the dtypes of an operation, in the order of Dtype.
template <class T>
std::vector<std::string> dtype_names_of(const DtypeField<T>& row) {
  std::vector<std::string> names;
  for (const Dtype dtype : row.all) names.push_back(name_of(dtype));
  return names;
}

/// One line; each number is the shortest decimal that reads back to the same one.
template <HasFields Case>
std::string to_text(const Case& c) {
  std::string text;
  const auto add = [&](const char* name, const auto& value) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  };
  for_each_row(Case::Fields::problem(), [&]<class Row>(const Row& row) {
    if constexpr (IsArray<Row>) {
      add(row.name, fmt::format("{}", fmt::join(c.*row.in_case, ",")));
    } else if constexpr (IsDtype<Row>) {
      if (row.said_always || c.*row.in_case != Case().*row.in_case) add(row.name, name_of(c.*row.in_case));
    } else if constexpr (IsChoice<Row>) {
      add(row.name, enum_name(c.*row.in_case, row.values));
    } else if constexpr (IsScalar<Row>) {
      add(row.name, +(c.*row.in_case));  // a flag as 0 or 1
    }
  });
  return text;
}

/// Throws std::invalid_argument for an element that is not a number of the dtype.
template <class Element>
void require_numbers_of(Dtype dtype, const char* name, const std::vector<Element>& values, const char* advice = "") {
  if (const auto found = not_of(dtype, values); found != values.end())
    throw std::invalid_argument(fmt::format("{}: {} is not a number of {}{}", name, *found, name_of(dtype), advice));
}

/// The problem that `words` describe, valid or not. Throws std::invalid_argument, naming a key that is missing, unknown
/// or unreadable, or an array with an element that is not a number of its dtype.
template <HasFields Case>
Case case_from(const Words& words) {
  static const auto rows = Case::Fields::problem();
  Words known;
  for_each_row(rows, [&]<class Row>(const Row& row) {
    if constexpr (IsScalar<Row> || IsDtype<Row> || IsArray<Row>) known[row.name];
  });
  require_known(words, known);
  Case c;
  for_each_row(rows, [&]<class Row>(const Row& row) {
    if constexpr (IsDtype<Row>) {
      if (row.said_always || words.contains(row.name))
        c.*row.in_case = parse_enum<Dtype>(words, row.name, dtype_names_of(row));
    } else if constexpr (IsChoice<Row>) {
      c.*row.in_case = parse_enum<std::remove_cvref_t<decltype(c.*row.in_case)>>(words, row.name, row.values);
    } else if constexpr (IsArray<Row>) {
      using Element = typename std::remove_cvref_t<decltype(c.*row.in_case)>::value_type;
      c.*row.in_case = parse_list<Element>(words, row.name);
      if constexpr (is_of_dtype<Row>) require_numbers_of(c.dtype, row.name, c.*row.in_case);
    } else if constexpr (IsScalar<Row>) {
      using Value = std::remove_cvref_t<decltype(c.*row.in_case)>;
      if constexpr (std::is_same_v<Value, bool>) {
        c.*row.in_case = parse_enum<int>(words, row.name, {"0", "1"}) == 1;
      } else {
        c.*row.in_case = parse_word<Value>(words, row.name);
      }
    }
  });
  return c;
}

}  // namespace assay::validation
