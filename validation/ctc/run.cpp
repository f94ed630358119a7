#include "validation/ctc/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace assay::validation {
namespace {

constexpr std::size_t guard = 64;
/// A quiet NaN with a payload that no arithmetic produces.
constexpr std::uint32_t poison = 0x7FE5A5A5U;
constexpr std::uint32_t sentinel = 0x7FEDEAD5U;

std::uint32_t bits(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

/// An output with sentinels on both sides of it.
class GuardedOutput {
 public:
  GuardedOutput(std::string name, std::size_t size) : name_(std::move(name)), size_(size) {
    memory_.assign(size + 2 * guard, std::bit_cast<float>(sentinel));
    for (auto& element : view()) element = std::bit_cast<float>(poison);
  }

  std::span<float> view() { return {memory_.data() + guard, size_}; }

  void inspect(CtcRun& run) {
    for (std::size_t i = 0; i < guard; ++i) {
      if (bits(memory_[i]) != sentinel) {
        run.trespasses.push_back(fmt::format("wrote {}[-{}], before its beginning", name_, guard - i));
      }
      if (bits(memory_[guard + size_ + i]) != sentinel) {
        run.trespasses.push_back(fmt::format("wrote {}[{}], past its {} elements", name_, size_ + i, size_));
      }
    }
    for (std::size_t i = 0; i < size_; ++i) {
      if (bits(view()[i]) == poison) run.unwritten.push_back(fmt::format("{}[{}] was not written", name_, i));
    }
  }

 private:
  std::string name_;
  std::size_t size_;
  std::vector<float> memory_;
};

std::size_t size_of(std::int64_t due, int extra) {
  return static_cast<std::size_t>(std::max<std::int64_t>(0, due + extra));
}

std::int64_t losses_due(const CtcCase& c) {
  return c.reduction == Reduction::none ? c.B : 1;
}

std::int64_t gradients_due(const CtcCase& c) {
  return static_cast<std::int64_t>(c.activations.size());
}

}  // namespace

CtcRun run_kernel(const CtcKernel& kernel, const CtcCase& c, const CtcRunOptions& options) {
  CtcRun run;
  const CtcCase given = c;
  GuardedOutput loss("loss", size_of(losses_due(c), options.extra_loss));
  GuardedOutput gradient("gradient", options.gradient ? size_of(gradients_due(c), options.extra_gradient) : 0);
  try {
    kernel.run(given.view(), {loss.view(), gradient.view()}, options.threads);
  } catch (const std::invalid_argument& refusal) {
    run.refused = true;
    run.message = refusal.what();
  }
  loss.inspect(run);
  gradient.inspect(run);
  if (!(given == c)) run.trespasses.emplace_back("changed its input");
  run.loss.assign(loss.view().begin(), loss.view().end());
  run.gradient.assign(gradient.view().begin(), gradient.view().end());
  return run;
}

CtcRun run_valid(const CtcKernel& kernel, const CtcCase& c, const CtcRunOptions& options) {
  CtcRun run = run_kernel(kernel, c, options);
  if (run.refused) throw RefusedValidProblem("a valid problem was refused: " + run.message);
  return run;
}

}  // namespace assay::validation
