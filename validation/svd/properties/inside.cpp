// Every element of every output is written: none keeps the poison it was filled with.
#include <fmt/format.h>

#include "validation/svd/properties/properties.h"
#include "validation/svd/run.h"

namespace assay::validation::svd {
namespace {

Finding check(const SvdContext& context, const SvdCase& c) {
  for (const bool vectors : {true, false}) {
    const SvdRun run = run_valid(context.kernel, c, {.vectors = vectors});
    if (!run.unwritten.empty())
      return Finding::fail(fmt::format("  {}, {} elements in all", run.unwritten.front(), run.unwritten.size()));
  }
  return Finding::pass();
}

}  // namespace

SvdProperty inside() {
  return {"inside", "writes every element of its outputs", {}, check};
}

}  // namespace assay::validation::svd
