// A matrix to show as a heat map, for example of the errors in a case.
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
  /// How many rows and columns of the matrix a cell covers; the cell shows the largest of the covered values.
  std::int64_t pooled_rows = 1;
  std::int64_t pooled_columns = 1;

  bool operator==(const Picture&) const = default;
};

/// The picture of value(row, column) >= 0. A matrix larger than a screen is pooled.
Picture picture_of(const std::string& title, const std::string& row_label, const std::string& column_label,
                   std::int64_t rows, std::int64_t columns,
                   const std::function<double(std::int64_t row, std::int64_t column)>& value);

/// error / bound: 0 if both are 0, infinite if only the bound is 0, and NaN if the error is NaN.
double share_of_bound(double error, double bound);

}  // namespace assay::validation
