// ctc_loss with parameters that it usually sets by itself, for tests and measurements.
#pragma once

#include <atomic>
#include <cstddef>

#include "metal/cpu/ctc/kernels.h"
#include "metal/cpu/ctc/loss.h"

namespace assay::metal::cpu {

struct CtcTuning {
  Path path = Path::scaled;
  InstructionSet set = fastest_instruction_set();
  std::atomic<std::size_t>* extended_rows = nullptr;  ///< counts the rows that took extended range
};

/// metal::ctc_loss with these parameters.
template <class Real>
void ctc_loss(const reference::CtcProblem<Real>& problem, const CtcOutput<Real>& output, const CpuOptions& options,
              const CtcTuning& tuning);

}  // namespace assay::metal::cpu
