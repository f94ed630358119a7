// Nothing but the outputs is written: sentinels around them and the inputs stay as they were.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "validation/cce/properties/properties.h"
#include "validation/cce/run.h"

namespace assay::validation::cce {
namespace {

Finding check(const CceContext& context, const CceCase& c) {
  const CceRunOptions all;
  const CceRunOptions loss_alone{.dhidden = false, .dweight = false, .dbias = false};
  for (const CceRunOptions& options : {all, loss_alone}) {
    const CceRun run = run_valid(context.kernel, c, options);
    if (!run.trespasses.empty()) return Finding::fail(fmt::format("  {}", fmt::join(run.trespasses, "\n  ")));
  }
  return Finding::pass();
}

}  // namespace

CceProperty outside() {
  return {"outside", "writes nothing but its outputs", {}, check};
}

}  // namespace assay::validation::cce
