// The number of threads does not change a bit.
#include <fmt/format.h>

#include "validation/ctc/compare.h"
#include "validation/ctc/properties/properties.h"

namespace assay::validation::properties {
namespace {

Finding check(const CtcContext& context, const CtcCase& c) {
  const CtcRun one = run_valid(context.kernel, c, {.threads = 1});
  for (const int threads : {2, 3, 7}) {
    const CtcRun many = run_valid(context.kernel, c, {.threads = threads});
    Finding finding = same_bits(c, one, many, fmt::format("1 thread and {} threads give other bits", threads));
    if (is_failure(finding.verdict)) return finding;
  }
  return Finding::pass();
}

}  // namespace

CtcProperty threads() {
  return {"threads", "1, 2, 3 and 7 threads give the same bits", {.min_rows = 2}, check};
}

}  // namespace assay::validation::properties
