// How the arrays that a function in Python is given lie in memory. The functions that make them are Python's
// (validation/python/assay/_layouts.py).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace assay::validation {

inline constexpr int layouts = 10;
inline constexpr int repeated_rows = 9;  ///< the last layout, whose array must repeat its first part

/// What a sentence says of arrays that lie so.
constexpr std::string_view words_of_layout(int layout) {
  constexpr std::array<std::string_view, layouts> words = {
      "contiguously",
      "columns first",
      "in every second element of a wider array",
      "in a middle part of each row of a wider array",
      "contiguously from 1 element past a multiple of 64 bytes",
      "contiguously from 2 elements past a multiple of 64 bytes",
      "contiguously from 3 elements past a multiple of 64 bytes",
      "backwards along the last axis",
      "backwards along the first axis",
      "with a stride of 0 along the first axis, where all parts along it are equal",
  };
  return words.at(static_cast<std::size_t>(layout));
}

/// Repeats the first of so many parts along the first axis.
template <class Element>
void repeat_first_part(std::vector<Element>& values, std::int64_t parts) {
  if (values.empty()) return;
  const std::size_t size = values.size() / static_cast<std::size_t>(parts);
  for (std::size_t i = size; i < values.size(); ++i) values[i] = values[i - size];
}

}  // namespace assay::validation
