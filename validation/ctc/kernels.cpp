#include "validation/ctc/kernels.h"

#include <fmt/format.h>

#include <stdexcept>

#include "metal/cpu/ctc_loss.h"
#include "validation/ctc/faults/faults.h"
#include "validation/ctc/metal_kernel.h"
#include "validation/pipe/kernels.h"
#include "validation/plugin/kernels.h"
#include "validation/plugin/metal_ctc.h"
#include "validation/plugin/plugin.h"

namespace assay::validation {
namespace {

/// metal/cpu: probabilities in float64 with an exponent per state, stored as float32.
class CpuKernel : public CtcKernel {
 public:
  const CtcKernelInfo& info() const override { return info_; }

  void run(const reference::CtcProblem<float>& problem, const CtcResultView& out, int threads) const override {
    metal::ctc_loss(problem, {out.loss, out.gradient}, {.threads = threads});
  }

 private:
  CtcKernelInfo info_{.name = "cpu", .arithmetic = Arithmetic::probability};
};

}  // namespace

std::shared_ptr<const CtcKernel> ctc_kernel(const std::string& name) {
  if (name == "cpu") return std::make_shared<CpuKernel>();
  if (name == "metal-emulated") return metal_ctc_kernel({.name = name});
  if (name == "metal-plain") return metal_ctc_kernel({.name = name, .path = metal::CtcPath::plain});
  if (name == "plain") return plain_ctc_kernel();
  if (is_pipe(name)) return ctc_pipe_kernel(name);
  if (name.ends_with(".json")) return plugin::metal_ctc_plugin(name);
  if (plugin::is_library(name)) return plugin::ctc_kernel(name);
  for (const auto& fault : ctc_faults()) {
    if (name == fault.kernel->info().name) return fault.kernel;
  }
  throw std::invalid_argument(
      fmt::format("kernel '{}' is unknown: expected cpu, metal-emulated, metal-plain, plain, a fault as `assay "
                  "mutants --list` names them, or the path of a shared library (docs/plugins.md)",
                  name));
}

std::vector<std::string> shipped_ctc_kernels() {
  return {"cpu", "metal-emulated"};
}

}  // namespace assay::validation
