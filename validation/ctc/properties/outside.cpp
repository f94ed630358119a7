// Nothing but the outputs is written: sentinels around them and the inputs stay as they were.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "validation/ctc/properties/properties.h"
#include "validation/ctc/run.h"

namespace assay::validation::properties {
namespace {

Finding check(const CtcContext& context, const CtcCase& c) {
  for (const bool with_gradient : {true, false}) {
    const CtcRun run = run_valid(context.kernel, c, {.gradient = with_gradient});
    if (!run.trespasses.empty()) return Finding::fail(fmt::format("  {}", fmt::join(run.trespasses, "\n  ")));
  }
  return Finding::pass();
}

}  // namespace

CtcProperty outside() {
  return {"outside", "writes nothing but its outputs", {}, check};
}

}  // namespace assay::validation::properties
