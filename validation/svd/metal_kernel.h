// The project's SVD in Metal: its own host code and .metal file, on the emulator with every check on.
#pragma once

#include <memory>
#include <string>

#include "metal/host/svd/svd.h"
#include "validation/core/kernel_device.h"
#include "validation/svd/kernel.h"

namespace assay::validation {

struct MetalSvdOptions {
  std::string name;
  metal::SvdPath path = metal::SvdPath::production;
  ShaderEdit edit = {};
  std::string device = "emulated";  ///< a planted fault; with a fault, only float32 is compiled
};

std::shared_ptr<const SvdKernel> metal_svd_kernel(MetalSvdOptions options);

}  // namespace assay::validation
