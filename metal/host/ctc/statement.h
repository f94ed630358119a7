// All of a CTC problem on which the kernels and the lengths of buffers depend, except its rows: rows.h.
#pragma once

#include <cstdint>
#include <string>

#include "metal/host/kernel_path.h"
#include "metal/host/work.h"
#include "reference/ctc/problem.h"

namespace assay::metal::host {

using CtcPath = KernelPath;

struct CtcStatement {
  std::int64_t T = 0, B = 0, C = 0;
  CtcPath path = CtcPath::production;
  std::string type;                ///< of activations and gradient: Metal's name
  std::uint64_t element_size = 0;  ///< its bytes
  bool from_logits = true;
  bool of_logits = true;
  bool with_gradient = true;
  bool zero_infinity = false;
  bool is_reduced = false;       ///< to a sum or a mean
  std::uint64_t min_states = 0;  ///< CtcOptions::min_states
  std::uint64_t max_work = default_max_work;

  std::uint64_t frames() const { return static_cast<std::uint64_t>(T) * static_cast<std::uint64_t>(B); }
  std::uint64_t elements() const { return frames() * static_cast<std::uint64_t>(C); }
  std::uint64_t activation_bytes() const { return elements() * element_size; }
  std::uint64_t loss_bytes() const { return sizeof(float) * (is_reduced ? 1 : static_cast<std::uint64_t>(B)); }
};

template <class Real>
CtcStatement ctc_statement(const reference::CtcProblem<Real>& problem, bool with_gradient, CtcPath path) {
  CtcStatement statement;
  statement.T = problem.T;
  statement.B = problem.B;
  statement.C = problem.C;
  statement.path = path;
  statement.type = metal_type<Real>();
  statement.element_size = sizeof(Real);
  statement.from_logits = problem.input == reference::CtcInput::logits;
  statement.of_logits = problem.variable == reference::CtcVariable::logits;
  statement.with_gradient = with_gradient;
  statement.zero_infinity = problem.zero_infinity;
  statement.is_reduced = problem.reduction != reference::Reduction::none;
  return statement;
}

}  // namespace assay::metal::host
