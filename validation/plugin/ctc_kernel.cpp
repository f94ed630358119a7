// A CTC kernel in a shared library. One of 16 bits is given activations in its type, which adapt() has rounded to it,
// and its loss and gradient are widened to float32.
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "metal/cpu/half.h"
#include "validation/plugin/declaration.h"
#include "validation/plugin/kernels.h"
#include "validation/plugin/plugin.h"

namespace assay::validation::plugin {
namespace {

/// An output of 16 bits, of which what is not written is left as it is in the float32 output.
template <class Real>
class Narrow {
 public:
  explicit Narrow(std::span<float> wide) : wide_(wide), bits_(wide.size(), poison) {}

  std::span<std::uint16_t> view() { return bits_; }

  void widen() const {
    for (std::size_t i = 0; i < bits_.size(); ++i)
      if (bits_[i] != poison) wide_[i] = Real::from_bits(bits_[i]);
  }

 private:
  static constexpr std::uint16_t poison = 0x7FFD;  // a NaN of either type that no arithmetic produces

  std::span<float> wide_;
  std::vector<std::uint16_t> bits_;
};

template <class Real>
std::vector<std::uint16_t> narrowed(std::span<const float> values) {
  std::vector<std::uint16_t> bits;
  bits.reserve(values.size());
  for (const float value : values) bits.push_back(Real(double{value}).bits);
  return bits;
}

class PluginCtcKernel : public CtcKernel {
 public:
  explicit PluginCtcKernel(const std::string& path)
      : plugin_(path, Operation::ctc),
        declared_(plugin_.declaration<assay_ctc_kernel>()),
        info_(info_of(declared_, path)) {}

  const CtcKernelInfo& info() const override { return info_; }

  void run(const reference::CtcProblem<float>& problem, const CtcResultView& out, int threads) const override {
    const Dtype dtype = info_.support.dtype;
    if (dtype == Dtype::float16) return run_narrow<metal::Half>(problem, out, threads);
    if (dtype == Dtype::bfloat16) return run_narrow<metal::BFloat16>(problem, out, threads);
    call(problem, threads, Array::of("activations", problem.activations), Array::of("loss", out.loss),
         Array::of("gradient", out.gradient));
  }

 private:
  template <class Real>
  void run_narrow(const reference::CtcProblem<float>& problem, const CtcResultView& out, int threads) const {
    const std::vector<std::uint16_t> activations = narrowed<Real>(problem.activations);
    Narrow<Real> loss(out.loss), gradient(out.gradient);
    call(problem, threads, Array::of("activations", std::span(activations)), Array::of("loss", loss.view()),
         Array::of("gradient", gradient.view()));
    loss.widen();
    gradient.widen();
  }

  void call(const reference::CtcProblem<float>& problem, int threads, const Array& activations, const Array& loss,
            const Array& gradient) const {
    Request request;
    assay_ctc_problem& p = request.problem.ctc;
    p.T = problem.T;
    p.B = problem.B;
    p.C = problem.C;
    p.S = problem.S;
    p.blank = problem.blank;
    p.dtype = static_cast<std::int32_t>(declared_.dtype);
    p.input = problem.input == reference::CtcInput::logits ? ASSAY_LOGITS : ASSAY_LOG_PROBS;
    p.variable = problem.variable == reference::CtcVariable::logits ? ASSAY_LOGITS : ASSAY_LOG_PROBS;
    p.layout = problem.layout == reference::CtcTargets::padded ? ASSAY_PADDED : ASSAY_CONCATENATED;
    p.reduction = static_cast<std::int32_t>(problem.reduction);
    p.zero_infinity = problem.zero_infinity ? 1 : 0;
    p.threads = threads;
    const std::array arrays = {activations,
                               Array::of("targets", problem.targets),
                               Array::of("input_lengths", problem.input_lengths),
                               Array::of("target_lengths", problem.target_lengths),
                               Array::of("upstream", problem.upstream),
                               loss,
                               gradient};
    plugin_.call(request, arrays, declared_.alignment);
  }

  Plugin plugin_;
  assay_ctc_kernel declared_;
  CtcKernelInfo info_;
};

}  // namespace

std::shared_ptr<const CtcKernel> ctc_kernel(const std::string& path) {
  return std::make_shared<PluginCtcKernel>(path);
}

}  // namespace assay::validation::plugin
