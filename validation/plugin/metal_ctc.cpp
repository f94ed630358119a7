#include "validation/plugin/metal_ctc.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <stdexcept>
#include <vector>

#include "metal/cpu/output.h"
#include "reference/ctc/validate.h"
#include "validation/plugin/metal_declarations.h"
#include "validation/plugin/metal_shader.h"

namespace assay::validation::plugin {
namespace {

using reference::CtcInput;
using reference::CtcTargets;
using reference::CtcVariable;
using Problem = reference::CtcProblem<float>;

const MetalInterface& interface() {
  static const MetalInterface all{"ctc",
                                  {"T", "B", "C", "S", "L", "labels", "blank", "zero_infinity", "reduction",
                                   "from_logits", "of_logits", "concatenated", "with_gradient"},
                                  {{"activations", ""},
                                   {"logits", ""},
                                   {"log_probs", ""},
                                   {"targets", "int"},
                                   {"target_offsets", "int"},
                                   {"input_lengths", "int"},
                                   {"target_lengths", "int"},
                                   {"upstream", "float"},
                                   {"loss", "float", true},
                                   {"gradient", "", true}}};
  return all;
}

CtcSupport support_of(const MetalBinding& binding) {
  CtcSupport support;
  support.dtype = dtype_of(binding.document);
  support.checks_arguments = binding.host_validates;
  Declarations()
      .integer("largest_T", support.largest_T)
      .integer("largest_B", support.largest_B)
      .integer("largest_C", support.largest_C)
      .integer("largest_S", support.largest_S)
      .flag("logits", support.logits)
      .flag("log_probs", support.log_probs)
      .flag("gradient_of_logits", support.gradient_of_logits)
      .flag("gradient_of_log_probs", support.gradient_of_log_probs)
      .flag("padded", support.padded)
      .flag("concatenated", support.concatenated)
      .flag("reduction_none", support.reduction_none)
      .flag("reduction_sum", support.reduction_sum)
      .flag("reduction_mean", support.reduction_mean)
      .flag("upstream", support.upstream)
      .flag("zero_infinity", support.zero_infinity)
      .flag("any_blank", support.any_blank)
      .flag("empty", support.empty)
      .read(binding.document, "support");
  return support;
}

/// An array of one kind of input is there for that kind alone.
void expect_input(const MetalBinding& binding, const char* array, const char* other, bool takes_other) {
  if (binding.uses(array) && takes_other)
    throw std::invalid_argument(
        fmt::format("{}: its passes bind {}: expected \"support\": {{\"{}\": false}}, or activations, which are "
                    "whichever a problem has",
                    binding.document.where(), array, other));
}

CtcKernelInfo info_of(const std::string& name, const MetalBinding& binding) {
  CtcKernelInfo info{.name = name, .unit_roundoff = format_of(Dtype::float32).roundoff};
  std::size_t arithmetic = 0;
  Declarations()
      .choice("arithmetic", {"probability", "log_space"}, arithmetic)
      .number("unit_roundoff", info.unit_roundoff)
      .flag("two_step", info.two_step)
      .read(binding.document, "declares");
  info.arithmetic = arithmetic == 0 ? Arithmetic::probability : Arithmetic::log_space;
  const auto stored = [&](const char* array) { return format_of(dtype_of_metal(binding.types.at(array))).roundoff; };
  info.output_unit_roundoff = std::max(stored("loss"), stored("gradient"));
  info.support = support_of(binding);
  expect_input(binding, "logits", "log_probs", info.support.log_probs);
  expect_input(binding, "log_probs", "logits", info.support.logits);
  return info;
}

std::int64_t longest_target(const Problem& problem) {
  if (problem.layout == CtcTargets::padded) return problem.S;
  return problem.target_lengths.empty() ? 0 : *std::ranges::max_element(problem.target_lengths);
}

/// Where each row of the targets begins.
std::vector<std::int64_t> target_offsets(const Problem& problem) {
  std::vector<std::int64_t> offsets;
  std::int64_t next = 0;
  for (const std::int64_t length : problem.target_lengths) {
    offsets.push_back(next);
    next += problem.layout == CtcTargets::padded ? problem.S : length;
  }
  return offsets;
}

/// Padding may hold any number of 64 bits: what the shader's type does not hold is clamped, as a host would convert it.
std::vector<std::int64_t> targets(const Problem& problem, const MetalScalar& type) {
  std::vector<std::int64_t> all(problem.targets.begin(), problem.targets.end());
  if (problem.layout == CtcTargets::concatenated) return all;
  const auto S = static_cast<std::size_t>(problem.S);
  for (std::size_t b = 0; b < problem.target_lengths.size(); ++b)
    for (auto s = static_cast<std::size_t>(problem.target_lengths[b]); s < S && b * S + s < all.size(); ++s)
      if (std::int64_t& label = all[b * S + s]; !holds(type, static_cast<double>(label)))
        label = static_cast<std::int64_t>(label < 0 ? type.lowest : type.highest);
  return all;
}

class MetalCtcPlugin final : public CtcKernel {
 public:
  explicit MetalCtcPlugin(const std::string& name)
      : shader_(name, interface()), info_(info_of(name, shader_.binding())) {}

  const CtcKernelInfo& info() const override { return info_; }

  void run(const Problem& problem, const CtcResultView& out, int /*threads*/) const override {
    if (info_.support.checks_arguments) {
      reference::validate(problem);
      metal::cpu::validate_output<float>(problem, {out.loss, out.gradient});
      reference::validate_activations(problem);
    }
    MetalCall call(shader_.binding());
    set_variables(problem, out, call);
    set_inputs(problem, out, call);
    call.output("loss", out.loss.size(), out.loss);
    call.output("gradient", problem.activations.size(), out.gradient);
    shader_.run(call);
  }

 private:
  static void set_variables(const Problem& problem, const CtcResultView& out, MetalCall& call) {
    const std::int64_t S = longest_target(problem);
    call.set("T", problem.T);
    call.set("B", problem.B);
    call.set("C", problem.C);
    call.set("S", S);
    call.set("L", 2 * S + 1);
    call.set("labels", static_cast<std::int64_t>(problem.targets.size()));
    call.set("blank", problem.blank);
    call.set("zero_infinity", problem.zero_infinity);
    call.set("reduction", static_cast<int>(problem.reduction));
    call.set("from_logits", problem.input == CtcInput::logits);
    call.set("of_logits", problem.variable == CtcVariable::logits);
    call.set("concatenated", problem.layout == CtcTargets::concatenated);
    call.set("with_gradient", !out.gradient.empty());
  }

  void set_inputs(const Problem& problem, const CtcResultView& out, MetalCall& call) const {
    for (const char* const array : {"activations", "logits", "log_probs"}) call.input(array, problem.activations);
    const MetalScalar& type = *find_metal_scalar(shader_.binding().types.at("targets"));
    const std::vector<std::int64_t> labels = targets(problem, type), offsets = target_offsets(problem);
    call.input("targets", std::span<const std::int64_t>(labels));
    call.input("target_offsets", std::span<const std::int64_t>(offsets));
    call.input("input_lengths", problem.input_lengths);
    call.input("target_lengths", problem.target_lengths);
    const std::vector<float> ones(out.loss.size(), 1.0F);
    call.input("upstream", problem.upstream.empty() ? std::span<const float>(ones) : problem.upstream);
  }

  MetalShader shader_;
  CtcKernelInfo info_;
};

}  // namespace

std::shared_ptr<const CtcKernel> metal_ctc_plugin(const std::string& binding) {
  return std::make_shared<MetalCtcPlugin>(binding);
}

}  // namespace assay::validation::plugin
