// What Metal tells of a kernel's arguments.
#pragma once

#include <vector>

#include "metal/apple/apple_objects.h"
#include "metal/device/function.h"

namespace assay::metal::apple {

/// Buffers and threadgroup memory, in Metal's order. Of a buffer's type the element is known and whether the kernel
/// may write it, but not its address space; a struct's type has no name.
std::vector<Argument> reflected_arguments(const MTL::ComputePipelineReflection& reflection);

}  // namespace assay::metal::apple
