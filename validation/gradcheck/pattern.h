// Finds what the wrong elements of a gradient have in common: a pattern that points to the mistake.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace assay::validation {

/// A gradient and its true values in doubles; the last axis is the fastest.
struct GradientArray {
  std::string name;                   ///< "gradient"
  std::vector<std::string> axes;      ///< "t", "b", "k": the names of the indices
  std::vector<std::string> nouns;     ///< "frame", "row", "class": what they count
  std::vector<std::string> sizes;     ///< "T", "B", "C"
  std::vector<std::int64_t> extents;  ///< the extent of each axis
  std::vector<double> expected, got, bound;
  std::vector<bool> wrong;  ///< whether the error is above the bound

  std::size_t size() const { return got.size(); }
  std::string place(std::size_t i) const;  ///< "gradient[t=3, b=0, k=2]"
  std::int64_t index(std::size_t i, std::size_t axis) const;
  std::size_t stride(std::size_t axis) const;
};

/// The names and extents of a gradient [n], without values, for an x of that shape; an empty shape means [n].
GradientArray gradient_array(const std::vector<std::int64_t>& shape, std::size_t n);

/// A part of the array, with a name.
struct NamedRegion {
  std::string where;  ///< "past input_lengths", "at the blank"
  std::vector<bool> in;
};

/// A mistake that multiplies the gradient by `factor[slice]` along an axis.
struct NamedFactor {
  std::string reason;  ///< "1 / B: a mean was taken over the batch"
  std::vector<double> factor;
};

/// Knowledge of the operation that helps to name a mistake.
struct PatternHints {
  std::vector<NamedRegion> regions;
  std::vector<NamedFactor> factors;
  std::size_t factor_axis = 0;  ///< the axis along which factors may differ
};

struct Pattern {
  std::string key;       ///< the same for the same mistake in another case: "factor: 1 / B"
  std::string sentence;  ///< for a reader
};

/// All patterns that fit the wrong elements, the most informative first. Empty if no element is wrong.
std::vector<Pattern> patterns_of(const GradientArray& gradient, const PatternHints& hints);

}  // namespace assay::validation
