// A dispatch of a plan.
#pragma once

#include <cstdint>
#include <memory>

#include "metal/device/compute_pipeline.h"
#include "metal/device/limits.h"

namespace assay::metal::host {

/// A kernel ready to be dispatched.
struct Kernel {
  std::shared_ptr<const ComputePipeline> pipeline;
  std::uint64_t threads = 32;            ///< in a group
  std::uint64_t threadgroup_length = 0;  ///< bytes of [[threadgroup(0)]]
  std::uint64_t items = 1;               ///< that a group computes: frames of CTC
};

/// `Shape` is what the kernels of an operation are told.
template <class Shape>
struct Dispatch {
  Kernel kernel;
  Shape shape{};
  Size groups;
  std::uint64_t work = 0;
};

}  // namespace assay::metal::host
