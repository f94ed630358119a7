#include "validation/ctc/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace assay::validation {
namespace {

const std::vector<std::string> input_names = {"logits", "log_probs"};
const std::vector<std::string> layout_names = {"padded", "concatenated"};
const std::vector<std::string> flag_names = {"0", "1"};

}  // namespace

std::string to_text(const CtcCase& c) {
  return fmt::format(
      "T={} B={} C={} S={} blank={} input={} variable={} layout={} reduction={} zero_infinity={} input_lengths={} "
      "target_lengths={} targets={} upstream={} activations={}",
      c.T, c.B, c.C, c.S, c.blank, enum_name(c.input, input_names), enum_name(c.variable, input_names),
      enum_name(c.layout, layout_names), enum_name(c.reduction, reduction_names()), c.zero_infinity ? 1 : 0,
      fmt::join(c.input_lengths, ","), fmt::join(c.target_lengths, ","), fmt::join(c.targets, ","),
      fmt::join(c.upstream, ","), fmt::join(c.activations, ","));
}

CtcCase ctc_from_words(const Words& words) {
  static const Words known = parse_words(to_text(CtcCase{}));
  require_known(words, known);
  CtcCase c;
  c.T = parse_word<std::int64_t>(words, "T");
  c.B = parse_word<std::int64_t>(words, "B");
  c.C = parse_word<std::int64_t>(words, "C");
  c.S = parse_word<std::int64_t>(words, "S");
  c.blank = parse_word<std::int64_t>(words, "blank");
  c.input = parse_enum<CtcInput>(words, "input", input_names);
  c.variable = parse_enum<CtcVariable>(words, "variable", input_names);
  c.layout = parse_enum<CtcTargets>(words, "layout", layout_names);
  c.reduction = parse_enum<Reduction>(words, "reduction", reduction_names());
  c.zero_infinity = parse_enum<int>(words, "zero_infinity", flag_names) == 1;
  c.input_lengths = parse_list<std::int64_t>(words, "input_lengths");
  c.target_lengths = parse_list<std::int64_t>(words, "target_lengths");
  c.targets = parse_list<std::int64_t>(words, "targets");
  c.upstream = parse_list<float>(words, "upstream");
  c.activations = parse_list<float>(words, "activations");
  return c;
}

}  // namespace assay::validation
