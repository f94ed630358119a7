// NVIDIA's driver, libcuda.so.1, loaded at run time: a program that never asks for a GPU does not need it.
#pragma once

#include <memory>

#include "metal/device/result.h"
#include "metal/nvidia/driver.h"

namespace assay::metal::nvidia {

/// The driver of this machine, or the library that ASSAY_LIBCUDA names. Errors: environment, if it cannot be loaded or
/// lacks a function, with what to do.
Result<std::shared_ptr<Driver>> load_libcuda();

}  // namespace assay::metal::nvidia
