// Nothing but the outputs is written: sentinels around them and the input stay as they were.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "validation/svd/properties/properties.h"
#include "validation/svd/run.h"

namespace assay::validation::svd {
namespace {

Finding check(const SvdContext& context, const SvdCase& c) {
  for (const bool vectors : {true, false}) {
    const SvdRun run = run_valid(context.kernel, c, {.vectors = vectors});
    if (!run.trespasses.empty()) return Finding::fail(fmt::format("  {}", fmt::join(run.trespasses, "\n  ")));
  }
  return Finding::pass();
}

}  // namespace

SvdProperty outside() {
  return {"outside", "writes nothing but its outputs", {}, check};
}

}  // namespace assay::validation::svd
