// A user's own kernel, judged by every property of the gate: once as it should be, once with its gradient negated.
#include <cstdio>

#include "metal/cpu/ctc/loss.h"
#include "validation/core/subject_of.h"
#include "validation/ctc/operation.h"

namespace {

using namespace assay;

class MyKernel : public validation::CtcFloatKernel {
 public:
  explicit MyKernel(float sign) : sign_(sign) {}
  const validation::CtcKernelInfo& info() const override { return info_; }
  void run(const reference::CtcProblem<float>& problem, const metal::CtcOutput<float>& out,
           int threads) const override {
    metal::ctc_loss(problem, {.loss = out.loss, .gradient = out.gradient}, {.threads = threads});
    for (float& g : out.gradient) g *= sign_;
  }

 private:
  validation::CtcKernelInfo info_{.name = "mine"};
  float sign_;
};

/// The number of properties that the kernel fails.
int failures(const validation::CtcKernel& kernel) {
  validation::GateOptions options{.cases = 5, .given = {}};
  validation::Coverage coverage(validation::class_names<validation::CtcOperation>());
  int count = 0;
  for (const validation::CtcProperty& property : validation::CtcOperation::properties())
    if (validation::is_failure(validation::run_property(property, {kernel}, options, coverage).verdict)) ++count;
  return count;
}

}  // namespace

int main() {
  const int right = failures(MyKernel(1)), wrong = failures(MyKernel(-1));
  std::printf("right kernel fails %d properties, wrong kernel %d\n", right, wrong);
  return right == 0 && wrong > 0 ? 0 : 1;
}
