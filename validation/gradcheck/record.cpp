#include "validation/gradcheck/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "validation/core/json_text.h"
#include "validation/core/number.h"
#include "validation/core/terminal.h"

namespace assay::validation {
namespace {

using nlohmann::ordered_json;

ordered_json number(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

ordered_json of(const GradcheckElement& element) {
  return {{"place", element.place},
          {"exact", element.exact},
          {"expected", number(element.expected)},
          {"expected_hex", hexadecimal(element.expected)},
          {"got", number(element.got)},
          {"got_hex", hexadecimal(element.got)},
          {"error", number(element.error)},
          {"bound", number(element.bound)},
          {"share", number(element.share)}};
}

/// The text in lines of at most `width` columns, broken at spaces; a longer word gets a separate line.
std::string wrapped(const std::string& text, const std::string& first, const std::string& indent) {
  constexpr std::size_t width = 100;
  std::string result, line = first;
  std::size_t from = 0;
  while (from < text.size()) {
    const std::size_t to = std::min(text.find(' ', from), text.size());
    const std::string word = text.substr(from, to - from);
    const bool starts = line.size() == (result.empty() ? first : indent).size();
    if (!starts && line.size() + 1 + word.size() > width) {
      result += line + "\n";
      line = indent + word;
    } else {
      line += (starts ? "" : " ") + word;
    }
    from = to + 1;
  }
  return result + line + "\n";
}

/// Each line of the text, indented.
std::string paragraph(const std::string& text, const std::string& indent) {
  std::string result;
  std::size_t from = 0;
  while (from <= text.size()) {
    const std::size_t to = std::min(text.find('\n', from), text.size());
    result += wrapped(text.substr(from, to - from), indent, indent);
    from = to + 1;
  }
  return result;
}

std::string heading(const GradcheckRecord& record, bool colour) {
  const char* const gap = record.verdict == Verdict::mistrusted ? " " : "";  // the longest name fills its column
  std::string text = fmt::format("  {}{}", painted_name(record.verdict, colour), gap);
  if (record.elements == 0) return text + "nothing was judged\n";
  text += record.wrong > 0
              ? fmt::format("{} of {} elements beyond their bounds", record.wrong, record.elements)
              : fmt::format("{} within {}",
                            record.elements == 1 ? "1 element" : fmt::format("{} elements", record.elements),
                            record.elements == 1 ? "its bound" : "their bounds");
  if (record.cases > 1)
    text += record.wrong_cases > 0 ? fmt::format("; {} of {} cases are wrong", record.wrong_cases, record.cases)
                                   : fmt::format(", of {} cases", record.cases);
  text += "\n";
  const std::string margin(12, ' ');
  if (record.worst.share != 0)
    text +=
        wrapped(fmt::format("worst: {:.4g} of the bound, {}", record.worst.share, record.worst.place), margin, margin);
  return text;
}

/// A float32 number in the shortest digits of float32, other numbers in those of double.
std::string shown(double value) {
  const auto narrow = static_cast<float>(value);
  return double{narrow} == value ? show(narrow) : show(value);
}

std::string text_of(const GradcheckElement& element) {
  return fmt::format(
      "    {:<40} error {:.3g} = {:.3g} x the bound {:.3g}\n      exact    {}\n      expected {}\n"
      "      got      {}\n",
      element.place, element.error, element.share, element.bound, element.exact, shown(element.expected),
      shown(element.got));
}

}  // namespace

std::string to_json(const GradcheckRecord& record) {
  ordered_json elements = ordered_json::array();
  for (const auto& element : record.worst_elements) elements.push_back(of(element));
  const ordered_json all = {{"subject", record.subject},
                            {"verdict", name_of(record.verdict)},
                            {"cases", record.cases},
                            {"wrong_cases", record.wrong_cases},
                            {"elements", record.elements},
                            {"wrong", record.wrong},
                            {"worst_share", number(record.worst.share)},
                            {"worst_place", record.worst.place},
                            {"origin", record.origin},
                            {"worst_elements", elements},
                            {"patterns", record.patterns},
                            {"variable", record.variable},
                            {"explanation", record.explanation},
                            {"notes", record.notes},
                            {"reproducer", record.reproducer}};
  return json_text(all, 2) + "\n";
}

std::string to_text(const GradcheckRecord& record, bool colour) {
  std::string text = heading(record, colour);
  if (!record.explanation.empty()) text += paragraph(record.explanation, "  ");
  if (!record.variable.empty() || !record.patterns.empty()) text += "\n  what the wrong elements have in common\n";
  if (!record.variable.empty())
    text += wrapped(paint(record.variable, fmt::emphasis::bold, colour), "    - ", "      ");
  for (const auto& pattern : record.patterns) text += wrapped(pattern, "    - ", "      ");
  if (!record.worst_elements.empty())
    text += "\n" + wrapped("the worst elements" + (record.origin.empty() ? "" : " of " + record.origin), "  ", "    ");
  for (const auto& element : record.worst_elements) text += text_of(element);
  if (!record.notes.empty()) text += "\n";
  for (const auto& note : record.notes) text += wrapped(note, "  note: ", "    ");
  if (!record.reproducer.empty()) text += fmt::format("\n  reproduce with\n    {}\n", record.reproducer);
  return text;
}

}  // namespace assay::validation
