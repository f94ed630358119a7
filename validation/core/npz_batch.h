// Finds the arrays of an .npz file by name and converts them; every error message names the array.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "validation/core/npz_archive.h"
#include "validation/core/refuse.h"

namespace assay::validation {

using Shape = std::vector<std::int64_t>;

namespace detail {

/// Returns read(). The message of an std::invalid_argument gets the array's name as prefix.
template <class Read>
auto convert(const std::string& name, const Read& read) {
  try {
    return read();
  } catch (const std::invalid_argument& error) {
    refuse("{}: {}", name, error.what());
  }
}

}  // namespace detail

/// `notes` gains a sentence for each array that was rounded or not used. Each function throws std::invalid_argument
/// if a required array is missing, or if an array has a wrong type or shape.
class NpzBatch {
 public:
  /// `expected` names the required arrays, for messages.
  NpzBatch(NpzContents contents, std::string expected, std::vector<std::string>& notes)
      : contents_(std::move(contents)), expected_(std::move(expected)), notes_(notes) {}

  /// Adds a note for each array that was not used.
  void note_others() const {
    for (const std::string& name : contents_.others) notes_.push_back(fmt::format("array '{}' was left aside", name));
  }

  /// Null if there is no such array.
  const NpyArray* find(const std::string& name) const {
    const auto found = contents_.arrays.find(name);
    return found == contents_.arrays.end() ? nullptr : &found->second;
  }

  const NpyArray& get(const std::string& name) const {
    if (const NpyArray* const array = find(name)) return *array;
    refuse("no array '{}': found {}; expected {}", name, found(), expected_);
  }

  std::vector<float> floats(const std::string& name, const NpyArray& array) {
    std::size_t rounded = 0;
    std::vector<float> out = detail::convert(name, [&] { return npy_floats(array, rounded); });
    if (rounded != 0)
      notes_.push_back(fmt::format("{}: {} of {} values of {} were rounded to float32", name, rounded, out.size(),
                                   array.header.dtype()));
    return out;
  }

  static std::vector<double> doubles(const std::string& name, const NpyArray& array) {
    return detail::convert(name, [&] { return npy_doubles(array); });
  }

  static std::vector<std::int64_t> integers(const std::string& name, const NpyArray& array) {
    return detail::convert(name, [&] { return npy_integers(array); });
  }

  /// The text in the array; empty if there is no such array.
  std::string text(const std::string& name) const {
    const NpyArray* const array = find(name);
    return array == nullptr ? "" : detail::convert(name, [&] { return npy_text(*array); });
  }

  /// The flag in the array; false if there is no such array.
  bool flag(const std::string& name) const {
    const NpyArray* const array = find(name);
    return array != nullptr && detail::convert(name, [&] { return npy_flag(*array); });
  }

  /// The number in the array; `otherwise` if there is no such array.
  double number(const std::string& name, double otherwise) const {
    const NpyArray* const array = find(name);
    return array == nullptr ? otherwise : detail::convert(name, [&] { return npy_number(*array); });
  }

  /// The position of the text in array `name` among `choices`; 0 where there is no such array.
  template <class Choices>
  int choice(const std::string& name, const Choices& choices) const {
    if (find(name) == nullptr) return 0;
    const std::string chosen = text(name);
    const auto found = std::find(choices.begin(), choices.end(), chosen);
    if (found == choices.end()) refuse("{} = '{}': expected one of {}", name, chosen, fmt::join(choices, ", "));
    return static_cast<int>(found - choices.begin());
  }

 private:
  std::string found() const {
    std::vector<std::string> names = contents_.others;
    for (const auto& [name, array] : contents_.arrays) names.push_back(name);
    return names.empty() ? "nothing" : fmt::format("{}", fmt::join(names, ", "));
  }

  NpzContents contents_;
  std::string expected_;
  std::vector<std::string>& notes_;
};

}  // namespace assay::validation
