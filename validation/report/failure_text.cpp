#include "validation/report/failure_text.h"

#include <fmt/color.h>
#include <fmt/format.h>

#include "validation/core/report.h"
#include "validation/core/terminal.h"

namespace assay::validation {

std::string failure_text(const PropertyRecord& property, bool colour) {
  if (!property.failure) return "";
  const FailureRecord& failure = *property.failure;
  const auto heading =
      fmt::format("{} {} ({}): {}", name_of(property.verdict), property.property, failure.origin, property.claim);
  const std::string& why = failure.why.text;
  return fmt::format("\n{}\n{}{}\n{}  reproduce with\n    {}\n{}",
                     paint(heading, fmt::fg(fmt::terminal_color::red) | fmt::emphasis::bold, colour),
                     errors_text(failure.first_margin, failure.margin), failure.explanation,
                     why.empty() ? "" : fmt::format("  why, each operation followed\n{}", why), failure.reproducer,
                     failure.usual_cause.empty() ? "" : fmt::format("  usual cause\n    {}\n", failure.usual_cause));
}

}  // namespace assay::validation
