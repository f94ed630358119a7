// The parts of `bench gpu`, each a table.
#pragma once

#include <memory>

#include "metal/device/device.h"

namespace assay::bench {

/// A GPU, and how often each row is measured.
struct Gpu {
  std::shared_ptr<metal::Device> device;
  int repetitions = 30;
};

void add_gpu_ctc(const Gpu& gpu);

}  // namespace assay::bench
