#include <set>

#include "metal/emulator/translate/passes.h"
#include "metal/emulator/translate/reachable.h"

namespace assay::metal::emulator {

std::vector<std::set<std::size_t>> needed_constants(const Source& source, const Declarations& declarations,
                                                    const Kernels& kernels,
                                                    const std::vector<ProgramConstant>& constants) {
  std::vector<std::set<std::size_t>> needed(kernels.definitions.size());
  if (constants.empty()) return needed;
  const Reachable reachable(source, declarations);
  for (std::size_t kernel = 0; kernel < needed.size(); ++kernel) {
    const auto reached = reachable.from({kernels.definitions[kernel].declaration}).names;
    for (std::size_t n = 0; n < constants.size(); ++n)
      if (!constants[n].is_computed && !constants[n].is_optional && reached.contains(constants[n].name))
        needed[kernel].insert(n);
  }
  return needed;
}

}  // namespace assay::metal::emulator
