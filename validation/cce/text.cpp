#include "validation/cce/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "validation/cce/names.h"

namespace assay::validation {
namespace {

std::vector<float> elements(const Words& words, const std::string& key, Dtype dtype) {
  auto values = parse_list<float>(words, key);
  for (const float value : values)
    if (!std::isnan(value) && rounded_to(dtype, value) != value)
      throw std::invalid_argument(fmt::format("{}: {} is not a number of {}", key, value, name_of(dtype)));
  return values;
}

}  // namespace

std::string to_text(const CceCase& c) {
  return fmt::format(
      "N={} H={} V={} dtype={} ignore_index={} logit_softcap={} label_smoothing={} z_loss={} reduction={} targets={} "
      "upstream={} hidden={} weight={} bias={}",
      c.N, c.H, c.V, name_of(c.dtype), c.ignore_index, c.logit_softcap, c.label_smoothing, c.z_loss,
      enum_name(c.reduction, reduction_names()), fmt::join(c.targets, ","), fmt::join(c.upstream, ","),
      fmt::join(c.hidden, ","), fmt::join(c.weight, ","), fmt::join(c.bias, ","));
}

CceCase cce_from_words(const Words& words) {
  static const Words known = parse_words(to_text(CceCase{}));
  require_known(words, known);
  CceCase c;
  c.N = parse_word<std::int64_t>(words, "N");
  c.H = parse_word<std::int64_t>(words, "H");
  c.V = parse_word<std::int64_t>(words, "V");
  c.dtype = parse_enum<Dtype>(words, "dtype", cce_dtype_names());
  c.ignore_index = parse_word<std::int64_t>(words, "ignore_index");
  c.logit_softcap = parse_word<double>(words, "logit_softcap");
  c.label_smoothing = parse_word<double>(words, "label_smoothing");
  c.z_loss = parse_word<double>(words, "z_loss");
  c.reduction = parse_enum<Reduction>(words, "reduction", reduction_names());
  c.targets = parse_list<std::int64_t>(words, "targets");
  c.upstream = parse_list<float>(words, "upstream");
  c.hidden = elements(words, "hidden", c.dtype);
  c.weight = elements(words, "weight", c.dtype);
  c.bias = elements(words, "bias", c.dtype);
  return c;
}

}  // namespace assay::validation
