// The recursions of scaled.h in extended range, eight states at a time, with a mantissa and an exponent for each state:
// nothing under- or overflows, and no result needs a condition.
//
// Every operation is rounded once, as in scaled.h: sums are formed in units of their largest term, and products are
// brought back to the range of mantissas, both exactly. At each frame the products alpha(t) beta(t) become doubles in
// units of their largest one, so that the classes add up their numerators as in scaled.h; what is below 2^-512 of the
// largest becomes 0.
#pragma once

#include "metal/cpu/ctc/simd/extended_row.h"
#include "metal/cpu/ctc/simd/scaled_backward.h"

namespace assay::metal::cpu::ASSAY_SIMD {

/// Row 0 of alpha: 1 in the blank before the first label, and 0 elsewhere.
ASSAY_INLINE void start_forward(const ExtendedRow& row) {
  for (const ExtendedArray cells : {row.blanks(0), row.labels(0)}) set_zero(cells, 0), set_zero(cells, lanes);
  row.blanks(0).mantissa[0] = 1.0;
  row.blanks(0).exponent[0] = 0.0;
  set_zero(row.labels(0) + -8, 0);
}

/// alpha(t), in row t + 1, from alpha(t-1).
inline void step_forward(const ExtendedRow& row, std::size_t t) {
  const Live live(t, row.row.T, row.row.S);
  const std::size_t begin = live.begin(), end = live.end();
  const ExtendedArray blanks = row.blanks(t), labels = row.labels(t), y_labels = row.of_labels(t);
  const ExtendedArray new_blanks = row.blanks(t + 1), new_labels = row.labels(t + 1);
  const double* skips = row.row.cells.skips.data();
  const ExtendedLanes y_blank = all(number(row.y(t), row.row.blank));
  ExtendedLanes before = load(labels + -8, begin);
  for (std::size_t i = begin; i < end; i += lanes) {
    const ExtendedLanes blank = load(blanks, i), label = load(labels, i), label_before = last_then(before, label);
    before = label;
    ExtendedLanes new_blank = product(sum(blank, label_before), y_blank);
    ExtendedLanes new_label = product(sum(label, blank, load(skips + i), label_before), load(y_labels, i));
    if (i == begin) {
      new_blank = only(lanes_from(live.first_blank - begin), new_blank);
      new_label = only(lanes_from(live.first_label - begin), new_label);
    }
    store(new_blanks, i, new_blank);
    store(new_labels, i, new_label);
  }
  set_zero(new_blanks, end);
  set_zero(new_labels, end);
  const ExtendedArray edge = new_labels + (static_cast<std::ptrdiff_t>(begin) - 1);
  *edge.mantissa = 0.0;
  *edge.exponent = never;
}

/// next(T-1) is 1 in the blank after the last label, and 0 elsewhere.
ASSAY_INLINE void start_backward(const ExtendedRow& row) {
  for (std::size_t i = 0; i < ScaledCells::stride(row.row.S) + 8; i += lanes) set_zero(row.next_blanks(), i);
  row.next_blanks().mantissa[row.row.S] = 1.0;
  row.next_blanks().exponent[row.row.S] = 0.0;
}

/// Replaces the numbers from `begin` to `end` by their values in units of 2^(512 unit); returns the sum of these.
ASSAY_INLINE Lanes settle(ExtendedArray products, std::size_t begin, std::size_t end, Lanes unit) {
  Lanes total = all(0.0);
  for (std::size_t i = begin; i < end; i += lanes) {
    const Lanes value = in_units_of(unit, load(products, i));
    total = total + value;
    store(products.mantissa + i, value);
  }
  return total;
}

/// Replaces y(t) of each label by alpha(t) beta(t) in units of the largest, and adds these up over labels and over
/// blanks. Replaces next(t) by next(t-1).
inline void step_backward(const ExtendedRow& row, std::size_t t) {
  const Live live(t, row.row.T, row.row.S);
  const std::size_t begin = live.begin(), end = live.end();
  const ExtendedArray blanks = row.blanks(t + 1), labels = row.labels(t + 1), of_labels = row.of_labels(t);
  const ExtendedArray next_blanks = row.next_blanks(), next_labels = row.next_labels();
  const double* skips = row.row.cells.skips.data();
  const ExtendedLanes y_blank = all(number(row.y(t), row.row.blank));
  ExtendedLanes of_blanks = all(Extended{});
  Lanes highest = all(never);
  ExtendedLanes blank = load(next_blanks, begin), label = load(next_labels, begin);
  for (std::size_t i = begin; i < end; i += lanes) {
    const ExtendedLanes blank_after = load(next_blanks, i + lanes), label_after = load(next_labels, i + lanes);
    ExtendedLanes beta_blank = sum(blank, label);
    ExtendedLanes beta_label =
        sum(label, then_first(blank, blank_after), load(skips + i + 1), then_first(label, label_after));
    blank = blank_after;
    label = label_after;
    if (i + lanes == end) {
      const Lanes reachable = lanes_below(live.last + 1 - i);
      beta_blank = only(reachable, beta_blank);
      beta_label = only(reachable, beta_label);
    }
    const ExtendedLanes of_label = product(load(labels, i), beta_label);
    of_blanks = sum(of_blanks, product(load(blanks, i), beta_blank));
    highest = max(highest, of_label.exponent);
    store(next_blanks, i, product(beta_blank, y_blank));
    store(next_labels, i, product(beta_label, load(of_labels, i)));
    store(of_labels, i, of_label);
  }
  const Lanes unit = all(largest(max(highest, of_blanks.exponent)));
  row.row.cells.blank_totals.data()[t] = sum(in_units_of(unit, of_blanks));
  row.row.cells.label_totals.data()[t] = sum(settle(of_labels, begin, end, unit));
}

template <class Real>
void extended_backward(const Row<Real>& to, const RowWorkspace& workspace, const ExtendedRow& row,
                       const States& states) {
  start_backward(row);
  for (std::size_t t = (row.row.T + block - 1) / block * block; t > 0;) {
    t -= block;
    take_block(to, row, states, workspace.normalizers.data(), t);
    const std::size_t end = last_of_block(row.row, t) + 1;
    for (std::size_t f = end; f-- > t;) step_backward(row, f);
    collect(row.row, t);
    for (std::size_t f = t; f < end; ++f) write_label_gradient(to, row.row, states, f);
  }
}

template <class Real>
double extended(const Row<Real>& of, const RowWorkspace& workspace, const States& states) {
  const std::size_t T = of.T(), S = of.labels.size(), K = states.classes.size();
  const bool gradient = of.gradient.data() != nullptr;
  Arena arena(workspace.cells.data());
  const ExtendedCells cells = take_extended(arena, T, S, K, kept_rows(T, gradient));
  const ExtendedRow row = {{T, S, K, states.slots.data()[0], gradient ? ~std::size_t{0} : 1, workspace.emissions.data(),
                            workspace.normalizers.data(), cells.scaled},
                           cells};
  expand(row.row, states);
  start_forward(row);
  for (std::size_t t = 0; t < T; ++t) {
    if (t % block == 0) take_block(of, row, states, workspace.normalizers.data(), t);
    step_forward(row, t);
  }
  const Extended p = number(row.blanks(T), S) + number(row.labels(T) + -1, S);
  if (!p.is_zero() && gradient && T > 0) extended_backward(of, workspace, row, states);
  return -log(p);
}

}  // namespace assay::metal::cpu::ASSAY_SIMD
