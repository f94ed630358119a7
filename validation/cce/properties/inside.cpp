// Every element of every output is written: none keeps the poison it was filled with.
#include <fmt/format.h>

#include "validation/cce/properties/properties.h"
#include "validation/cce/run.h"

namespace assay::validation::cce {
namespace {

Finding check(const CceContext& context, const CceCase& c) {
  const CceRun run = run_valid(context.kernel, c);
  if (run.unwritten.empty()) return Finding::pass();
  return Finding::fail(fmt::format("  {}, {} elements in all", run.unwritten.front(), run.unwritten.size()));
}

}  // namespace

CceProperty inside() {
  return {"inside", "writes every element of its outputs", {}, check};
}

}  // namespace assay::validation::cce
