#include "validation/shader/suppressions.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <stdexcept>

#include "validation/core/parse.h"
#include "validation/shader/allow.h"

namespace assay::validation {

namespace {

/// Whether the last components of `path` are those of `end`.
bool ends_with(const std::filesystem::path& path, const std::filesystem::path& end) {
  const std::vector<std::filesystem::path> all(path.begin(), path.end()), last(end.begin(), end.end());
  return all.size() >= last.size() && std::equal(last.rbegin(), last.rend(), all.rbegin());
}

}  // namespace

Suppressions::Suppressions(const std::filesystem::path& path) {
  static const std::regex form("([a-z]+) +(.*?[^ ]):([0-9]+) +- +(.*[^ \t].*)"), nothing("[ \t]*(#.*)?");
  std::ifstream stream(path);
  if (!stream)
    throw std::invalid_argument(fmt::format("--suppress {}: expected a file that can be read", path.string()));
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    if (line.ends_with('\r')) line.pop_back();
    if (std::regex_match(line, nothing)) continue;
    std::smatch match;
    const bool has_form = std::regex_match(line, match, form) && can_be_allowed(match[1].str());
    const auto at = has_form ? parse_number<std::uint32_t>(match[3].str()) : std::nullopt;
    if (!at)
      throw std::invalid_argument(
          fmt::format("--suppress {}:{}: expected 'CHECK FILE:LINE - REASON', with {}, and not '{}'", path.string(),
                      number, allowable_checks, line));
    entries_.push_back({match[1].str(), std::filesystem::path(match[2].str()).lexically_normal(), *at, match[4].str()});
  }
}

std::optional<std::string> Suppressions::reason(const std::string& rule,
                                                const metal::emulator::SourcePosition& place) const {
  const std::filesystem::path file = std::filesystem::path(place.file).lexically_normal();
  const auto entry = std::ranges::find_if(entries_, [&](const Entry& one) {
    return one.rule == rule && one.line == place.line && ends_with(file, one.file);
  });
  return entry == entries_.end() ? std::nullopt : std::optional(entry->reason);
}

}  // namespace assay::validation
