// Why a command buffer failed, as Metal says it.
#pragma once

#include <string>

#include "metal/apple/apple_objects.h"

namespace assay::metal::apple {

/// Metal's text, the error's domain and code, and the kernels of each encoder that did not complete.
std::string text_of_failure(const NS::Error* error);

}  // namespace assay::metal::apple
