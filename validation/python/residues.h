// Arrays of numbers that are followed: float64 values and, beside each, a residue in 32 bytes.
#pragma once

#include <pybind11/numpy.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>
#include <vector>

#include "reference/formula/followed.h"

namespace assay::python {

using FloatArray = pybind11::array_t<double, pybind11::array::c_style>;
using ResidueArray = pybind11::array_t<std::uint64_t, pybind11::array::c_style>;  ///< [..., 4]

inline constexpr std::size_t residue_words = sizeof(reference::Residue) / sizeof(std::uint64_t);

inline reference::Followed followed_number(const FloatArray& values, const ResidueArray& residues, std::size_t i) {
  reference::Followed number;
  number.value = values.data()[i];
  std::array<std::uint64_t, residue_words> words;
  std::copy_n(residues.data() + residue_words * i, residue_words, words.begin());
  number.residue = std::bit_cast<reference::Residue>(words);
  return number;
}

inline std::vector<reference::Followed> followed_numbers(const FloatArray& values, const ResidueArray& residues) {
  std::vector<reference::Followed> numbers;
  numbers.reserve(static_cast<std::size_t>(values.size()));
  for (std::size_t i = 0; i < static_cast<std::size_t>(values.size()); ++i)
    numbers.push_back(followed_number(values, residues, i));
  return numbers;
}

/// Values and residues of numbers.
std::pair<FloatArray, ResidueArray> arrays_of(const std::vector<reference::Followed>& numbers);

}  // namespace assay::python
