// What plug-ins declare, turned into what the gate knows of its kernels. Throws std::invalid_argument naming the field,
// its value and what was expected.
#pragma once

#include "validation/cce/kernel.h"
#include "validation/ctc/kernel.h"
#include "validation/plugin/assay_plugin.h"
#include "validation/svd/kernel.h"

namespace assay::validation::plugin {

/// `path`: the kernel's name in the gate, by which a line that replays a failure finds it again.
CtcKernelInfo info_of(const assay_ctc_kernel& declared, const std::string& path);
CceKernelInfo info_of(const assay_cce_kernel& declared, const std::string& path);
SvdKernelInfo info_of(const assay_svd_kernel& declared, const std::string& path);

}  // namespace assay::validation::plugin
