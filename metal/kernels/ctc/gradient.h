// The gradient of the classes that occur in a row, from their posteriors. It replaces the value that ctc_emissions
// wrote.
//
//   weight * (y - posterior) with respect to logits (Graves et al. 2006, eq. 16), weight * -posterior to log_probs
#pragma once

#include "row.h"

namespace assay {
namespace ctc {

/// dL/da = y - posterior (Graves et al. 2006, eq. 16), dL/d ln y = -posterior.
inline float gradient_of(Row row, float y, float posterior) {
  return row.weight * ((of_logits ? y : 0.0f) - posterior);
}

/// The gradient of a row without an alignment: NaN in all its frames, or 0. All threads of a group must call it.
template <class D>
void fill_gradient(Shape shape, Row row, uint b, device D* gradient, uint thread_index, uint thread_count) {
  const D value = D(shape.zero_infinity != 0 ? 0.0f : NAN);
  for (uint t = 0; t < row.frames; ++t) {
    device D* const frame = gradient + frame_begin(shape, t, b);
    for (ulong k = thread_index; k < ulong(shape.C); k += thread_count) frame[k] = value;
  }
}

/// The buffers from which a frame's gradient is computed.
template <class D>
struct GradientOf {
  device const uint* order;
  device const uint* ends;
  device const uint* classes;
  device const Scaled* emissions;
  device const float* normalizers;
  device D* gradient;
};

/// The same buffers, where those that are divided by rows begin at this row.
template <class D>
GradientOf<D> of_row(GradientOf<D> of, Row row) {
  return {of.order + row.labels_begin,
          of.ends + row.classes_begin,
          of.classes + row.classes_begin,
          of.emissions + row.emissions_begin,
          of.normalizers,
          of.gradient};
}

template <class D>
void write_posterior(GradientOf<D> of, Shape shape, Row row, uint b, uint t, uint slot, float posterior) {
  const float y = to_float(of.emissions[ulong(t) * row.classes + slot]) / of.normalizers[t * ulong(shape.B) + b];
  of.gradient[frame_begin(shape, t, b) + of.classes[slot]] = D(gradient_of(row, y, posterior));
}

}  // namespace ctc
}  // namespace assay
