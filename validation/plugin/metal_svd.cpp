#include "validation/plugin/metal_svd.h"

#include "metal/host/svd_outputs.h"
#include "reference/svd/validate.h"
#include "validation/plugin/metal_declarations.h"
#include "validation/plugin/metal_shader.h"

namespace assay::validation::plugin {
namespace {

const MetalInterface& interface() {
  static const MetalInterface all{"svd",
                                  {"B", "M", "N", "K", "with_vectors"},
                                  {{"A", ""}, {"U", "", true}, {"S", "float", true}, {"Vh", "", true}}};
  return all;
}

SvdSupport support_of(const MetalBinding& binding) {
  SvdSupport support;
  support.dtypes = {dtype_of(binding.document)};
  support.checks_arguments = binding.host_validates;
  Declarations()
      .integer("largest_B", support.largest_B)
      .integer("largest_M", support.largest_M)
      .integer("largest_N", support.largest_N)
      .flag("wide", support.wide)
      .flag("tall", support.tall)
      .flag("empty", support.empty)
      .read(binding.document, "support");
  return support;
}

SvdKernelInfo info_of(const std::string& name, const MetalBinding& binding) {
  SvdKernelInfo info{.name = name};
  std::int64_t sweeps = info.sweeps;
  Declarations()
      .number("unit_roundoff", info.unit_roundoff)
      .integer("sweeps", sweeps)
      .flag("graded", info.graded)
      .number("graded_range", info.graded_range)
      .flag("canonical_signs", info.canonical_signs)
      .read(binding.document, "declares");
  info.sweeps = static_cast<int>(sweeps);
  info.support = support_of(binding);
  return info;
}

class MetalSvdPlugin final : public SvdKernel {
 public:
  explicit MetalSvdPlugin(const std::string& name)
      : shader_(name, interface()), info_(info_of(name, shader_.binding())) {}

  const SvdKernelInfo& info() const override { return info_; }

  void run(const metal::AnySvdProblem& problem, const metal::AnySvdOutput& out, const SvdRequest&) const override {
    metal::with_types(problem, out, [this](const auto& typed, const auto& output) { run_typed(typed, output); });
  }

 private:
  template <class Real>
  void run_typed(const reference::SvdProblem<Real>& problem, const metal::SvdOutput<Real>& out) const {
    if (info_.support.checks_arguments) {
      reference::validate(problem);
      metal::host::validate_output(problem, problem.K(), out);
      for (std::int64_t b = 0; b < problem.B; ++b) reference::validate_values(problem, b);
    }
    MetalCall call(shader_.binding());
    call.set("B", problem.B);
    call.set("M", problem.M);
    call.set("N", problem.N);
    call.set("K", problem.K());
    call.set("with_vectors", !out.U.empty());
    call.input("A", problem.A);
    const auto vectors = [&](std::int64_t length) {
      return static_cast<std::uint64_t>(problem.B) * static_cast<std::uint64_t>(length) *
             static_cast<std::uint64_t>(problem.K());
    };
    call.output("U", vectors(problem.M), out.U);
    call.output("S", out.S.size(), out.S);
    call.output("Vh", vectors(problem.N), out.Vh);
    shader_.run(call);
  }

  MetalShader shader_;
  SvdKernelInfo info_;
};

}  // namespace

std::shared_ptr<const SvdKernel> metal_svd_plugin(const std::string& binding) {
  return std::make_shared<MetalSvdPlugin>(binding);
}

}  // namespace assay::validation::plugin
