#include "validation/core/refusal.h"

#include <fmt/format.h>

namespace assay::validation {

Finding judge_refusal(const BasicRun& run, const std::string& what, const std::string& named) {
  if (!run.refused) return Finding::error(fmt::format("  {}: expected a refusal, got results", what));
  if (!run.out_of_bounds_writes.empty())
    return Finding::fail(fmt::format("  {}: {}", what, run.out_of_bounds_writes[0]));
  if (run.message.find(named) == std::string::npos)
    return Finding::error(fmt::format("  {}: the refusal does not name '{}': {}", what, named, run.message));
  return Finding::pass();
}

}  // namespace assay::validation
