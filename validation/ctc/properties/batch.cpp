// A row has the same bits in a batch of fewer rows and of more: no sum depends on the number of rows.
#include "validation/core/batch.h"

#include "validation/ctc/properties/properties.h"

namespace assay::validation::properties {
namespace {

/// The rows `which` with a loss each, with T and S as they were.
CtcCase rows_of(const CtcCase& c, const std::vector<std::int64_t>& which) {
  CtcCase d = select_rows(c, which);
  if (c.reduction != Reduction::none) d.upstream.clear();
  d.reduction = Reduction::none;
  d.S = c.S;
  if (c.layout != CtcTargets::padded) return d;
  d.targets.clear();
  for (const std::int64_t b : which) {
    const auto row = c.targets.begin() + b * c.S;
    d.targets.insert(d.targets.end(), row, row + c.S);
  }
  return d;
}

}  // namespace

CtcProperty batch() {
  return validation::batch<CtcOperation>("a row gives the same bits in batches of any size", {.min_rows = 2}, "B",
                                         rows_of);
}

}  // namespace assay::validation::properties
