#include "validation/registry.h"

#include <tuple>
#include <utility>

#include "validation/algebras.h"
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

template <class Operation>
std::shared_ptr<const GateSubject> subject_called(const std::string& name, int digits, bool with_algebra) {
  auto kernel = kernel_called<Operation>(name);
  Context<Operation> context{.kernel = *kernel, .digits = digits};
  if (!transport::is_pipe(name)) context.fresh_kernel = kernel_called<Operation>;
  typename SubjectOf<Operation>::Remark remark;
  if constexpr (HasAlgebra<Operation>)
    if (with_algebra) remark = algebra_remark<Operation>;
  return std::make_shared<SubjectOf<Operation>>(context, all_properties<Operation>(with_algebra), std::move(kernel),
                                                remark);
}

namespace {

template <class... Operations>
constexpr auto functions_of(OperationList<Operations...>) {
  return std::tuple(&kernel_called<Operations>..., &subject_called<Operations>...);
}

/// Makes the compiler emit them for every operation.
[[gnu::used]] constexpr auto emitted = functions_of(AllOperations());

}  // namespace

}  // namespace assay::validation
