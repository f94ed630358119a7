// The size of the vocabulary chunks does not matter.
#include "validation/cce/compare.h"
#include "validation/cce/properties/properties.h"

namespace assay::validation::cce {
namespace {

Finding check_chunks(const CceContext& context, const CceCase& c) {
  const auto& chunks = context.kernel.info().chunks;
  if (chunks.empty()) return Finding::skip("the kernel has no chunks to choose");
  CceRunComparison comparison(c, context.kernel.info());
  const CceRun own = run_valid(context.kernel, c);
  for (const std::int64_t chunk : chunks)
    comparison.all(run_valid(context.kernel, c, {.request = {.chunk = chunk}}), own);
  return comparison.finding();
}

}  // namespace

CceProperty chunks() {
  return {"chunks", "the size of vocabulary chunks does not matter", {.many_entries = 0.3}, check_chunks};
}

}  // namespace assay::validation::cce
