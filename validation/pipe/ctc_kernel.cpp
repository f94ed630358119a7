#include <algorithm>
#include <vector>

#include "metal/cpu/half.h"
#include "reference/refuse.h"
#include "validation/core/words.h"
#include "validation/pipe/channel.h"
#include "validation/pipe/declaration.h"
#include "validation/pipe/kernels.h"

namespace assay::validation {
namespace {

using metal::BFloat16;
using metal::Half;
using reference::detail::expect_at_least;
using reference::detail::expect_size;
using reference::detail::product;

void require_arrays(const CtcProblem<float>& problem, const CtcResultView& out) {
  expect_at_least("T", problem.T, 0);
  expect_at_least("B", problem.B, 0);
  expect_at_least("C", problem.C, 1);
  const std::int64_t elements = product("T * B * C", product("T * B", problem.T, problem.B), problem.C);
  expect_size("activations", problem.activations.size(), "T * B * C", elements);
  if (problem.layout == CtcTargets::padded) {
    expect_at_least("S", problem.S, 0);
    expect_size("targets", problem.targets.size(), "B * S", product("B * S", problem.B, problem.S));
  }
  const bool per_row = problem.reduction == Reduction::none;
  expect_size("loss", out.loss.size(), per_row ? "B" : "1", per_row ? problem.B : 1);
  if (!out.gradient.empty()) expect_size("gradient", out.gradient.size(), "T * B * C", elements);
}

template <class Real>
PipeArray rounded(const CtcProblem<float>& problem) {
  std::vector<Real> activations;
  for (const float value : problem.activations) activations.push_back(static_cast<Real>(value));
  return pipe_array<Real>("activations", {problem.T, problem.B, problem.C}, activations);
}

PipeArray activations_of(const CtcProblem<float>& problem, Dtype dtype) {
  if (dtype == Dtype::float16) return rounded<Half>(problem);
  if (dtype == Dtype::bfloat16) return rounded<BFloat16>(problem);
  return rounded<float>(problem);
}

/// Of the kernel's 16-bit type where that has come, else of float32.
void take_floats(const PipeArray& array, Dtype dtype, const std::vector<std::int64_t>& shape, std::span<float> out) {
  if (array.dtype == "float16" && dtype == Dtype::float16) return take_elements<Half>(array, shape, out);
  if (array.dtype == "bfloat16" && dtype == Dtype::bfloat16) return take_elements<BFloat16>(array, shape, out);
  take_elements<float>(array, shape, out);
}

class PipeCtcKernel : public CtcKernel {
 public:
  explicit PipeCtcKernel(const Channel& channel)
      : channel_(channel),
        info_(ctc_info_from(channel.call({{{"call", "declare"}, {"operation", "ctc"}}, {}}).header.at("kernel"))) {}

  const CtcKernelInfo& info() const override { return info_; }

  void run(const CtcProblem<float>& problem, const CtcResultView& out, int threads) const override {
    require_arrays(problem, out);
    const PipeMessage answer = channel_.call(message_of(problem, out, threads));
    const Dtype dtype = info_.support.dtype;
    const bool per_row = problem.reduction == Reduction::none;
    take_floats(answer.array("loss"), dtype, {per_row ? problem.B : 1}, out.loss);
    if (!out.gradient.empty())
      take_floats(answer.array("gradient"), dtype, {problem.T, problem.B, problem.C}, out.gradient);
  }

 private:
  PipeMessage message_of(const CtcProblem<float>& problem, const CtcResultView& out, int threads) const {
    const bool padded = problem.layout == CtcTargets::padded;
    const auto count = [](const auto& span) { return static_cast<std::int64_t>(span.size()); };
    PipeMessage message{{{"call", "run"},
                         {"blank", problem.blank},
                         {"input", problem.input == CtcInput::logits ? "logits" : "log_probs"},
                         {"gradient_of", problem.variable == CtcVariable::logits ? "logits" : "log_probs"},
                         {"layout", padded ? "padded" : "concatenated"},
                         {"reduction", enum_name(problem.reduction, reduction_names())},
                         {"zero_infinity", problem.zero_infinity},
                         {"gradient_wanted", !out.gradient.empty()},
                         {"threads", threads}},
                        {}};
    message.arrays.push_back(activations_of(problem, info_.support.dtype));
    message.arrays.push_back(pipe_array(
        "targets",
        padded ? std::vector<std::int64_t>{problem.B, problem.S} : std::vector<std::int64_t>{count(problem.targets)},
        problem.targets));
    message.arrays.push_back(pipe_array("input_lengths", {count(problem.input_lengths)}, problem.input_lengths));
    message.arrays.push_back(pipe_array("target_lengths", {count(problem.target_lengths)}, problem.target_lengths));
    if (!problem.upstream.empty())
      message.arrays.push_back(pipe_array("upstream", {count(problem.upstream)}, problem.upstream));
    return message;
  }

  Channel channel_;
  CtcKernelInfo info_;
};

}  // namespace

std::shared_ptr<const CtcKernel> ctc_pipe_kernel(const std::string& name) {
  return std::make_shared<PipeCtcKernel>(Channel::of(name));
}

}  // namespace assay::validation
