// The arguments of a kernel, as Metal reflects them.
#pragma once

#include <vector>

#include "metal/apple/apple_objects.h"
#include "metal/device/function.h"

namespace assay::metal::apple {

/// Buffers and threadgroup memory, in Metal's order. Metal tells a buffer's element type and whether the kernel may
/// write it, but neither its address space nor the name of a struct.
std::vector<Argument> reflected_arguments(const MTL::ComputePipelineReflection& reflection);

}  // namespace assay::metal::apple
