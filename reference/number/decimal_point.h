// The decimal point of numbers that the C library or MPFR has printed, which is that of the process's locale.
#pragma once

#include <clocale>
#include <string>

namespace assay::reference {

/// A printed number with '.' in the place of the locale's decimal point.
inline std::string with_point(std::string number) {
  const std::string point = std::localeconv()->decimal_point;  // NOLINT(concurrency-mt-unsafe): nobody changes it
  const auto at = number.find(point);
  return at == std::string::npos ? number : number.replace(at, point.size(), ".");
}

}  // namespace assay::reference
