// What a compiled shader would do on the host and no shader of Metal can: call functions of the system's libraries, or
// run code when it is loaded. This finds mistakes and plain attacks; it is no sandbox, since a shader is machine code
// of this process.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "metal/device/result.h"
#include "metal/emulator/compile/clang.h"
#include "metal/emulator/compile/flags.h"

namespace assay::metal::emulator {

/// Whether what clang made of a text, bitcode or an object, has code that is run when it is loaded.
bool runs_when_loaded(std::string_view compiled);

/// Why such a text is refused: with the places of the variables. `input` is the first step's. Kind: compile.
Error error_of_loading(const Clang& clang, const CompilingStep& first, const std::filesystem::path& input,
                       std::string_view text);

/// Refuses a library that calls functions which are neither the shader's own nor those that a compiled shader of Metal
/// needs, with the last place in its translated text that names it. Errors: compile.
Result<void> refuse_host_calls(std::string_view library, std::string_view text);

}  // namespace assay::metal::emulator
