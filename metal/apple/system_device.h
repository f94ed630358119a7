// The device layer on Apple's Metal. The one header of this backend that its users include; macOS only.
//
// Metal does not reflect everything about a kernel's arguments, and so this backend cannot tell their address space,
// whether they are pointers or references, and which are positions ([[thread_position_in_grid]] and the like). Nothing
// here checks a kernel's accesses; the emulator does.
#pragma once

#include <memory>

#include "metal/device/device.h"

namespace assay::metal::apple {

/// The system's default GPU, or the first GPU for programs that have no default. Shaders are compiled without fast
/// maths, because they compute with infinities. Errors: environment, if there is no GPU or it has no non-uniform
/// threadgroups.
Result<std::shared_ptr<Device>> system_default_device();

}  // namespace assay::metal::apple
