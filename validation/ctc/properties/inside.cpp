// Every element of every output is written: none keeps the poison it was filled with.
#include <fmt/format.h>

#include "validation/ctc/properties/properties.h"
#include "validation/ctc/run.h"

namespace assay::validation::properties {
namespace {

Finding check(const CtcContext& context, const CtcCase& c) {
  const CtcRun run = run_valid(context.kernel, c);
  if (run.unwritten.empty()) return Finding::pass();
  return Finding::fail(fmt::format("  {}, {} elements in all", run.unwritten.front(), run.unwritten.size()));
}

}  // namespace

CtcProperty inside() {
  return {"inside", "writes every element of its outputs", {}, check};
}

}  // namespace assay::validation::properties
