// cce_loss with parameters that it usually sets by itself, for tests and measurements.
#pragma once

#include <cstdint>
#include <span>

#include "metal/cpu/cce/loss.h"
#include "metal/cpu/instruction_set.h"

namespace assay::metal::cpu {

struct CceTuning {
  /// Bytes for tiles, sums and exponentials beside inputs and outputs; 0: cce_budget(threads). The code and the buffers
  /// of oneDNN and OpenBLAS are not counted.
  std::int64_t budget = 0;
  std::int64_t chunk = 768;       ///< entries computed at a time, at most
  std::int64_t tile_rows = 2048;  ///< tokens computed at a time, at most
  /// Up to so many tokens, and up to tile_rows / 2, products are limited by memory (products.h); up to half as many
  /// where the processor multiplies bfloat16.
  std::int64_t few_tokens = 16;
  InstructionSet set = fastest_instruction_set();
  bool bfloat16_products = true;  ///< where the processor has instructions for them
};

template <class Real>
void cce_loss(const reference::CceProblem<Real>& problem, const CceOutput<Real>& output, const CceCpuOptions& options,
              const CceTuning& tuning);

template <class Real>
void cce_forward(const reference::CceProblem<Real>& problem, std::span<float> loss, std::span<double> log_sum_exp,
                 const CceCpuOptions& options, const CceTuning& tuning);

template <class Real>
void cce_backward(const reference::CceProblem<Real>& problem, std::span<const double> log_sum_exp,
                  const CceGradients<Real>& gradients, const CceCpuOptions& options, const CceTuning& tuning);

}  // namespace assay::metal::cpu
