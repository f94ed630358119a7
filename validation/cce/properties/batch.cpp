// A token has the same loss and dhidden, in every bit, among fewer tokens and among more: no sum depends on the number
// of tokens.
#include "validation/core/batch.h"

#include "validation/cce/properties/properties.h"

namespace assay::validation::cce {
namespace {

/// The tokens `which` with a loss each.
CceCase tokens_of(const CceCase& c, const std::vector<std::int64_t>& which) {
  CceCase d = select_tokens(c, which);
  if (c.reduction != Reduction::none) d.upstream.clear();
  d.reduction = Reduction::none;
  return d;
}

}  // namespace

CceProperty batch() {
  return validation::batch<CceOperation>("a token gives the same bits among fewer or more", {.min_tokens = 2}, "N",
                                         tokens_of);
}

}  // namespace assay::validation::cce
