// The device layer on Apple's Metal. The one header of this backend that its users include; macOS only.
//
// Metal does not reflect everything about a kernel's arguments, and so this backend cannot tell their address space,
// whether they are pointers or references, and which are positions ([[thread_position_in_grid]] and the like). Nothing
// here checks a kernel's accesses; the emulator does.
#pragma once

#include <memory>

#include "metal/device/device.h"
#include "metal/device/shader_language.h"

namespace assay::metal::apple {

/// The system's default GPU, or the first GPU for programs that have no default. It compiles shaders with these macros
/// and folders, and with the newest version of Metal's language that the system has. Shaders are compiled without fast
/// maths, because they compute with infinities. Errors: environment, if there is no GPU or it has no non-uniform
/// threadgroups.
Result<std::shared_ptr<Device>> system_default_device(const ShaderLanguage& language = {});

}  // namespace assay::metal::apple
