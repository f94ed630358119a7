#include "validation/registry.h"

#include <tuple>

#include "validation/transport/library/kernel.h"
#include "validation/transport/metal/kernel.h"
#include "validation/transport/pipe/kernel.h"

namespace assay::validation {

template <class Operation>
std::shared_ptr<const typename Operation::Kernel> kernel_called(const std::string& name) {
  using namespace transport;
  if (auto shipped = Operation::shipped_kernel(name)) return shipped;
  if (is_pipe(name)) return std::make_shared<PipeKernel<Operation>>(Channel::of(name));
  if (is_binding(name)) return std::make_shared<MetalPluginKernel<Operation>>(name);
  if (is_library(name)) return std::make_shared<LibraryKernel<Operation>>(name, operation_names());
  for (const auto& fault : Operation::faults()) {
    if (name == fault.kernel->info().name) return fault.fresh ? fault.fresh() : fault.kernel;
    if (name == fault.healthy->info().name) return fault.healthy;
  }
  throw std::invalid_argument(
      fmt::format("kernel '{}' is unknown: expected cpu, metal-emulated, metal-nvidia, metal-apple, metal-plain, "
                  "plain, a fault as `assay "
                  "mutants {} --list` names them, or the path of a shared library (docs/plugins.md)",
                  name, Operation::name));
}

namespace {

template <class... Operations>
constexpr auto kernels_of(OperationList<Operations...>) {
  return std::tuple(&kernel_called<Operations>...);
}

/// Makes the compiler emit kernel_called for every operation.
[[gnu::used]] constexpr auto emitted = kernels_of(AllOperations());

}  // namespace

}  // namespace assay::validation
