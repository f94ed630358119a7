#include "validation/shader/allow.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <regex>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace assay::validation {

namespace {

constexpr std::array<std::string_view, 9> rules = {"memcheck", "initcheck", "racecheck",  "synccheck", "simdcheck",
                                                   "intcheck", "numcheck",  "schedcheck", "lint"};

struct Comment {
  std::string rule, reason;
  bool is_alone = false;  ///< no code is on the line of the comment
};

/// The comment of a line, if it has one. `place` is for the error.
std::optional<Comment> comment_in(const std::string& line, const std::string& place) {
  static const std::regex begin("//[ \t]*assay:"), form("^(.*?)//[ \t]*assay: allow ([a-z]+) - (.*[^ \t].*)$");
  if (!std::regex_search(line, begin)) return std::nullopt;
  std::smatch match;
  if (!std::regex_match(line, match, form) || !can_be_allowed(match[2].str()))
    throw std::invalid_argument(
        fmt::format("{}: expected '// assay: allow CHECK - REASON', with {}", place, allowable_checks));
  return Comment{match[2].str(), match[3].str(), match[1].str().find_first_not_of(" \t") == std::string::npos};
}

}  // namespace

bool can_be_allowed(const std::string& rule) {
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
  std::ifstream stream(file);
  std::map<std::string, std::string> waiting;
  std::string line;
  for (std::uint32_t number = 1; std::getline(stream, line); ++number) {
    const auto comment = comment_in(line, fmt::format("{}:{}", file, number));
    if (comment) waiting[comment->rule] = comment->reason;
    if (waiting.empty() || (comment && comment->is_alone)) continue;
    entry->second[number] = std::exchange(waiting, {});
  }
  return entry->second;
}

}  // namespace assay::validation
