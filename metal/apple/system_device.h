// The device layer on Apple's Metal. The one header of this backend that its users include; macOS only.
//
// What Metal does not tell, this backend cannot: of a kernel's arguments the address space, whether one is a pointer or
// a reference, and positions ([[thread_position_in_grid]] and its like) are not reflected. Nothing here checks a
// kernel's accesses: the emulator does.
#pragma once

#include <memory>

#include "metal/device/device.h"

namespace assay::metal::apple {

/// The system's default GPU, or the first there is for programs that have no default. Shaders are compiled without fast
/// maths, for they meet infinities. Errors: environment, where there is none or it has no non-uniform threadgroups.
Result<std::shared_ptr<Device>> system_default_device();

}  // namespace assay::metal::apple
