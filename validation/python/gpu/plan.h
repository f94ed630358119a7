// Plans of the hosts as data: for a Metal that takes no calls of the device layer, such as PyTorch's
// (assay.torch._mps).
#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "metal/device/or_throw.h"
#include "metal/host/recording_device.h"

namespace assay::python {

/// What the caller's Metal has: the bytes that it recommends to use at most, 0 if it does not say, and how many threads
/// a group of each kernel has at most, if less than 1024.
struct MetalLimits {
  std::uint64_t working_set;
  std::map<std::string, std::uint32_t> max_threads;
};

/// The buffers and the dispatches of one plan, in command buffers that run one after the other.
class RecordedPlan {
 public:
  explicit RecordedPlan(const MetalLimits& limits)
      : device_(metal::host::RecordingDevice::create({limits.working_set, limits.max_threads})) {}

  const std::shared_ptr<metal::host::RecordingDevice>& device() const { return device_; }

  /// Throws std::runtime_error with the host's reason.
  template <class Plan, class Buffers>
  void record(const Plan& plan, const Buffers& buffers) {
    for (const auto& range : plan.command_ranges()) {
      metal::or_throw(device_->record([&](metal::ComputeCommandEncoder& encoder) {
        return plan.encode(encoder, buffers, range.first, range.count);
      }));
      ends_.push_back(device_->dispatches().size());
    }
  }

  /// {"buffers": [(label, bytes, contents or None)], "commands": [[dispatch]]}, where a dispatch has "kernel",
  /// "constants" {index: bytes}, "buffers" {index: (place in buffers, offset)}, "bytes" {index: bytes},
  /// "threadgroup_lengths" {index: bytes}, "threads" and "group" [x, y, z].
  pybind11::dict as_dict() const;

 private:
  std::shared_ptr<metal::host::RecordingDevice> device_;
  std::vector<std::size_t> ends_;  ///< of the command buffers, in dispatches
};

void add_shader_text(pybind11::module_& module);

}  // namespace assay::python
