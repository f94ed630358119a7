#include "validation/core/followed_run.h"

namespace assay::validation {

reference::Residue FollowedRun::residue_at(const void* address, double value) const {
  if (const auto found = given_.find(address); found != given_.end()) return found->second;
  for (const auto& memory : memories_)
    if (const auto residue = memory->residue_at(address, value)) return *residue;
  return reference::Residue::unknown(reference::Residue::Reason::left_the_algebra);
}

void FollowedRun::begin_again() {
  given_.clear();
  for (const auto& memory : memories_) memory->clear();
}

}  // namespace assay::validation
