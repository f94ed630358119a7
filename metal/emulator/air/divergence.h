// For NVIDIA GPUs: in which blocks of a compiled kernel the lanes of a simdgroup may have parted.
//
// A value varies if it comes from the thread's own position, from memory of the thread's own or at an address that
// varies, or from a block in which lanes have parted. Lanes part at a branch whose condition varies, and are together
// again at the block that all ways from there lead through: its immediate post-dominator. A function's lanes have
// parted where those of one of its calls have. The kernel's early return does not count, as in
// translate/divergence.h: the lanes that are left take part.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "metal/emulator/air/metadata.h"

namespace assay::metal::emulator::air {

class Divergence {
 public:
  /// The module's text must live only as long as the constructor runs.
  Divergence(std::string_view module, const KernelMetadata& kernel);

  /// Blocks by their labels; the first block of a function has the empty one.
  bool have_parted(std::string_view function, std::string_view block) const {
    return parted_.contains({std::string(function), std::string(block)});
  }

 private:
  std::set<std::pair<std::string, std::string>> parted_;
};

}  // namespace assay::metal::emulator::air
