// What a module of a compiled library is translated for.
#pragma once

namespace assay::metal::emulator::air {

enum class Target { emulator, nvidia };

}  // namespace assay::metal::emulator::air
