// Faults of the error contract: results instead of a refusal.
#include <stdexcept>

#include "validation/cce/faults/faults.h"
#include "validation/cce/faults/plain_kernel.h"
#include "validation/core/contract_faults.h"

namespace assay::validation::cce {
namespace {

/// Repairs a bad argument before the kernel checks the arguments, so that the kernel does not refuse it.
class Mending : public PlainCceKernel {
 public:
  void run(const metal::AnyCceProblem& problem, const metal::AnyCceOutput& out,
           const CceRequest& request) const override {
    metal::AnyCceProblem mended = problem;
    std::vector<std::int64_t> targets(problem.options.targets.begin(), problem.options.targets.end());
    mend(mended, targets);
    mended.options.targets = targets;
    PlainCceKernel::run(mended, out, request);
  }

 protected:
  virtual void mend(metal::AnyCceProblem& problem, std::vector<std::int64_t>& targets) const = 0;
};

struct TargetClamped final : Mending {
  static constexpr FaultNote note{"target-out-of-range", "a target past V is taken as ignored: pytorch#108148",
                                  "refusals"};
  void mend(metal::AnyCceProblem& problem, std::vector<std::int64_t>& targets) const override {
    for (auto& target : targets)
      if (target >= problem.options.V) target = problem.options.ignore_index;
  }
};

struct TargetIn32Bits final : Mending {
  static constexpr FaultNote note{"target-in-32-bits", "targets are cut to 32 bits before they are looked at",
                                  "refusals"};
  void mend(metal::AnyCceProblem&, std::vector<std::int64_t>& targets) const override {
    for (auto& target : targets) target = static_cast<std::int32_t>(target);
  }
};

struct NegativeSoftcap final : Mending {
  static constexpr FaultNote note{"negative-softcap", "a cap below 0 is none", "refusals"};
  void mend(metal::AnyCceProblem& problem, std::vector<std::int64_t>&) const override {
    if (!(problem.options.logit_softcap > 0)) problem.options.logit_softcap = 0;
  }
};

struct MismatchedTypes final : Mending {
  static constexpr FaultNote note{"mismatched-types", "weight is read as what hidden is", "refusals"};
  void mend(metal::AnyCceProblem& problem, std::vector<std::int64_t>&) const override {
    if (problem.weight.index() == problem.hidden.index() || problem.hidden.index() == 0) return;
    const auto size = std::visit([](const auto& span) { return span.size(); }, problem.weight);
    std::visit(
        [&]<class Span>(const Span& hidden) {
          using Real = typename Span::value_type;
          static thread_local std::vector<Real> reread;
          reread.assign(size, hidden.empty() ? Real{} : hidden[0]);
          problem.weight = std::span<const Real>(reread);
        },
        problem.hidden);
  }
};

struct NanPassedOn final : Lenient<PlainCceKernel> {
  static constexpr FaultNote note{"nan-passed-on", "a NaN in weight gives a loss of NaN, and no word of it",
                                  "refusals"};
  NanPassedOn() : Lenient("= nan") {}
};

struct RefusesOneWord final : PlainCceKernel {
  static constexpr FaultNote note{"one-word-refused", "a vocabulary of one entry is refused", "loss"};
  void check(const metal::AnyCceProblem& problem, const metal::AnyCceOutput& out) const override {
    PlainCceKernel::check(problem, out);
    if (problem.options.V == 1) throw std::invalid_argument("V = 1: expected at least 2");
  }
};

}  // namespace

std::vector<CceFault> contract_faults() {
  return plant_all<CceOperation, TargetClamped, TargetIn32Bits, NegativeSoftcap, MismatchedTypes, NanPassedOn,
                   AnonymousRefusal<PlainCceKernel>, RefusesOneWord>(plain_cce_kernel());
}

}  // namespace assay::validation::cce
