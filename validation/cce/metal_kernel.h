// The project's linear cross-entropy in Metal: its own host code and .metal file, on the emulator with every check on.
#pragma once

#include <memory>
#include <string>

#include "metal/host/cce/cce.h"
#include "validation/cce/kernel.h"
#include "validation/core/kernel_device.h"

namespace assay::validation {

struct MetalCceOptions {
  std::string name;
  metal::CcePath path = metal::CcePath::production;
  ShaderEdit edit = {};
  std::string device = "emulated";
};

/// Compiles on the first run. Throws std::runtime_error if the device fails or a check reports something.
std::shared_ptr<const CceKernel> metal_cce_kernel(MetalCceOptions options);

}  // namespace assay::validation
