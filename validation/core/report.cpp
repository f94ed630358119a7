#include "validation/core/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <filesystem>
#include <stdexcept>
#include <string_view>

#include "validation/core/terminal.h"

namespace assay::validation {
namespace {

constexpr std::string_view quoted_quote = R"('\'')";  ///< within single quotes, as a shell reads it

std::string share_text(const PropertySummary& report) {
  const double percent = 100 * report.worst.share;
  if (percent == 0) return "-";
  if (!std::isfinite(percent)) return fmt::format("{}", percent);
  if (percent < 1e4) return fmt::format("{:.1f} %", percent);
  return report.worst.share < 999'999 ? fmt::format("{:.0f} x", report.worst.share) : "> 10^6 x";
}

}  // namespace

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

std::string table_heading() {
  return fmt::format("  {:<18}{:<10}{:>6}  {:>8}  {}", "property", "verdict", "cases", "of bound", "claim");
}

std::string table_row(const PropertySummary& report, bool colour) {
  return fmt::format("  {:<18}{}{:>6}  {:>8}  {}", report.property, painted_name(report.verdict, colour),
                     report.cases - report.skipped_cases(), share_text(report), report.claim);
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

std::string errors_text(const Margin& first, const Margin& shrunk) {
  const bool same = first.error == shrunk.error || (std::isnan(first.error) && std::isnan(shrunk.error));
  if (first.share == 0 || same) return "";
  const auto line = [](const char* when, const Margin& margin) {
    const std::string share = std::isfinite(margin.share) ? fmt::format(", {:.3g} of the bound", margin.share) : "";
    return fmt::format("  {:<14}error {:.3g}{}, at {}\n", when, margin.error, share, margin.place);
  };
  return line("as first met", first) + (shrunk.share == 0 ? "" : line("as shrunk", shrunk));
}

std::string words_of_replay_line(const std::string& line) {
  const std::string begin = "./assay replay '";
  if (!line.starts_with(begin) || !line.ends_with('\'') || line.size() <= begin.size())
    throw std::invalid_argument(fmt::format("'{}': expected ./assay replay '...'", line));
  std::string words = line.substr(begin.size(), line.size() - 1 - begin.size());
  for (auto at = words.find(quoted_quote); at != std::string::npos; at = words.find(quoted_quote, at + 1))
    words.replace(at, quoted_quote.size(), "'");
  return words;
}

std::vector<std::string> parts_of(const std::string& words) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (auto end = words.find(then); end != std::string::npos; end = words.find(then, begin)) {
    parts.push_back(words.substr(begin, end - begin));
    begin = end + then.size();
  }
  parts.push_back(words.substr(begin));
  return parts;
}

namespace detail {

std::string replay_line(const std::string& words) {
  std::string quoted;
  for (const char c : words) quoted += c == '\'' ? std::string(quoted_quote) : std::string(1, c);
  return fmt::format("./assay replay '{}'", quoted);
}

std::filesystem::path failure_file(const std::string& property, const std::string& line) {
  const std::filesystem::path folder = "assay-failures";
  std::filesystem::create_directories(folder);
  return folder / fmt::format("{}-{:08x}.npz", property, std::hash<std::string>{}(line) & 0xFFFFFFFFU);
}

}  // namespace detail

namespace {

template <class Text>
std::string line_of(const std::string& words, const Sequence& cases, const Text& text_of) {
  std::string line = words;
  for (std::size_t i = 0, times = 1; i < cases.size(); i += times) {
    const std::string text = text_of(cases[i]);
    const auto is_same = [&](const AnyCase& c) { return c == cases[i] || text_of(c) == text; };
    for (times = 1; i + times < cases.size() && is_same(cases[i + times]);) ++times;
    line += (i > 0 ? std::string(then) : "") + (times > 1 ? fmt::format("times={} ", times) : "") + text;
  }
  return line;
}

}  // namespace

std::string reproducer(const GateSubject& subject, std::size_t property, const Sequence& cases) {
  const std::string words = subject.words_of(property);
  std::string line = line_of(words, cases, [&](const AnyCase& c) { return subject.to_text(c); });
  constexpr std::size_t longest_line = 2000;
  if (line.size() > longest_line)
    line = line_of(words, cases, [&](const AnyCase& c) { return subject.to_short_text(property, c); });
  return subject.replay_line(line);
}

std::string reproducer(const GateSubject& subject, std::size_t property, const Failure& failure) {
  return reproducer(subject, property, failure.sequence.empty() ? Sequence{failure.problem} : failure.sequence);
}

}  // namespace assay::validation
