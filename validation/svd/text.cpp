#include "validation/svd/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <stdexcept>

namespace assay::validation {

std::string to_text(const SvdCase& c) {
  return fmt::format("B={} M={} N={} dtype={} A={}", c.B, c.M, c.N, name_of(c.dtype), fmt::join(c.A, ","));
}

SvdCase svd_from_words(const Words& words) {
  static const Words known = parse_words(to_text(SvdCase{}));
  require_known(words, known);
  SvdCase c;
  c.B = parse_word<std::int64_t>(words, "B");
  c.M = parse_word<std::int64_t>(words, "M");
  c.N = parse_word<std::int64_t>(words, "N");
  c.dtype = parse_enum<Dtype>(words, "dtype", dtype_names());
  c.A = parse_list<double>(words, "A");
  for (const double value : c.A)
    if (!std::isnan(value) && rounded_to<double>(c.dtype, value) != value)
      throw std::invalid_argument(fmt::format("A: {} is not a number of {}", value, name_of(c.dtype)));
  return c;
}

}  // namespace assay::validation
