// A matrix to be looked at as a heat map: where in a case an error lies.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace assay::validation {

struct Picture {
  std::string title;
  std::string row_label;
  std::string column_label;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<double> values;  ///< [rows, columns], to four digits
  /// How many rows and columns of the matrix a cell stands for: it shows the largest of their values.
  std::int64_t pooled_rows = 1;
  std::int64_t pooled_columns = 1;

  bool operator==(const Picture&) const = default;
};

/// The picture of value(row, column), none of which is negative; what is larger than a screen is pooled.
Picture picture_of(const std::string& title, const std::string& row_label, const std::string& column_label,
                   std::int64_t rows, std::int64_t columns,
                   const std::function<double(std::int64_t row, std::int64_t column)>& value);

/// The error of an element as a share of its bound: 0 where both are 0, infinite where the bound alone is, and NaN
/// where the error is.
double share_of_bound(double error, double bound);

}  // namespace assay::validation
