// How far a dispatch has come.
#pragma once

#include <cstdint>

namespace assay::metal::emulator {

struct DispatchProgress {
  std::uint64_t ended = 0, groups = 0;  ///< threadgroups that have ended, and all that run
};

}  // namespace assay::metal::emulator
