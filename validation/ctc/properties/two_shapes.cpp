// A problem gives the same bits before and after a larger problem: a kernel keeps no state between calls.
#include <cmath>

#include "validation/core/properties.h"
#include "validation/ctc/properties/properties.h"

namespace assay::validation::properties {
namespace {

/// A problem with twice the rows and with more frames and labels: larger in every dimension but C.
CtcCase larger(const CtcCase& c) {
  std::vector<std::int64_t> twice;
  for (std::int64_t b = 0; b < 2 * c.B; ++b) twice.push_back(b % c.B);
  CtcCase d = select_rows(c, twice);
  std::vector<std::vector<std::int64_t>> targets;
  for (std::int64_t b = 0; b < d.B; ++b) {
    auto labels = d.labels(b);
    if (c.C > 1) labels.insert(labels.end(), 2, c.blank == 0 ? 1 : 0);
    targets.push_back(std::move(labels));
  }
  set_targets(d, targets);
  d.T += 2;
  d.activations.resize(static_cast<std::size_t>(d.T * d.B * d.C), 0.5F);
  for (float& a : d.activations) a = std::isfinite(a) ? -a : 0.5F;  // frames past a length hold anything
  for (auto& length : d.input_lengths) length = d.T;
  return d;
}

}  // namespace

CtcProperty two_shapes() {
  return validation::two_shapes<CtcOperation>(larger);
}

}  // namespace assay::validation::properties
