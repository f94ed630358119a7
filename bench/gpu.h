// The parts of `bench gpu`: each registers its rows, and says what its columns are.
#pragma once

#include <memory>
#include <vector>

#include "bench/table.h"
#include "bench/timed_device.h"

namespace assay::bench {

std::vector<Column> add_gpu_ctc(const std::shared_ptr<TimedDevice>& device);
std::vector<Column> add_gpu_cce(const std::shared_ptr<TimedDevice>& device);
std::vector<Column> add_gpu_svd(const std::shared_ptr<TimedDevice>& device);

}  // namespace assay::bench
