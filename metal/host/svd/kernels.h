// The choice of the kernels of a singular value decomposition, and of their threadgroups' size:
// metal/kernels/svd/interface.h.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "metal/device/limits.h"
#include "metal/host/dispatch.h"
#include "metal/host/pipelines.h"
#include "metal/host/svd/statement.h"

namespace assay::metal::host {

struct SvdKernels {
  Kernel load, rotate, settle, finish;  ///< settle: if a sweep takes several dispatches
};

/// Errors: those of Pipelines::get; limit, for a pipeline that supports fewer threads than its kernel needs.
Result<SvdKernels> svd_kernels(Pipelines& pipelines, const Limits& limits, const SvdStatement& statement);

/// The name of the kernel that rotates, and the constants of all kernels.
std::string svd_rotate_name(const SvdStatement& statement);
FunctionConstants svd_constants(const SvdStatement& statement);

/// The name of a function that a library has if it supports matrices of this type.
std::string svd_load_name(const std::string& type);

}  // namespace assay::metal::host
