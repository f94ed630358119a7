// assay_first: the program's `gate` and `gate --quick`, as the launcher runs them where the program is not built yet. It
// has what a verdict on the CTC kernel for CPUs needs, which compiles in a third of the time.
#include <fmt/format.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "validation/cli/judge_kernels.h"
#include "validation/cli/run_program.h"
#include "validation/core/subject_of.h"
#include "validation/ctc/cpu_kernel.h"
#include "validation/ctc/operation.h"

namespace assay::validation {
namespace {

std::shared_ptr<const GateSubject> cpu_subject(int digits) {
  auto kernel = cpu_ctc_kernel();
  CtcContext context{.kernel = *kernel, .digits = digits};
  context.fresh_kernel = [](const std::string&) { return cpu_ctc_kernel(); };
  return std::make_shared<SubjectOf<CtcOperation>>(context, all_properties<CtcOperation>(), std::move(kernel));
}

int first_verdict(const std::string& word) {
  if (!word.empty() && word != "--quick")
    throw std::invalid_argument(fmt::format("'{}': expected --quick or nothing; `assay` takes the rest", word));
  GateArguments arguments;
  arguments.quick = !word.empty();
  return judge_kernels<CtcOperation>(arguments, run_of<CtcOperation>(arguments, false), {"cpu"},
                                     [&](const std::string&) { return cpu_subject(arguments.digits); });
}

}  // namespace
}  // namespace assay::validation

int main(int argc, char** argv) {
  return assay::validation::run_program([&] { return assay::validation::first_verdict(argc > 1 ? argv[1] : ""); });
}
