// A gradient beside its true values: what the search for patterns looks at.
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

  /// Whether the true value is large enough, compared to its bound, to be told from 0 and from other values.
  bool tells(std::size_t i) const;
  /// Whether NaN or infinity stands in the place of a number.
  bool is_lost(std::size_t i) const;
};

/// The names and extents of a gradient [n], without values, for an x of that shape; an empty shape means [n].
GradientArray gradient_array(const std::vector<std::int64_t>& shape, std::size_t n);

/// Whether the difference is within the bound, or both are NaN, or the same infinity.
bool is_near(double got, double expected, double bound);

}  // namespace assay::validation
