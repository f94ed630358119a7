#include "validation/plugin/metal_cce.h"

#include <fmt/format.h>

#include <cmath>
#include <span>
#include <vector>

#include "metal/host/cce_outputs.h"
#include "reference/cce/validate.h"
#include "validation/plugin/metal_declarations.h"
#include "validation/plugin/metal_shader.h"

namespace assay::validation::plugin {
namespace {

const MetalInterface& interface() {
  static const MetalInterface all{"cce",
                                  {"N", "H", "V", "valid_tokens", "ignore_index", "logit_softcap", "label_smoothing",
                                   "z_loss", "reduction", "with_bias", "with_dhidden", "with_dweight", "with_dbias"},
                                  {{"hidden", ""},
                                   {"weight", ""},
                                   {"bias", ""},
                                   {"targets", "int"},
                                   {"upstream", "float"},
                                   {"loss", "float", true},
                                   {"dhidden", "", true},
                                   {"dweight", "", true},
                                   {"dbias", "", true}}};
  return all;
}

CceSupport support_of(const MetalBinding& binding) {
  CceSupport support;
  support.dtypes = {dtype_of(binding.document)};
  support.checks_arguments = binding.host_validates;
  Declarations()
      .integer("largest_N", support.largest_N)
      .integer("largest_H", support.largest_H)
      .integer("largest_V", support.largest_V)
      .flag("bias", support.bias)
      .flag("logit_softcap", support.logit_softcap)
      .flag("label_smoothing", support.label_smoothing)
      .flag("z_loss", support.z_loss)
      .flag("reduction_none", support.reduction_none)
      .flag("reduction_sum", support.reduction_sum)
      .flag("reduction_mean", support.reduction_mean)
      .flag("upstream", support.upstream)
      .flag("any_ignore_index", support.any_ignore_index)
      .flag("empty", support.empty)
      .read(binding.document, "support");
  return support;
}

CceKernelInfo info_of(const std::string& name, const MetalBinding& binding) {
  CceKernelInfo info;
  info.name = name;
  std::int64_t roundings = 0;
  Declarations()
      .number("unit_roundoff", info.unit_roundoff)
      .integer("longest_chain", info.longest_chain)
      .number("exp_error", info.exp_error)
      .integer("bfloat16_roundings", roundings)
      .read(binding.document, "declares");
  info.bfloat16_roundings = static_cast<int>(roundings);
  info.support = support_of(binding);
  return info;
}

/// logit_softcap: 0 where there is none.
template <class Real>
void set_variables(const reference::CceProblem<Real>& problem, const metal::CceOutput<Real>& out, MetalCall& call) {
  std::int64_t valid = 0;
  for (std::int64_t n = 0; n < problem.N; ++n) valid += problem.is_ignored(n) ? 0 : 1;
  call.set("N", problem.N);
  call.set("H", problem.H);
  call.set("V", problem.V);
  call.set("valid_tokens", valid);
  call.set("ignore_index", problem.ignore_index);
  call.set("logit_softcap", std::isfinite(problem.logit_softcap) ? problem.logit_softcap : 0.0);
  call.set("label_smoothing", problem.label_smoothing);
  call.set("z_loss", problem.z_loss);
  call.set("reduction", static_cast<int>(problem.reduction));
  call.set("with_bias", !problem.bias.empty());
  call.set("with_dhidden", !out.gradients.dhidden.empty());
  call.set("with_dweight", !out.gradients.dweight.empty());
  call.set("with_dbias", !out.gradients.dbias.empty());
}

class MetalCcePlugin final : public CceKernel {
 public:
  explicit MetalCcePlugin(const std::string& name)
      : shader_(name, interface()), info_(info_of(name, shader_.binding())) {}

  const CceKernelInfo& info() const override { return info_; }

  void run(const metal::AnyCceProblem& problem, const metal::AnyCceOutput& out,
           const CceRequest& /*request*/) const override {
    metal::with_types(problem, out, [this](const auto& typed, const auto& output) { run_typed(typed, output); });
  }

 private:
  template <class Real>
  void run_typed(const reference::CceProblem<Real>& problem, const metal::CceOutput<Real>& out) const {
    if (info_.support.checks_arguments) {
      reference::validate(problem);
      metal::host::validate_loss(problem, out.loss);
      metal::host::validate_gradients(problem, out.gradients);
      reference::validate_values(problem);
    }
    expect_ignore_index(problem.ignore_index);
    MetalCall call(shader_.binding());
    set_variables(problem, out, call);
    call.input("hidden", problem.hidden);
    call.input("weight", problem.weight);
    call.input("bias", problem.bias);
    call.input("targets", problem.targets);
    const std::vector<float> ones(out.loss.size(), 1.0F);
    call.input("upstream", problem.upstream.empty() ? std::span<const float>(ones) : problem.upstream);
    call.output("loss", out.loss.size(), out.loss);
    call.output("dhidden", problem.hidden.size(), out.gradients.dhidden);
    call.output("dweight", problem.weight.size(), out.gradients.dweight);
    call.output("dbias", problem.bias.size(), out.gradients.dbias);
    shader_.run(call);
  }

  /// What the targets' type does not hold, the shader cannot be asked for.
  void expect_ignore_index(std::int64_t ignore_index) const {
    const std::string& type = shader_.binding().types.at("targets");
    if (!holds(*find_metal_scalar(type), static_cast<double>(ignore_index)))
      throw Unsupported(fmt::format("the kernel does not do an ignore_index beyond types.targets = \"{}\"", type));
  }

  MetalShader shader_;
  CceKernelInfo info_;
};

}  // namespace

std::shared_ptr<const CceKernel> metal_cce_plugin(const std::string& binding) {
  return std::make_shared<MetalCcePlugin>(binding);
}

}  // namespace assay::validation::plugin
