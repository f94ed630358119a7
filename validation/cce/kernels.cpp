#include "validation/cce/kernels.h"

#include <fmt/format.h>

#include <span>
#include <stdexcept>
#include <vector>

#include "metal/cpu/cce/choice.h"
#include "validation/cce/faults/faults.h"
#include "validation/cce/metal_kernel.h"
#include "validation/pipe/kernels.h"
#include "validation/plugin/kernels.h"
#include "validation/plugin/metal_cce.h"
#include "validation/plugin/plugin.h"

namespace assay::validation {

namespace {

/// metal/cpu: float32 products, exponentials and sums.
class CpuCceKernel : public CceKernel {
 public:
  const CceKernelInfo& info() const override { return info_; }

  void run(const metal::AnyCceProblem& problem, const metal::AnyCceOutput& out,
           const CceRequest& request) const override {
    const metal::CceCpuOptions options{.threads = request.threads};
    metal::cpu::CceChoice choice;
    if (request.chunk > 0) choice.chunk = request.chunk;
    metal::with_types(
        problem, out, [&]<class Real>(const CceProblem<Real>& typed, const metal::CceOutput<Real>& output) {
          if (!request.in_halves) return metal::cpu::cce_loss(typed, output, options, choice);
          std::vector<double> log_sum_exp(typed.targets.size());
          metal::cpu::cce_forward(typed, output.loss, std::span(log_sum_exp), options, choice);
          metal::cpu::cce_backward(typed, std::span<const double>(log_sum_exp), output.gradients, options, choice);
        });
  }

 private:
  CceKernelInfo info_{.name = "cpu", .bfloat16_roundings = 2, .chunks = {16, 48, 768}};
};

}  // namespace

std::shared_ptr<const CceKernel> cce_kernel(const std::string& name) {
  if (name == "cpu") return std::make_shared<CpuCceKernel>();
  if (name == "metal-emulated") return metal_cce_kernel({.name = name});
  if (name == "metal-plain") return metal_cce_kernel({.name = name, .path = metal::CcePath::plain});
  if (name == "plain") return plain_cce_kernel();
  if (is_pipe(name)) return cce_pipe_kernel(name);
  if (name.ends_with(".json")) return plugin::metal_cce_plugin(name);
  if (plugin::is_library(name)) return plugin::cce_kernel(name);
  for (const auto& fault : cce_faults()) {
    if (name == fault.kernel->info().name) return fault.kernel;
  }
  throw std::invalid_argument(
      fmt::format("kernel '{}' is unknown: expected cpu, metal-emulated, metal-plain, plain, a fault as `assay "
                  "mutants cce --list` names them, or the path of a shared library (docs/plugins.md)",
                  name));
}

std::vector<std::string> shipped_cce_kernels() {
  return {"cpu", "metal-emulated"};
}

}  // namespace assay::validation
