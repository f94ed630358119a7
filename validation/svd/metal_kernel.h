// metal/kernels/svd/svd.metal by its host code, on the emulator with all checks on.
#pragma once

#include <memory>
#include <string>

#include "metal/host/svd/svd.h"
#include "validation/core/emulated_device.h"
#include "validation/svd/kernel.h"

namespace assay::validation {

struct MetalSvdOptions {
  std::string name;
  metal::SvdPath path = metal::SvdPath::production;
  ShaderEdit edit = {};  ///< a planted fault: float32 alone is then compiled
};

std::shared_ptr<const SvdKernel> metal_svd_kernel(MetalSvdOptions options);

}  // namespace assay::validation
