// What tests ask of the model and make it do. It needs no metal-cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace assay::metal::apple::model {

/// How many objects of each class are alive, for example "MTLBuffer 2, NSString 1"; empty if none is.
std::string live_objects();

/// How many objects of a class there have been.
long created(const std::string& class_name);

/// What the emulator's checks reported of the kernels since the last call.
std::vector<std::string> reports();

/// The steps of a threadgroup after which the watchdog ends its command buffer: EmulatorOptions::step_limit.
void set_watchdog(std::uint64_t steps);

/// What the GPU does not have from now on: it answers nil.
enum class Lack { nothing, device, memory, queue, command_buffer, encoder };
void lack(Lack what);

}  // namespace assay::metal::apple::model
