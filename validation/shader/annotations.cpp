#include "validation/shader/annotations.h"

#include <fmt/format.h>

#include <string_view>

#include "validation/core/printable.h"

namespace assay::validation {

namespace {

/// The text, printable, with each letter of `special` as %XX.
std::string escaped(std::string_view text, std::string_view special) {
  std::string result;
  for (const char letter : printable(text))
    result += special.find(letter) == std::string_view::npos
                  ? std::string(1, letter)
                  : fmt::format("%{:02X}", static_cast<unsigned char>(letter));
  return result;
}

std::string annotation(const ShaderFinding& finding) {
  constexpr std::string_view in_property = "%\r\n:,", in_message = "%\r\n";
  std::string place = "file=" + escaped(path_in_folder(finding.position.file), in_property);
  if (finding.position.line > 0) place += fmt::format(",line={}", finding.position.line);
  if (finding.position.line > 0 && finding.position.column > 0)
    place += fmt::format(",col={}", finding.position.column);
  std::string message = fmt::format("{}. To mend it, {}.", finding.message, finding.advice);
  if (!finding.other_message.empty())
    message += fmt::format("\n{} at {}", finding.other_message, to_string(finding.other));
  return fmt::format("::{} {},title={}::{}\n", finding.is_warning ? "warning" : "error", place,
                     escaped(finding.rule, in_property), escaped(message, in_message));
}

}  // namespace

std::string to_annotations(const std::vector<ShaderFinding>& findings) {
  std::string text;
  for (const ShaderFinding& finding : findings)
    if (!finding.reason) text += annotation(finding);
  return text;
}

}  // namespace assay::validation
