// Faults of Metal kernels: the project's own shader with one place of its text changed. Most faults leave the numbers
// right on the emulator, and mostly right on a GPU; the emulator's checks report them nevertheless.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "validation/core/fault.h"
#include "validation/core/kernel_device.h"

namespace assay::validation {

/// `Variant` tells which of an operation's Metal kernels the fault is in.
template <class Variant>
struct ShaderFault {
  FaultNote note;
  Variant variant;
  const char* before;  ///< stands in the shader's text exactly once
  const char* after;
};

/// The edit that plants a fault, and leaves out the instantiation for half, which only costs time to compile.
inline ShaderEdit planting_edit(const char* before, const char* after) {
  return [before, after](const std::string& source) {
    return replaced_once(replaced_once(source, "\nINSTANTIATE_FOR(half)\n", "\n"), before, after);
  };
}

/// `make(name, variant, edit)` makes a kernel. Faults of one variant share the kernel without a fault, because a shader
/// is compiled for each kernel.
template <class Operation, class Variant, std::size_t count, class Make>
std::vector<Fault<Operation>> plant_in_shader(const ShaderFault<Variant> (&faults)[count], const Make& make) {
  std::map<Variant, std::shared_ptr<const typename Operation::Kernel>> healthy;
  std::vector<Fault<Operation>> planted;
  for (const auto& [note, variant, before, after] : faults) {
    if (!healthy[variant]) healthy[variant] = make("metal-emulated", variant, ShaderEdit{});
    const auto kernel = make(std::string("fault:") + note.name, variant, planting_edit(before, after));
    planted.push_back({note.name, note.description, note.caught_by, kernel, healthy[variant]});
  }
  return planted;
}

}  // namespace assay::validation
