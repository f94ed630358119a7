#include <type_traits>
#include <vector>

#include "reference/refuse.h"
#include "reference/svd/validate.h"
#include "validation/pipe/channel.h"
#include "validation/pipe/declaration.h"
#include "validation/pipe/kernels.h"

namespace assay::validation {
namespace {

using reference::detail::expect_size;

template <class Real>
void require_arrays(const SvdProblem<Real>& problem, const metal::SvdOutput<Real>& out) {
  reference::validate(problem);
  const std::int64_t B = problem.B, K = problem.K();
  expect_size("S", out.S.size(), "B * K", B * K);
  if (out.U.empty() && out.Vh.empty()) return;
  expect_size("U", out.U.size(), "B * M * K", B * problem.M * K);
  expect_size("Vh", out.Vh.size(), "B * K * N", B * K * problem.N);
}

class PipeSvdKernel : public SvdKernel {
 public:
  explicit PipeSvdKernel(const Channel& channel)
      : channel_(channel),
        info_(svd_info_from(channel.call({{{"call", "declare"}, {"operation", "svd"}}, {}}).header.at("kernel"))) {}

  const SvdKernelInfo& info() const override { return info_; }

  void run(const metal::AnySvdProblem& any, const metal::AnySvdOutput& outputs,
           const SvdRequest& request) const override {
    metal::with_types(any, outputs,
                      [&]<class Real>(const SvdProblem<Real>& problem, const metal::SvdOutput<Real>& out) {
                        require_arrays(problem, out);
                        run_typed(problem, out, request);
                      });
  }

 private:
  template <class Real>
  void run_typed(const SvdProblem<Real>& problem, const metal::SvdOutput<Real>& out, const SvdRequest& request) const {
    using Value = reference::SingularValue<Real>;
    const bool vectors = !out.U.empty() || !out.Vh.empty();
    const std::int64_t B = problem.B, M = problem.M, N = problem.N, K = problem.K();
    const PipeMessage message{{{"call", "run"}, {"vectors_wanted", vectors}, {"threads", request.threads}},
                              {pipe_array("A", {B, M, N}, problem.A)}};
    const PipeMessage answer = channel_.call(message);
    take_elements<Value>(answer.array("S"), {B, K}, out.S);
    if (!out.U.empty()) take_elements<Real>(answer.array("U"), {B, M, K}, out.U);
    if (!out.Vh.empty()) take_elements<Real>(answer.array("Vh"), {B, K, N}, out.Vh);
  }

  Channel channel_;
  SvdKernelInfo info_;
};

}  // namespace

std::shared_ptr<const SvdKernel> svd_pipe_kernel(const std::string& name) {
  return std::make_shared<PipeSvdKernel>(Channel::of(name));
}

}  // namespace assay::validation
