// An SVD kernel in a shared library.
#include <array>
#include <cstdint>

#include "validation/plugin/declaration.h"
#include "validation/plugin/kernels.h"
#include "validation/plugin/plugin.h"

namespace assay::validation::plugin {
namespace {

template <class Real>
constexpr Dtype dtype_of = std::is_same_v<Real, metal::Half>       ? Dtype::float16
                           : std::is_same_v<Real, metal::BFloat16> ? Dtype::bfloat16
                           : std::is_same_v<Real, double>          ? Dtype::float64
                                                                   : Dtype::float32;

class PluginSvdKernel : public SvdKernel {
 public:
  explicit PluginSvdKernel(const std::string& path)
      : plugin_(path, Operation::svd),
        declared_(plugin_.declaration<assay_svd_kernel>()),
        info_(info_of(declared_, path)) {}

  const SvdKernelInfo& info() const override { return info_; }

  void run(const metal::AnySvdProblem& any, const metal::AnySvdOutput& out, const SvdRequest& asked) const override {
    metal::with_types(any, out, [&]<class Real>(const SvdProblem<Real>& problem, const metal::SvdOutput<Real>& output) {
      call(problem, output, asked.threads);
    });
  }

 private:
  template <class Real>
  void call(const SvdProblem<Real>& problem, const metal::SvdOutput<Real>& out, int threads) const {
    Request request;
    request.problem.svd = {};
    assay_svd_problem& p = request.problem.svd;
    p.B = problem.B;
    p.M = problem.M;
    p.N = problem.N;
    p.dtype = static_cast<std::int32_t>(dtype_of<Real>);
    p.threads = threads;
    const std::array arrays = {Array::of("A", problem.A), Array::of("U", out.U), Array::of("S", out.S),
                               Array::of("Vh", out.Vh)};
    plugin_.call(request, arrays, declared_.alignment);
  }

  Plugin plugin_;
  assay_svd_kernel declared_;
  SvdKernelInfo info_;
};

}  // namespace

std::shared_ptr<const SvdKernel> svd_kernel(const std::string& path) {
  return std::make_shared<PluginSvdKernel>(path);
}

}  // namespace assay::validation::plugin
