#include "validation/core/picture.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace assay::validation {
namespace {

constexpr std::int64_t max_rows = 96;
constexpr std::int64_t max_columns = 192;

std::int64_t divided_up(std::int64_t count, std::int64_t by) {
  return (count + by - 1) / by;
}

double rounded(double value) {
  if (!std::isfinite(value) || value == 0) return value;
  const double unit = std::pow(10.0, std::floor(std::log10(std::abs(value))) - 3);
  return unit > 0 && std::isfinite(unit) ? std::round(value / unit) * unit : value;
}

/// The larger of two numbers; NaN counts as larger than any number.
double larger(double a, double b) {
  return std::isnan(a) || a > b ? a : b;
}

}  // namespace

Picture picture_of(const std::string& title, const std::string& row_label, const std::string& column_label,
                   std::int64_t rows, std::int64_t columns,
                   const std::function<double(std::int64_t, std::int64_t)>& value) {
  Picture picture{title, row_label, column_label, rows, columns, {}, 1, 1};
  picture.pooled_rows = std::max<std::int64_t>(1, divided_up(rows, max_rows));
  picture.pooled_columns = std::max<std::int64_t>(1, divided_up(columns, max_columns));
  picture.rows = divided_up(rows, picture.pooled_rows);
  picture.columns = divided_up(columns, picture.pooled_columns);
  picture.values.assign(static_cast<std::size_t>(picture.rows * picture.columns), 0);
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      const auto cell = i / picture.pooled_rows * picture.columns + j / picture.pooled_columns;
      double& kept = picture.values[static_cast<std::size_t>(cell)];
      kept = larger(kept, value(i, j));
    }
  }
  for (double& kept : picture.values) kept = rounded(kept);
  return picture;
}

double share_of_bound(double error, double bound) {
  if (error == 0) return 0;
  return bound > 0 ? error / bound : error * std::numeric_limits<double>::infinity();
}

}  // namespace assay::validation
