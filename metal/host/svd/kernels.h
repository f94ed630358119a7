// Which kernels of the singular value decomposition do a statement, in how large groups: metal/kernels/svd/interface.h.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "metal/device/limits.h"
#include "metal/host/pipelines.h"
#include "metal/host/svd/statement.h"

namespace assay::metal::host {

/// A kernel ready to be dispatched.
struct SvdKernel {
  std::shared_ptr<const ComputePipeline> pipeline;
  std::uint64_t threads = 32;  ///< of a group
};

struct SvdKernels {
  SvdKernel load, rotate, finish;
};

/// Errors: those of Pipelines::get; limit, for a pipeline that does not take the threads that its kernel needs.
Result<SvdKernels> svd_kernels(Pipelines& pipelines, const Limits& limits, const SvdStatement& statement);

/// The kernel that rotates, and the constants of all of them.
std::string svd_rotate_name(const SvdStatement& statement);
FunctionConstants svd_constants(const SvdStatement& statement);

/// The function that a library has where it takes matrices of this type.
std::string svd_load_name(const std::string& type);

}  // namespace assay::metal::host
