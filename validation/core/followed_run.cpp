#include "validation/core/followed_run.h"

#include "validation/core/followed_results.h"

namespace assay::validation {
namespace {

FollowedRun* living = nullptr;

}  // namespace

FollowedRun::FollowedRun() {
  living = this;
}

FollowedRun::~FollowedRun() {
  living = nullptr;
  reference::chain_in_use = chain_before_;
}

FollowedRun* FollowedRun::current() {
  return living;
}

reference::Residue FollowedRun::residue_at(const void* address, double value) const {
  if (const auto found = given_.find(address); found != given_.end()) return found->second;
  for (const auto& memory : memories_)
    if (const auto residue = memory->residue_at(address, value)) return *residue;
  return reference::Residue::unknown(reference::Residue::Reason::left_the_algebra);
}

void follow_result(const char* name, std::span<const float> result) {
  if (living != nullptr) living->take(name, result);
}
void follow_result(const char* name, std::span<const double> result) {
  if (living != nullptr) living->take(name, result);
}
void follow_result(const char* name, std::span<const metal::Half> result) {
  if (living != nullptr) living->take(name, result);
}
void follow_result(const char* name, std::span<const metal::BFloat16> result) {
  if (living != nullptr) living->take(name, result);
}

void follow_copy(const void* to, const void* from) {
  if (living != nullptr) living->did_copy(to, from);
}

void FollowedRun::begin_again() {
  results_.clear();
  given_.clear();
  for (const auto& memory : memories_) memory->clear();
}

}  // namespace assay::validation
