#include "validation/core/refusal.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::validation {

namespace {

bool names_one_of(std::string_view message, std::string_view names) {
  for (auto bar = names.find('|'); bar != names.npos; names.remove_prefix(bar + 1), bar = names.find('|'))
    if (message.find(names.substr(0, bar)) != message.npos) return true;
  return message.find(names) != message.npos;
}

std::string with_or(std::string names) {
  for (std::size_t bar = names.find('|'); bar != names.npos; bar = names.find('|')) names.replace(bar, 1, "' or '");
  return names;
}

}  // namespace

Finding judge_refusal(const BasicRun& run, const std::string& what, std::string_view named) {
  if (!run.refused) return Finding::error(fmt::format("  {}: expected a refusal, got results", what));
  if (!run.out_of_bounds_writes.empty())
    return Finding::fail(fmt::format("  {}: {}", what, run.out_of_bounds_writes[0]));
  if (!names_one_of(run.message, named))
    return Finding::error(
        fmt::format("  {}: the refusal does not name '{}': {}", what, with_or(std::string(named)), run.message));
  return Finding::pass();
}

void add_refusal(Finding& all, const Finding& next) {
  if (!is_failure(next.verdict)) return;
  all.verdict = std::max(all.verdict, next.verdict);
  all.explanation += (all.explanation.empty() ? "" : "\n") + next.explanation;
}

}  // namespace assay::validation
