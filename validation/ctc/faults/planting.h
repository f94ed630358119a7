// How a fault is planted: a class derived from PlainCtcKernel that overrides a step and carries a note of its own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "validation/ctc/faults/faults.h"
#include "validation/ctc/faults/plain_kernel.h"

namespace assay::validation {

/// The texts of a CtcFault. Every fault's class has one as `static constexpr FaultNote note`.
struct FaultNote {
  const char* name;
  const char* story;
  const char* caught_by;
};

template <class Kernel>
CtcFault plant() {
  const auto kernel = std::make_shared<Kernel>();
  kernel->rename("fault:" + std::string(Kernel::note.name));
  return {Kernel::note.name, Kernel::note.story, Kernel::note.caught_by, kernel, plain_ctc_kernel()};
}

template <class... Kernels>
std::vector<CtcFault> plant_all() {
  return {plant<Kernels>()...};
}

// One file each.
std::vector<CtcFault> recursion_faults();
std::vector<CtcFault> length_faults();
std::vector<CtcFault> gradient_faults();
std::vector<CtcFault> option_faults();
std::vector<CtcFault> numeric_faults();
std::vector<CtcFault> memory_faults();
std::vector<CtcFault> contract_faults();
std::vector<CtcFault> metal_faults();

}  // namespace assay::validation
