#include "metal/cpu/ctc/row_extended.h"

#include "metal/cpu/ctc/exponential.h"
#include "metal/cpu/ctc/recursion.h"
#include "metal/cpu/half.h"

namespace assay::metal::cpu {

namespace {

/// The row's part of the workspace, in the lengths of this row.
template <class Real>
struct Lattice {
  const Row<Real>& row;
  const RowWorkspace& workspace;
  const States& states;
  ExtendedCells cells;
  Rows alpha;
};

template <class Real>
Lattice<Real> lattice(const Row<Real>& row, const RowWorkspace& workspace, const States& states) {
  Arena arena(workspace.cells.data());
  const std::size_t kept = kept_rows(row.T(), !row.gradient.empty());
  const ExtendedCells cells = take_extended(arena, row.labels.size(), states.K(), kept);
  return {row, workspace, states, cells, {cells.alpha, padding + states.L() + padding, kept}};
}

/// y(t) [K] of the classes of the label sequence.
template <class Real>
std::span<const Extended> emissions(const Lattice<Real>& of, std::size_t t) {
  const Normalizer normalizer = of.workspace.normalizers[t];
  const Real* frame = of.row.activations(t);
  const Extended scale = extended({-normalizer.k0, normalizer.scale});
  for (std::size_t k = 0; k < of.states.K(); ++k)
    of.cells.emissions[k] = exponential(frame[of.states.classes[k]], normalizer.shift) * scale;
  return of.cells.emissions.first(of.states.K());
}

/// Returns p. The alpha of every frame that the lattice keeps stays in it.
template <class Real>
Extended forward(const Lattice<Real>& lattice) {
  const std::size_t T = lattice.row.T(), L = lattice.states.L();
  forward_start(lattice.alpha[0]);
  for (std::size_t t = 0; t < T; ++t)
    forward_step(lattice.states, band(t, T, L), emissions(lattice, t), lattice.alpha[t], lattice.alpha[t + 1]);
  return total_probability(lattice.alpha[T]);
}

template <class Real>
void write_label_gradient(const Lattice<Real>& of, std::size_t t, std::span<const Extended> numerators) {
  Extended total;
  for (const Extended& numerator : numerators) total = total + numerator;
  const double* y = of.workspace.emissions.data() + t * emission_stride(of.states.K());
  const bool logits = of.row.problem.variable == reference::CtcVariable::logits;
  Real* gradient = of.row.gradient_frame(t);
  for (std::size_t k = 0; k < numerators.size(); ++k) {
    const double posterior = quotient(numerators[k], total);
    gradient[of.states.classes[k]] = rounded<Real>(of.row.weight * ((logits ? y[k] : 0.0) - posterior));
  }
}

template <class Real>
void backward(const Lattice<Real>& lattice) {
  const std::size_t T = lattice.row.T(), L = lattice.states.L();
  const std::span<Extended> next = lattice.cells.next.first(L + padding);
  const std::span<Extended> numerators = lattice.cells.numerators.first(lattice.states.K());
  backward_start(next);
  for (std::size_t t = T; t-- > 0;) {
    backward_step(lattice.states, band(t, T, L), emissions(lattice, t), lattice.alpha[t + 1], next, numerators);
    write_label_gradient<Real>(lattice, t, numerators);
  }
}

}  // namespace

template <class Real>
double extended_row(const Row<Real>& row, const RowWorkspace& workspace, const States& states) {
  const Lattice<Real> cells = lattice(row, workspace, states);
  const Extended p = forward(cells);
  if (!p.is_zero() && !row.gradient.empty()) backward(cells);
  return -log(p);
}

template double extended_row(const Row<float>&, const RowWorkspace&, const States&);
template double extended_row(const Row<Half>&, const RowWorkspace&, const States&);
template double extended_row(const Row<BFloat16>&, const RowWorkspace&, const States&);

}  // namespace assay::metal::cpu
