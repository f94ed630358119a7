#include "validation/ctc/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <filesystem>

#include "validation/core/terminal.h"
#include "validation/ctc/npz.h"
#include "validation/ctc/text.h"

namespace assay::validation {
namespace {

constexpr std::size_t longest_line = 2000;

std::string share_text(const CtcPropertyReport& report) {
  const double percent = 100 * report.worst.share;
  if (percent == 0) return "-";
  if (!std::isfinite(percent)) return fmt::format("{}", percent);
  return percent < 1e4 ? fmt::format("{:.1f} %", percent) : fmt::format("{:.0e} %", percent);
}

int skipped_cases(const CtcPropertyReport& report) {
  int total = 0;
  for (const auto& [reason, count] : report.skipped) total += count;
  return total;
}

std::string wrapped(const std::vector<std::string>& items, std::size_t width, const std::string& indent) {
  std::string text = indent;
  std::size_t column = indent.size();
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string item = items[i] + (i + 1 < items.size() ? "," : "");
    if (column + 1 + item.size() > width) {
      text += "\n" + indent;
      column = indent.size();
    } else if (i > 0) {
      text += " ";
      ++column;
    }
    text += item;
    column += item.size();
  }
  return text;
}

}  // namespace

std::string table_heading() {
  return fmt::format("  {:<18}{:<10}{:>6}  {:>8}  {}", "property", "verdict", "cases", "of bound", "claim");
}

std::string table_row(const CtcPropertyReport& report, bool colour) {
  return fmt::format("  {:<18}{}{:>6}  {:>8}  {}", report.property, painted_name(report.verdict, colour),
                     report.cases - skipped_cases(report), share_text(report), report.claim);
}

std::string reproducer(const std::string& property, const std::string& kernel, const CtcCase& c) {
  const std::string words = fmt::format("property={} kernel={} ", property, kernel);
  const std::string line = words + to_text(c);
  if (line.size() <= longest_line) return fmt::format("./assay replay '{}'", line);
  const std::filesystem::path folder = "assay-failures";
  std::filesystem::create_directories(folder);
  const auto path = folder / fmt::format("{}-{:08x}.npz", property, std::hash<std::string>{}(line) & 0xFFFFFFFFU);
  write_npz(path, c);
  return fmt::format("./assay replay '{}file={}'", words, path.string());
}

std::string failure_text(const CtcPropertyReport& report, const std::string& kernel, bool colour) {
  if (!report.failure) return "";
  const CtcFailure& failure = *report.failure;
  const auto heading =
      fmt::format("{} {} ({}): {}", name_of(report.verdict), report.property, failure.origin, report.claim);
  return fmt::format("{}\n{}\n  reproduce with\n    {}\n",
                     paint(heading, fmt::fg(fmt::terminal_color::red) | fmt::emphasis::bold, colour),
                     failure.explanation, reproducer(report.property, kernel, failure.problem));
}

std::string coverage_text(const Coverage& coverage) {
  std::vector<std::string> met;
  std::vector<std::string> missed;
  for (const auto& [name, count] : coverage.counts()) {
    if (count == 0) {
      missed.push_back(name);
    } else {
      met.push_back(fmt::format("{} {}", name, count));
    }
  }
  std::string text = "  generated cases with\n" + wrapped(met, 98, "    ");
  if (!missed.empty()) text += "\n  never met\n" + wrapped(missed, 98, "    ");
  return text;
}

}  // namespace assay::validation
