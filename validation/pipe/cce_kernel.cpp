#include <fmt/format.h>

#include <vector>

#include "metal/cpu/cce_loss.h"
#include "reference/refuse.h"
#include "validation/core/words.h"
#include "validation/pipe/channel.h"
#include "validation/pipe/declaration.h"
#include "validation/pipe/kernels.h"

namespace assay::validation {
namespace {

using reference::detail::expect_at_least;
using reference::detail::expect_size;
using reference::detail::product;

void expect_output(const char* name, std::size_t size, const char* shape, std::int64_t expected) {
  if (size != 0) expect_size(name, size, shape, expected);
}

template <class Real>
void require_arrays(const CceProblem<Real>& problem, const metal::CceOutput<Real>& out) {
  expect_at_least("N", problem.N, 0);
  expect_at_least("H", problem.H, 1);
  expect_at_least("V", problem.V, 1);
  const std::int64_t hidden = product("N * H", problem.N, problem.H), weight = product("V * H", problem.V, problem.H);
  product("N * V", problem.N, problem.V);
  expect_size("hidden", problem.hidden.size(), "N * H", hidden);
  expect_size("weight", problem.weight.size(), "V * H", weight);
  const bool per_token = problem.reduction == Reduction::none;
  expect_size("loss", out.loss.size(), per_token ? "N" : "1", per_token ? problem.N : 1);
  expect_output("dhidden", out.gradients.dhidden.size(), "N * H", hidden);
  expect_output("dweight", out.gradients.dweight.size(), "V * H", weight);
  expect_output("dbias", out.gradients.dbias.size(), "V, of a problem with bias", problem.bias.empty() ? 0 : problem.V);
}

template <class Real>
PipeMessage message_of(const CceProblem<Real>& problem, bool gradient_wanted, int threads) {
  const auto count = [](const auto& span) { return static_cast<std::int64_t>(span.size()); };
  PipeMessage message{{{"call", "run"},
                       {"ignore_index", problem.ignore_index},
                       // As text: JSON has neither NaN nor infinities.
                       {"logit_softcap", fmt::format("{}", problem.logit_softcap)},
                       {"label_smoothing", fmt::format("{}", problem.label_smoothing)},
                       {"z_loss", fmt::format("{}", problem.z_loss)},
                       {"reduction", enum_name(problem.reduction, reduction_names())},
                       {"gradient_wanted", gradient_wanted},
                       {"threads", threads}},
                      {}};
  message.arrays.push_back(pipe_array("hidden", {problem.N, problem.H}, problem.hidden));
  message.arrays.push_back(pipe_array("weight", {problem.V, problem.H}, problem.weight));
  message.arrays.push_back(pipe_array("targets", {count(problem.targets)}, problem.targets));
  if (!problem.bias.empty()) message.arrays.push_back(pipe_array("bias", {count(problem.bias)}, problem.bias));
  if (!problem.upstream.empty())
    message.arrays.push_back(pipe_array("upstream", {count(problem.upstream)}, problem.upstream));
  return message;
}

class PipeCceKernel : public CceKernel {
 public:
  explicit PipeCceKernel(const Channel& channel)
      : channel_(channel),
        info_(cce_info_from(channel.call({{{"call", "declare"}, {"operation", "cce"}}, {}}).header.at("kernel"))) {}

  const CceKernelInfo& info() const override { return info_; }

  void run(const metal::AnyCceProblem& any, const metal::AnyCceOutput& outputs,
           const CceRequest& request) const override {
    metal::with_types(any, outputs,
                      [&]<class Real>(const CceProblem<Real>& problem, const metal::CceOutput<Real>& out) {
                        require_arrays(problem, out);
                        const auto& [dhidden, dweight, dbias] = out.gradients;
                        const bool gradient_wanted = !dhidden.empty() || !dweight.empty() || !dbias.empty();
                        const PipeMessage answer = channel_.call(message_of(problem, gradient_wanted, request.threads));
                        const bool per_token = problem.reduction == Reduction::none;
                        take_elements<float>(answer.array("loss"), {per_token ? problem.N : 1}, out.loss);
                        if (!dhidden.empty())
                          take_elements<Real>(answer.array("dhidden"), {problem.N, problem.H}, dhidden);
                        if (!dweight.empty())
                          take_elements<Real>(answer.array("dweight"), {problem.V, problem.H}, dweight);
                        if (!dbias.empty()) take_elements<Real>(answer.array("dbias"), {problem.V}, dbias);
                      });
  }

 private:
  Channel channel_;
  CceKernelInfo info_;
};

}  // namespace

std::shared_ptr<const CceKernel> cce_pipe_kernel(const std::string& name) {
  return std::make_shared<PipeCceKernel>(Channel::of(name));
}

}  // namespace assay::validation
