// Patterns that people's numbers have and random ones never do: rows in order, centred or constant rows, numbers of one
// binade, all flags set. A kernel may be wrong at one alone. They are planned cases of moderate sizes (planned.h).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "validation/core/dtype.h"
#include "validation/core/random.h"
#include "validation/formula/problem.h"

namespace assay::validation::formula {

/// The elements of an array, to be filled, and the length of its rows.
struct Rows {
  std::span<double> all;
  std::size_t length;
  NumberFormat format;  ///< of the type that the elements are rounded to
};

struct Pattern {
  std::string_view name;
  /// Fills an array of numbers.
  void (*fill)(Random& random, const Rows& rows);
  /// Index i of so many; where there is none, indices and flags are drawn, and else all flags are set and all decays are 1.
  std::int64_t (*index)(std::int64_t i, std::int64_t count) = nullptr;
  bool has_equal_inputs = false;  ///< whether inputs of one shape have the same elements
};

/// "descending rows", "rows that sum to 0", ...: each one row of a table.
const std::vector<Pattern>& patterns();

/// Normal numbers in arrays that no layout repeats, for cases that no table asks for.
extern const Pattern contiguous_normal;

/// Fills an input's array by a pattern: where its kind allows fewer numbers, in their order and with equal ones equal.
void fill_by_pattern(Random& random, const Pattern& pattern, const Input& input, const Extents& extents,
                     const Rows& rows);

}  // namespace assay::validation::formula
