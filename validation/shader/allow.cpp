#include "validation/shader/allow.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "metal/device/line_scanner.h"
#include "metal/device/read_file.h"

namespace assay::validation {

namespace {

constexpr std::array<std::string_view, 9> rules = {"memcheck", "initcheck", "racecheck",  "synccheck", "simdcheck",
                                                   "intcheck", "numcheck",  "schedcheck", "lint"};

struct Comment {
  std::string rule, reason;
  bool is_alone = false;  ///< no code is on the line of the comment
};

/// Reads " allow CHECK - REASON"; nothing if the rest of the line is not of this form.
std::optional<Comment> allowed_by(metal::LineScanner scanner) {
  if (!scanner.take(" allow ")) return std::nullopt;
  const std::string_view rule = scanner.take_while([](char letter) { return letter >= 'a' && letter <= 'z'; });
  if (!scanner.take(" - ") || metal::is_blank(scanner.rest()) || !can_be_allowed(rule)) return std::nullopt;
  return Comment{std::string(rule), std::string(scanner.rest()), false};
}

/// The comment of a line, if it has one. `place` is for the error.
std::optional<Comment> comment_in(std::string_view line, const std::string& place) {
  bool has_begin = false;
  for (std::size_t at = line.find("//"); at != std::string_view::npos; at = line.find("//", at + 1)) {
    metal::LineScanner scanner(line.substr(at + 2));
    scanner.take_blanks();
    if (!scanner.take("assay:")) continue;
    has_begin = true;
    auto comment = allowed_by(scanner);
    if (!comment) continue;
    comment->is_alone = metal::is_blank(line.substr(0, at));
    return comment;
  }
  if (!has_begin) return std::nullopt;
  throw std::invalid_argument(
      fmt::format("{}: expected '// assay: allow CHECK - REASON', with {}", place, allowable_checks));
}

}  // namespace

bool can_be_allowed(std::string_view rule) {
  return std::ranges::find(rules, rule) != rules.end();
}

std::optional<Allowance> Allowances::find(const std::string& rule,
                                          const std::vector<metal::emulator::SourcePosition>& places) {
  for (const auto& place : places) {
    if (const auto reason = suppressions_.reason(rule, place)) return Allowance{*reason, false};
    const Lines& lines = of_file(place.file);
    const auto line = lines.find(place.line);
    if (line == lines.end()) continue;
    if (const auto reason = line->second.find(rule); reason != line->second.end()) return Allowance{reason->second};
  }
  return std::nullopt;
}

const Allowances::Lines& Allowances::of_file(const std::string& file) {
  const auto [entry, is_new] = files_.try_emplace(file);
  if (!is_new) return entry->second;
  std::istringstream stream(metal::read_named_text(file).value_or(""));
  std::map<std::string, std::string> waiting;
  std::string line;
  for (std::uint32_t number = 1; std::getline(stream, line); ++number) {
    const auto comment = comment_in(metal::without_carriage_return(line), fmt::format("{}:{}", file, number));
    if (comment) waiting[comment->rule] = comment->reason;
    if (waiting.empty() || (comment && comment->is_alone)) continue;
    entry->second[number] = std::exchange(waiting, {});
  }
  return entry->second;
}

}  // namespace assay::validation
