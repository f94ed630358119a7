// How the arrays that a function in Python is given lie in memory. The functions that make them are Python's
// (validation/python/assay/_layouts.py).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace assay::validation {

inline constexpr int layouts = 13;
inline constexpr int repeated_rows = 9;   ///< the array must repeat its first part along the first axis
inline constexpr int repeated_last = 12;  ///< or along the last

/// Whether only some arrays can lie so: those that repeat a part.
constexpr bool repeats(int layout) {
  return layout == repeated_rows || layout == repeated_last;
}

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
      "with the two axes before the last exchanged in memory, as a transposed view of heads",
      "with the second axis last in memory",
      "with a stride of 0 along the last axis, where all parts along it are equal",
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

/// Repeats the first element of each part along the last axis, which has so many elements.
template <class Element>
void repeat_along_last(std::vector<Element>& values, std::int64_t elements) {
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = values[i - i % static_cast<std::size_t>(elements)];
}

}  // namespace assay::validation
