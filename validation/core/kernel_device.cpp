#include "validation/core/kernel_device.h"

#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>

#include "metal/device/or_throw.h"
#include "metal/device/shader_source.h"
#include "metal/emulator/emulator_device.h"
#include "metal/host/kernel_file.h"
#include "validation/core/support.h"

namespace assay::validation {

std::string device_in(const std::string& kernel) {
  for (const std::string name : metal::device_names)
    if (kernel == "metal-" + name) return name;
  return {};
}

std::int64_t reach_on(const std::string& device) {
  return device == "emulated" ? 1 << 10 : Support().reach;
}

std::shared_ptr<metal::Device> kernel_device(const std::string& name, const ShaderEdit& edit) {
  return or_throw(metal::open_device(name, {.metal_version = edit ? 300 : 320}));
}

std::shared_ptr<metal::Library> kernel_library(metal::Device& device, const char* file, const ShaderEdit& edit) {
  const std::filesystem::path path = metal::host::kernel_file(file);
  if (!edit) return or_throw(device.new_library_from_file(path));
  return or_throw(device.new_library(edit(or_throw(metal::text_with_includes(path)))));
}

std::string replaced_once(std::string text, const std::string& before, const std::string& after) {
  const auto at = text.find(before);
  if (at == std::string::npos || text.find(before, at + 1) != std::string::npos)
    throw std::logic_error(fmt::format("expected exactly once in the shader: {}", before));
  return text.replace(at, before.size(), after);
}

void throw_reports(metal::Device& device) {
  auto* const emulated = dynamic_cast<metal::emulator::EmulatorDevice*>(&device);
  if (emulated == nullptr) return;
  const auto reports = emulated->reports();
  if (reports.empty()) return;
  emulated->clear_reports();
  throw std::runtime_error(
      fmt::format("{}{}", to_string(reports.front()),
                  reports.size() > 1 ? fmt::format("\n(and {} more reports)", reports.size() - 1) : ""));
}

}  // namespace assay::validation
