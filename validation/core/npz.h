// A case as an .npz file under the names of its table of fields, and back. Arrays have the shapes that the table says;
// an array of one element is a scalar. Options and optional arrays may be left out. Sizes follow from the arrays.
//
//   arrays of the dtype          float16, float32 or float64; with dtype bfloat16 also its bits, as uint16 or V2
//   other arrays                 integers of any type, or numbers
//   dtype                        text, for a type that NumPy lacks; by default the type of the first array
//   numbers, flags, choices      scalars; texts
//
// in C or Fortran order and either byte order. np.savez(path, hidden=..., weight=..., targets=...) writes such a file.
#pragma once

#include <fmt/ranges.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "validation/core/npz_batch.h"
#include "validation/core/other_names.h"
#include "validation/core/text.h"

namespace assay::validation {

/// The name of an array of the table in a file.
template <class Case, class Row>
std::string npz_name(const Row& row, const Case& c) {
  if constexpr (IsArray<Row>)
    if (row.npz_name != nullptr) return row.npz_name(c);
  return row.name;
}

/// Converts the arrays of a file to a case.
template <HasFields Case>
class NpzReader {
 public:
  using Fields = typename Case::Fields;

  /// `notes` gains a sentence for each array that was rounded or not used.
  NpzReader(NpzContents contents, std::vector<std::string>& notes)
      : arrays_(prepared(std::move(contents)), expected(), notes) {}

  Case read() {
    for_each_row(Fields::problem(), [&](const auto& row) { read_option(row); });
    for_each_row(Fields::problem(), [&]<class Row>(const Row& row) {
      if constexpr (IsArray<Row> && is_of_dtype<Row>) read_array(row);
    });
    for_each_row(Fields::problem(), [&]<class Row>(const Row& row) {
      if constexpr (IsArray<Row> && !is_of_dtype<Row>) read_array(row);
    });
    if constexpr (requires { Fields::finish_npz(case_); }) Fields::finish_npz(case_);
    arrays_.note_others();
    return std::move(case_);
  }

 private:
  /// The arrays with the axes that the table names.
  NpzContents prepared(NpzContents contents) {
    if constexpr (requires { Fields::prepare_npz(contents, case_); }) Fields::prepare_npz(contents, case_);
    return contents;
  }

  static std::string expected() {
    std::vector<std::string> names;
    const auto add = [&](const auto& row) {
      if (!row.optional) names.push_back(row.npz_words != nullptr ? row.npz_words : row.name);
    };
    for_each_row(Fields::problem(), [&]<class Row>(const Row& row) {
      if constexpr (IsArray<Row> && is_of_dtype<Row>) add(row);
    });
    for_each_row(Fields::problem(), [&]<class Row>(const Row& row) {
      if constexpr (IsArray<Row> && !is_of_dtype<Row>) add(row);
    });
    if (names.size() == 1) return names[0];
    const std::string last = names.back();
    names.pop_back();
    return fmt::format("{} and {}", fmt::join(names, ", "), last);
  }

  template <class Row>
  void read_option(const Row& row) {
    if constexpr (IsDtype<Row>) {
      case_.*row.in_case = dtype(row);
    } else if constexpr (IsChoice<Row>) {
      using Enum = std::remove_cvref_t<decltype(case_.*row.in_case)>;
      if (row.in_npz) case_.*row.in_case = static_cast<Enum>(arrays_.choice(row.name, row.values));
    } else if constexpr (IsOption<Row>) {
      using Value = std::remove_cvref_t<decltype(case_.*row.in_case)>;
      const NpyArray* const array = arrays_.find(row.name);
      if (array == nullptr) return;
      if constexpr (std::is_same_v<Value, bool>) {
        case_.*row.in_case = arrays_.flag(row.name);
      } else if constexpr (std::is_same_v<Value, double>) {
        case_.*row.in_case = arrays_.number(row.name, 0);
      } else {
        if (!array->header.shape.empty()) refuse("{}: {}: expected a scalar", row.name, array->header.summary());
        case_.*row.in_case = NpzBatch::integers(row.name, *array)[0];
      }
    }
  }

