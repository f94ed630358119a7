#include "validation/core/followed_run.h"

#include "metal/emulator/emulator_device.h"
#include "metal/emulator/numerics/algebra.h"

namespace assay::validation {
namespace {

FollowedRun* living = nullptr;

metal::emulator::Algebra* algebra_of(metal::Device& device) {
  auto* const emulated = dynamic_cast<metal::emulator::EmulatorDevice*>(&device);
  return emulated != nullptr ? emulated->algebra() : nullptr;
}

}  // namespace

FollowedRun::FollowedRun() {
  living = this;
  reference::chain_in_use = 0;
}

FollowedRun::~FollowedRun() {
  living = nullptr;
  reference::chain_in_use = 0;
}

FollowedRun* FollowedRun::current() {
  return living;
}

reference::Residue FollowedRun::residue_at(const void* address, double value) const {
  for (const auto& device : devices_)
    if (auto* const algebra = algebra_of(*device); algebra != nullptr && algebra->is_copied(address))
      return algebra->residue_at(address, value);
  return reference::Residue::unknown(reference::Residue::Reason::left_the_algebra);
}

void FollowedRun::begin_again() {
  results_.clear();
  for (const auto& device : devices_)
    if (auto* const algebra = algebra_of(*device)) algebra->clear();
}

}  // namespace assay::validation
