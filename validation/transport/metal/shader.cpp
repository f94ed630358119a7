#include "validation/transport/metal/shader.h"

#include <fmt/format.h>

#include <stdexcept>

#include "validation/transport/metal/reflection.h"
#include "validation/transport/metal/run.h"

namespace assay::validation::transport {
namespace {

std::shared_ptr<metal::emulator::EmulatorDevice> device_for(const MetalBinding& binding) {
  metal::emulator::EmulatorOptions options;
  options.metal_version = static_cast<int>(binding.metal_version);
  options.macros = binding.macros;
  return std::make_shared<metal::emulator::EmulatorDevice>(options);
}

std::shared_ptr<metal::Library> compiled(metal::emulator::EmulatorDevice& device, const MetalBinding& binding) {
  auto library = device.new_library_from_file(binding.source);
  if (!library)
    throw std::invalid_argument(fmt::format("{} does not compile:\n{}", binding.source.string(), library.error().text));
  return *library;
}

}  // namespace

MetalShader::MetalShader(const std::filesystem::path& binding, const MetalInterface& interface)
    : binding_(read_binding(binding, interface)),
      device_(device_for(binding_)),
      library_(compiled(*device_, binding_)) {
  expect_fit(binding_, *library_);
}

void MetalShader::run(const MetalCall& call) const {
  const std::lock_guard lock(mutex_);
  MetalRun(*device_, *library_, binding_, call).run();
}

}  // namespace assay::validation::transport
