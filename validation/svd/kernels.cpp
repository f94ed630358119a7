#include "validation/svd/kernels.h"

#include <fmt/format.h>

#include <stdexcept>
#include <vector>

#include "metal/cpu/svd.h"
#include "validation/pipe/kernels.h"
#include "validation/plugin/kernels.h"
#include "validation/plugin/metal_svd.h"
#include "validation/plugin/plugin.h"
#include "validation/svd/faults/faults.h"
#include "validation/svd/metal_kernel.h"

namespace assay::validation {

namespace {

/// metal/cpu.
class CpuSvdKernel : public SvdKernel {
 public:
  const SvdKernelInfo& info() const override { return info_; }

  void run(const metal::AnySvdProblem& problem, const metal::AnySvdOutput& out,
           const SvdRequest& request) const override {
    metal::with_types(problem, out, [&](const auto& typed, const auto& output) {
      metal::svd(typed, output, {.threads = request.threads});
    });
  }

  void randomized(const metal::AnySvdProblem& problem, const reference::RandomizedSvd& randomized,
                  const metal::AnySvdOutput& out) const override {
    metal::with_types(problem, out,
                      [&](const auto& typed, const auto& output) { metal::randomized_svd(typed, randomized, output); });
  }

  metal::SvdGradientNotes gradient(const metal::SvdCotangent<double>& cotangent, std::span<double> dA) const override {
    return metal::svd_gradient(cotangent, dA);
  }

 private:
  SvdKernelInfo info_{
      .name = "cpu", .graded = true, .canonical_signs = true, .has_randomized = true, .has_gradient = true};
};

}  // namespace

std::shared_ptr<const SvdKernel> svd_kernel(const std::string& name) {
  if (name == "cpu") return std::make_shared<CpuSvdKernel>();
  if (name == "metal-emulated") return metal_svd_kernel({.name = name});
  if (name == "metal-plain") return metal_svd_kernel({.name = name, .path = metal::SvdPath::plain});
  if (name == "plain") return plain_svd_kernel();
  if (is_pipe(name)) return svd_pipe_kernel(name);
  if (name.ends_with(".json")) return plugin::metal_svd_plugin(name);
  if (plugin::is_library(name)) return plugin::svd_kernel(name);
  for (const auto& fault : svd_faults()) {
    if (name == fault.kernel->info().name) return fault.kernel;
  }
  throw std::invalid_argument(
      fmt::format("kernel '{}' is unknown: expected cpu, metal-emulated, metal-plain, plain, a fault as `assay "
                  "mutants svd --list` names them, or the path of a shared library (docs/plugins.md)",
                  name));
}

std::vector<std::string> shipped_svd_kernels() {
  return {"cpu", "metal-emulated"};
}

}  // namespace assay::validation
