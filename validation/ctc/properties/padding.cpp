// Frames past input_length and targets past target_length have no effect.
#include <limits>

#include "validation/ctc/compare.h"
#include "validation/ctc/properties/properties.h"

namespace assay::validation::properties {
namespace {

/// Adds a frame, pads the targets with `label`, and sets all unused activations to `frame_value`.
CtcCase with_padding(CtcCase c, float frame_value, std::int64_t label) {
  std::vector<std::vector<std::int64_t>> rows;
  for (std::int64_t b = 0; b < c.B; ++b) rows.push_back(c.labels(b));
  c.layout = CtcTargets::padded;
  set_targets(c, rows, label);
  c.T += 1;
  c.activations.resize(static_cast<std::size_t>(c.T * c.B * c.C));
  for (std::int64_t b = 0; b < c.B; ++b) {
    for (std::int64_t t = c.input_lengths[static_cast<std::size_t>(b)]; t < c.T; ++t) {
      for (std::int64_t k = 0; k < c.C; ++k) c.activation(t, b, k) = frame_value;
    }
  }
  return c;
}

Finding check_padding(const CtcContext& context, const CtcCase& c) {
  expect_same_bits(context.kernel.info().support);
  const CtcCase quiet = with_padding(c, 0.0F, c.blank);
  const CtcCase noisy = with_padding(c, std::numeric_limits<float>::quiet_NaN(), c.C == 1 ? 7 : (c.blank + 1) % c.C);
  const CtcCase large = with_padding(c, rounded_to(c.dtype, 1e30), std::numeric_limits<std::int64_t>::min());
  const CtcRun expected = run_valid(context.kernel, quiet);
  Finding finding = Finding::pass();
  for (const CtcCase& other : {noisy, large})
    finding.take(same_bits(quiet, expected, run_valid(context.kernel, other), "padding changes the result"));
  return finding;
}

}  // namespace

CtcProperty padding() {
  return {"padding", "garbage past the lengths changes no bit", {.min_rows = 2}, check_padding};
}

}  // namespace assay::validation::properties
