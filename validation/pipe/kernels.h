// Kernels that run in another process, the one that started this program: its calls and their answers go through pipes
// (channel.h). So is a Python function judged.
#pragma once

#include <memory>
#include <string>

#include "validation/cce/kernel.h"
#include "validation/ctc/kernel.h"
#include "validation/svd/kernel.h"

namespace assay::validation {

/// Whether `kernel` names a kernel of here: "pipe:ANSWERS,CALLS", two file descriptors.
inline bool is_pipe(const std::string& kernel) {
  return kernel.starts_with("pipe:");
}

// Each asks the other process what the kernel says of itself. Throws std::invalid_argument where the name or what is
// said is not understood, std::runtime_error where nobody answers.
//
// A problem that arrays with shapes cannot state (activations of another size than T * B * C, outputs of another size
// than due) is refused on this side, for a function that returns its results has no such mistake to make.

std::shared_ptr<const CtcKernel> ctc_pipe_kernel(const std::string& name);
std::shared_ptr<const CceKernel> cce_pipe_kernel(const std::string& name);
std::shared_ptr<const SvdKernel> svd_pipe_kernel(const std::string& name);

}  // namespace assay::validation
