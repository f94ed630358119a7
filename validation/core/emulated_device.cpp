#include "validation/core/emulated_device.h"

#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>

#include "metal/device/or_throw.h"
#include "metal/device/shader_source.h"
#include "metal/host/kernel_file.h"

namespace assay::validation {

std::shared_ptr<metal::emulator::EmulatorDevice> emulated_device(const ShaderEdit& edit) {
  metal::emulator::EmulatorOptions options;
  if (edit) options.metal_version = 300;
  return std::make_shared<metal::emulator::EmulatorDevice>(options);
}

std::shared_ptr<metal::Library> kernel_library(metal::emulator::EmulatorDevice& device, const char* file,
                                               const ShaderEdit& edit) {
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

void throw_reports(metal::emulator::EmulatorDevice& device) {
  const auto reports = device.reports();
  if (reports.empty()) return;
  device.clear_reports();
  throw std::runtime_error(
      fmt::format("{}{}", to_string(reports.front()),
                  reports.size() > 1 ? fmt::format("\n(and {} more reports)", reports.size() - 1) : ""));
}

}  // namespace assay::validation
