#include "validation/core/size_pattern.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <vector>

#include "validation/core/call_time.h"

namespace assay::validation {
namespace {

constexpr std::int64_t first_size = 9, last_size = 130;  // needle cases of built-in operations begin at 9
constexpr double seconds_for_all = 4;                    // of which an idle machine needs one

/// "1 to 32", "64": the runs of sizes that fail, or that pass.
std::vector<std::string> runs_of(const std::map<std::int64_t, bool>& fails, bool which) {
  std::vector<std::string> runs;
  for (auto first = fails.begin(); first != fails.end();) {
    auto end = std::next(first);
    while (end != fails.end() && end->second == first->second) ++end;
    const std::int64_t last = std::prev(end)->first;
    if (first->second == which)
      runs.push_back(first->first == last ? fmt::format("{}", last) : fmt::format("{} to {}", first->first, last));
    first = end;
  }
  return runs;
}

/// The k, at least 2, of whose multiples all fail or all pass, while all other sizes do the opposite; 0 if there is none.
std::int64_t common_divisor(const std::map<std::int64_t, bool>& fails, bool multiples_fail) {
  for (std::int64_t k = 2; k <= last_size / 2; ++k)
    if (std::ranges::all_of(fails,
                            [&](const auto& one) { return one.second == ((one.first % k == 0) == multiples_fail); }))
      return k;
  return 0;
}

/// Whether the property fails on a needle case of this size; none where it is skipped on all.
std::optional<bool> fails_at(const GateSubject& subject, std::size_t property, const std::string& extent,
                             std::int64_t size, std::uint64_t seed) {
  std::optional<bool> fails;
  for (const GivenCase& one : subject.needles(property, extent, size, seed)) {
    const Verdict verdict = subject.judge(property, one.problem).verdict;
    if (is_failure(verdict)) return true;
    if (verdict != Verdict::skipped) fails = false;
  }
  return fails;
}

}  // namespace

std::string pattern_of(const std::map<std::int64_t, bool>& fails) {
  const auto failing = runs_of(fails, true), passing = runs_of(fails, false);
  if (failing.empty() || passing.empty()) return "";
  if (const std::int64_t k = common_divisor(fails, false))
    return fmt::format("passes at multiples of {}; fails elsewhere", k);
  if (const std::int64_t k = common_divisor(fails, true))
    return fmt::format("fails at multiples of {}; passes elsewhere", k);
  constexpr std::size_t most = 6;
  if (std::min(failing.size(), passing.size()) > most)
    return fmt::format("fails at {} of {} sizes",
                       std::ranges::count_if(fails, [](const auto& one) { return one.second; }), fails.size());
  if (passing.size() <= failing.size()) return fmt::format("passes at {}; fails elsewhere", fmt::join(passing, ", "));
  return fmt::format("fails at {}; passes elsewhere", fmt::join(failing, ", "));
}

std::string size_patterns(const GateSubject& subject, std::size_t property, std::uint64_t seed, const Stop& stop) {
  std::string text;
  const auto start = std::chrono::steady_clock::now();
  const auto is_over = [&] { return seconds_since(start) > seconds_for_all || (stop && stop()); };
  for (const std::string& extent : subject.needle_extents()) {
    std::map<std::int64_t, bool> fails;
    const auto judge = [&](std::int64_t size) {
      if (fails.contains(size)) return;
      if (const auto found = is_over() ? std::nullopt : fails_at(subject, property, extent, size, seed))
        fails[size] = *found;
    };
    try {
      for (const std::int64_t size :
           {first_size, std::int64_t{16}, std::int64_t{64}, std::int64_t{96}, std::int64_t{128}})
        judge(size);
      if (pattern_of(fails).empty()) continue;  // most faults fail everywhere
      for (std::int64_t size = first_size; size <= last_size; ++size) judge(size);
    } catch (const std::exception&) {  // there is no such case
      continue;
    }
    if (is_over()) break;
    text += fmt::format("\n  sizes {} to {} of {}, where the others are small: {}", first_size, last_size, extent,
                        pattern_of(fails));
  }
  return text;
}

}  // namespace assay::validation