  template <class Row>
  Dtype dtype(const Row& row) const {
    if (arrays_.find(row.name) != nullptr) return static_cast<Dtype>(arrays_.choice(row.name, dtype_names_of(row)));
    std::size_t bytes = 4;
    if (row.said_always)
      for_each_row(Fields::problem(), [&]<class Other>(const Other& other) {
        if constexpr (IsArray<Other> && is_of_dtype<Other>)
          if (const NpyArray* const array = arrays_.find(npz_name(other, case_)); array != nullptr && bytes == 4)
            bytes = array->header.item_size;
      });
    const Dtype found = bytes == 2 ? Dtype::float16 : bytes == 8 ? Dtype::float64 : Dtype::float32;
    return std::ranges::find(row.all, found) != row.all.end() ? found : Dtype::float32;
  }

  template <class Row>
  void read_array(const Row& row) {
    const std::string name = npz_name(row, case_);
    if (row.optional && arrays_.find(name) == nullptr) return;
    const NpyArray array = is_of_dtype<Row> ? as_numbers(arrays_.get(name)) : arrays_.get(name);
    take_extents(name, array.header, row);
    using Element = typename std::remove_cvref_t<decltype(case_.*row.in_case)>::value_type;
    if constexpr (std::is_same_v<Element, std::int64_t>) {
      case_.*row.in_case = NpzBatch::integers(name, array);
    } else if constexpr (std::is_same_v<Element, double>) {
      case_.*row.in_case = NpzBatch::doubles(name, array);
    } else {
      case_.*row.in_case = arrays_.floats(name, array);
    }
    if constexpr (is_of_dtype<Row>)
      require_numbers_of(case_.dtype, name.c_str(), case_.*row.in_case, ": round the array first");
  }

  /// Bits of bfloat16, where the file says that they are, as numbers.
  NpyArray as_numbers(const NpyArray& array) const {
    const bool has_bits = array.header.item_size == 2 && (array.header.kind == 'u' || array.header.kind == 'V');
    return has_bits && case_.dtype == Dtype::bfloat16 ? npy_from_bfloat16_bits(array) : array;
  }

  /// Compares the array's shape with the known extents, and takes the unknown extents from the shape.
  template <class Row>
  void take_extents(const std::string& name, const NpyHeader& header, const Row& row) {
    const std::string_view words = row.shape.of(statement_of(case_));
    std::vector<std::string> axes;
    if (words != "1")
      for (const std::string_view axis : names_in(words)) axes.emplace_back(axis);
    const std::string expected = (words == "1" ? "a scalar" : text_of(axes)) + row.npz_or + reason(row.shape.chosen_by);
    const bool is_scalar = axes.empty() && header.shape == Shape{1};
    bool fits = is_scalar || header.shape.size() == axes.size();
    for (std::size_t i = 0; fits && i < axes.size(); ++i) fits = take_extent(name, header, i, axes[i]);
    if (!fits) refuse("{}: {}: expected {}{}{}", name, header.summary(), expected, seen_, hint(header.shape));
    if (is_of_dtype<Row>) seen_ += fmt::format("; {} is {}", name, text_of(axes));
  }

  bool take_extent(const std::string& name, const NpyHeader& header, std::size_t at, const std::string& axis) {
    const std::int64_t size = header.shape[at];
    if (const auto known = extents_.find(axis); known != extents_.end()) return known->second == size;
    for_each_row(Fields::problem(), [&]<class Row>(const Row& row) {
      if constexpr (IsExtent<Row>)
        if (axis == row.name) {
          if (size < row.min)
            refuse("{}: {}: {} = {}: expected at least {}", name, header.summary(), axis, size, row.min);
          case_.*row.in_case = size;
          extents_[axis] = size;
        }
    });
    return true;
  }

  /// "[N=3, H]": the axes with the known extents.
  std::string text_of(const std::vector<std::string>& axes) const {
    std::vector<std::string> words;
    for (const std::string& axis : axes) {
      const auto known = extents_.find(axis);
      words.push_back(known == extents_.end() ? axis : fmt::format("{}={}", axis, known->second));
    }
    return fmt::format("[{}]", fmt::join(words, ", "));
  }

  /// " for reduction none", where that option chooses the shape.
  std::string reason(const char* chosen_by) const {
    std::string text;
    for_each_row(Fields::problem(), [&]<class Row>(const Row& row) {
      if constexpr (IsChoice<Row>)
        if (chosen_by != nullptr && std::string_view(chosen_by) == row.name)
          text = fmt::format(" for {} {}", row.name, enum_name(case_.*row.in_case, row.values));
    });
    return text;
  }

