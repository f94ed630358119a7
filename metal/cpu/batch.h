// ctc_loss with the choices that it makes by itself laid open, for tests and measurements.
#pragma once

#include <atomic>
#include <cstddef>

#include "metal/cpu/ctc_loss.h"
#include "metal/cpu/kernels.h"

namespace assay::metal::cpu {

struct Choice {
  Path path = Path::scaled;
  InstructionSet set = fastest_instruction_set();
  std::atomic<std::size_t>* extended_rows = nullptr;  ///< counts the rows that took extended range
};

/// metal::ctc_loss, done in the way chosen.
template <class Real>
void ctc_loss(const reference::CtcProblem<Real>& problem, const CtcOutput<Real>& output, const CpuOptions& options,
              const Choice& choice);

}  // namespace assay::metal::cpu
