// Plans of the hosts as data: for a Metal that takes no calls of the device layer, such as PyTorch's
// (assay.torch._mps).
#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <vector>

#include "metal/host/recording_device.h"

namespace assay::python {

/// The buffers and the dispatches that were recorded, in command buffers that run one after the other and end after so
/// many dispatches: {"buffers": [(label, bytes, contents or None)], "commands": [[dispatch]]}, where a dispatch has
/// "kernel", "constants" {index: bytes}, "buffers" {index: (place in buffers, offset)}, "bytes" {index: bytes},
/// "threadgroup_lengths" {index: bytes}, "threads" and "group" [x, y, z].
pybind11::dict dict_of(const metal::host::RecordingDevice& device, const std::vector<std::size_t>& ends);

void add_shader_text(pybind11::module_& module);

}  // namespace assay::python
