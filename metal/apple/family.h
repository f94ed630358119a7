// The GPU families that the device layer supports.
#pragma once

#include "metal/apple/apple_objects.h"

namespace assay::metal::apple {

/// Errors: environment, for a GPU without non-uniform threadgroups: dispatchThreads then does not take a grid that
/// groups do not divide. Metal Feature Set Tables.
Result<void> check_family(MTL::Device& device);

}  // namespace assay::metal::apple