  std::string hint(const std::vector<std::int64_t>& shape) const {
    if constexpr (requires { Fields::npz_hint(case_, shape); }) return Fields::npz_hint(case_, shape);
    return "";
  }

  Case case_;
  NpzBatch arrays_;
  std::map<std::string, std::int64_t> extents_;  ///< the known extents
  std::string seen_;                             ///< "; hidden is [N=3, H=2]"
};

/// Throws std::invalid_argument at an array that has another framework's name for one of `names` that is not there.
inline void expect_own_names(const NpzContents& contents, const std::set<std::string>& names) {
  const auto has = [&](const char* name) { return contents.arrays.contains(name); };
  const auto is_missing = [&](const std::string& name) {
    const bool is_activations = name == "logits" || name == "log_probs";
    return names.contains(name) && !has(name.c_str()) && !(is_activations && (has("logits") || has("log_probs")));
  };
  for (const std::string& other : contents.others)
    if (const auto message = ours_for(other, is_missing)) refuse("array {}", *message);
}

/// Reads a problem whose shapes agree and whose elements are numbers of its dtype. Values are not checked further.
/// Throws std::runtime_error naming the file, the array, what was found and what was expected.
template <HasFields Case>
Case read_npz(const std::filesystem::path& path, std::vector<std::string>& notes) try {
  std::set<std::string> names;
  for_each_row(Case::Fields::problem(), [&]<class Row>(const Row& row) {
    if constexpr (IsOption<Row> || IsChoice<Row> || IsDtype<Row> || IsArray<Row>) names.insert(row.name);
  });
  if constexpr (requires { Case::Fields::npz_names(names); }) Case::Fields::npz_names(names);
  NpzContents contents = read_npz_archive(path, names);
  expect_own_names(contents, names);
  return NpzReader<Case>(std::move(contents), notes).read();
} catch (const std::exception& error) {
  throw std::runtime_error(fmt::format("{}: {}", path.string(), error.what()));
}

/// The array of a row for a file: float64 if the case's dtype is float64, else float32.
template <class Case, class Row>
NpyArray npz_array(const Case& c, const Row& row) {
  const std::string_view words = row.shape.of(statement_of(c));
  const auto shape = words == "1" ? Shape{} : dimensions<typename Case::Fields>(words, statement_of(c));
  const auto& values = c.*row.in_case;
  if constexpr (std::is_same_v<std::remove_cvref_t<decltype(values)>, std::vector<double>>)
    if (c.dtype != Dtype::float64) return npy_array(std::vector<float>(values.begin(), values.end()), shape);
  return npy_array(values, shape);
}

/// Writes a problem that reads back equal, bit for bit. Throws std::invalid_argument where the sizes of its parts
/// disagree, std::runtime_error where writing fails.
template <HasFields Case>
void write_npz(const std::filesystem::path& path, const Case& c) {
  NpyArrays arrays;
  for_each_row(Case::Fields::problem(), [&]<class Row>(const Row& row) {
    if constexpr (IsExtent<Row>) {
      if (c.*row.in_case < row.min) refuse("{} = {}: expected at least {}", row.name, c.*row.in_case, row.min);
    } else if constexpr (IsDtype<Row>) {
      if (row.said_always || c.dtype != Case().dtype) arrays[row.name] = npy_text_array(name_of(c.*row.in_case));
    } else if constexpr (IsChoice<Row>) {
      if (row.in_npz) arrays[row.name] = npy_text_array(enum_name(c.*row.in_case, row.values));
    } else if constexpr (IsOption<Row>) {
      using Value = std::remove_cvref_t<decltype(c.*row.in_case)>;
      if constexpr (std::is_same_v<Value, bool>) {
        arrays[row.name] = npy_flag_array(c.*row.in_case);
      } else if constexpr (std::is_same_v<Value, double>) {
        arrays[row.name] = npy_number_array(c.*row.in_case);
      } else {
        arrays[row.name] = npy_array(std::vector{c.*row.in_case}, {});
      }
    } else if constexpr (IsArray<Row>) {
      if (!row.optional || !(c.*row.in_case).empty()) arrays[npz_name(row, c)] = npz_array(c, row);
    }
  });
  write_npz_archive(path, arrays);
}

}  // namespace assay::validation
