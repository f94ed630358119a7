// A linear cross-entropy kernel in a shared library.
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
                                                                   : Dtype::float32;

class PluginCceKernel : public CceKernel {
 public:
  explicit PluginCceKernel(const std::string& path)
      : plugin_(path, Operation::cce),
        declared_(plugin_.declaration<assay_cce_kernel>()),
        info_(info_of(declared_, path)) {}

  const CceKernelInfo& info() const override { return info_; }

  void run(const metal::AnyCceProblem& any, const metal::AnyCceOutput& out, const CceRequest& asked) const override {
    metal::with_types(any, out, [&]<class Real>(const CceProblem<Real>& problem, const metal::CceOutput<Real>& output) {
      call(problem, output, asked.threads);
    });
  }

 private:
  template <class Real>
  void call(const CceProblem<Real>& problem, const metal::CceOutput<Real>& out, int threads) const {
    Request request;
    request.problem.cce = {};
    assay_cce_problem& p = request.problem.cce;
    p.N = problem.N;
    p.H = problem.H;
    p.V = problem.V;
    p.ignore_index = problem.ignore_index;
    p.logit_softcap = problem.logit_softcap;
    p.label_smoothing = problem.label_smoothing;
    p.z_loss = problem.z_loss;
    p.dtype = static_cast<std::int32_t>(dtype_of<Real>);
    p.reduction = static_cast<std::int32_t>(problem.reduction);
    p.threads = threads;
    const std::array arrays = {Array::of("hidden", problem.hidden),
                               Array::of("weight", problem.weight),
                               Array::of("bias", problem.bias),
                               Array::of("targets", problem.targets),
                               Array::of("upstream", problem.upstream),
                               Array::of("loss", out.loss),
                               Array::of("dhidden", out.gradients.dhidden),
                               Array::of("dweight", out.gradients.dweight),
                               Array::of("dbias", out.gradients.dbias)};
    plugin_.call(request, arrays, declared_.alignment);
  }

  Plugin plugin_;
  assay_cce_kernel declared_;
  CceKernelInfo info_;
};

}  // namespace

std::shared_ptr<const CceKernel> cce_kernel(const std::string& path) {
  return std::make_shared<PluginCceKernel>(path);
}

}  // namespace assay::validation::plugin
