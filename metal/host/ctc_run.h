// A plan run to its end: copies in, encodes, waits, copies out.
#pragma once

#include <cstddef>
#include <span>

#include "metal/device/device.h"
#include "metal/host/ctc_plan.h"

namespace assay::metal::host {

/// Of spans as long as the plan says. Writes nothing on an error. Errors: the device's, after what was being done.
Result<void> run(Device& device, CommandQueue& queue, const CtcPlan& plan, std::span<const std::byte> activations,
                 std::span<std::byte> gradient, std::span<std::byte> loss);

}  // namespace assay::metal::host
