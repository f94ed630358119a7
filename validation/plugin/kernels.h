// Kernels in shared libraries, as the gate judges any other. Each function throws what Plugin's constructor throws,
// and std::invalid_argument for a declaration that makes no sense; each run throws KernelDied (core/kernel_died.h).
#pragma once

#include <memory>
#include <string>

#include "validation/cce/kernel.h"
#include "validation/ctc/kernel.h"
#include "validation/svd/kernel.h"

namespace assay::validation::plugin {

std::shared_ptr<const CtcKernel> ctc_kernel(const std::string& path);
std::shared_ptr<const CceKernel> cce_kernel(const std::string& path);
std::shared_ptr<const SvdKernel> svd_kernel(const std::string& path);

}  // namespace assay::validation::plugin
