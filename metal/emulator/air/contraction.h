// Products and sums that Apple's compiler permits to fuse: `llvm.fmuladd`, which it writes for a * b + c in a source.
#pragma once

#include <string>
#include <string_view>

namespace assay::metal::emulator::air {

/// The module with a product and a sum in the place of each, both rounded. Clang would fuse them where the processor can,
/// whatever its flags say.
std::string unfused(std::string_view module);

}  // namespace assay::metal::emulator::air
