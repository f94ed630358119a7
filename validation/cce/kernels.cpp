#include "validation/cce/kernels.h"

#include <fmt/format.h>

#include <stdexcept>

#include "validation/cce/faults/faults.h"

namespace assay::validation {

std::shared_ptr<const CceKernel> cce_kernel(const std::string& name) {
  if (name == "plain") return plain_cce_kernel();
  for (const auto& fault : cce_faults()) {
    if (name == fault.kernel->info().name) return fault.kernel;
  }
  throw std::invalid_argument(
      fmt::format("kernel '{}' is unknown: expected cpu, metal-emulated, metal-plain, plain or a fault as `assay "
                  "mutants cce --list` names them",
                  name));
}

std::vector<std::string> shipped_cce_kernels() {
  return {"plain"};
}

}  // namespace assay::validation
