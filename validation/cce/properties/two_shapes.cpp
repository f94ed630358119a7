// A problem gives the same bits before and after a larger problem: a kernel keeps no state between calls.
#include "validation/cce/properties/properties.h"
#include "validation/core/properties.h"

namespace assay::validation::cce {
namespace {

std::vector<std::int64_t> twice(std::int64_t count) {
  std::vector<std::int64_t> which;
  for (std::int64_t i = 0; i < 2 * count; ++i) which.push_back(i % count);
  return which;
}

/// Twice the tokens and twice the vocabulary, with logits of the other sign.
CceCase larger(const CceCase& c) {
  CceCase d = select_entries(select_tokens(c, twice(c.N)), twice(c.V));
  for (float& element : d.hidden) element = -element;
  return d;
}

}  // namespace

CceProperty two_shapes() {
  return validation::two_shapes<CceOperation>(larger);
}

}  // namespace assay::validation::cce
