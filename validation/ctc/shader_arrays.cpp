#include "validation/ctc/shader_arrays.h"

#include <fmt/format.h>

#include <stdexcept>
#include <variant>

#include "validation/transport/metal/call.h"

namespace assay::validation {

void CtcShaderArrays::add_to_interface(std::vector<ShaderArrayOffer>& arrays) {
  arrays.push_back({"logits", ""});
  arrays.push_back({"log_probs", ""});
  arrays.push_back({"target_offsets", "int"});
}

void CtcShaderArrays::add_to_call(const metal::AnyCtcProblem& problem, transport::MetalCall& call) {
  std::visit(
      [&](const auto& activations) {
        call.input("logits", activations);
        call.input("log_probs", activations);
      },
      problem.activations);
  std::vector<std::int64_t> offsets;
  std::int64_t next = 0;
  for (const std::int64_t length : problem.options.target_lengths) {
    offsets.push_back(next);
    next += problem.options.layout == CtcTargets::padded ? problem.options.S : length;
  }
  call.input("target_offsets", std::span<const std::int64_t>(offsets));
}

void CtcShaderArrays::clamp_padding(const CtcProblem<float>& problem, std::vector<std::int64_t>& targets,
                                    const MetalScalar& type) {
  if (problem.layout == CtcTargets::concatenated) return;
  const auto S = static_cast<std::size_t>(problem.S);
  for (std::size_t b = 0; b < problem.target_lengths.size(); ++b)
    for (auto s = static_cast<std::size_t>(problem.target_lengths[b]); s < S && b * S + s < targets.size(); ++s)
      if (std::int64_t& label = targets[b * S + s]; !holds(type, static_cast<double>(label)))
        label = static_cast<std::int64_t>(label < 0 ? type.lowest : type.highest);
}

void CtcShaderArrays::expect_binding(const ShaderDocument& binding, const Support& support) {
  const auto expect = [&](const char* array, const char* other) {
    if (binding.uses(array) && support.does(other))
      throw std::invalid_argument(
          fmt::format("{}: its passes bind {}: expected \"support\": {{\"{}\": false}}, or activations, which are "
                      "whichever a problem has",
                      binding.node.where(), array, other));
  };
  expect("logits", "log_probs");
  expect("log_probs", "logits");
}

}  // namespace assay::validation
