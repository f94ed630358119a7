// The project's CTC in Metal: its own host code and .metal file, on the emulator with every check on or on a
// GPU. A report of a check is an error of the kernel, whatever the numbers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "metal/host/ctc/ctc.h"
#include "validation/core/kernel_device.h"
#include "validation/ctc/kernel.h"

namespace assay::validation {

struct MetalCtcOptions {
  std::string name;
  metal::CtcPath path = metal::CtcPath::production;
  std::uint64_t min_states = 0;  ///< metal::CtcOptions::min_states
  ShaderEdit edit = {};
  std::string device = "emulated";
};

/// Compiles on the first run. Throws std::runtime_error if the device fails or a check reports something.
std::shared_ptr<const CtcKernel> metal_ctc_kernel(MetalCtcOptions options);

}  // namespace assay::validation
