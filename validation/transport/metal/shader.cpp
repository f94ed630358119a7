#include "validation/transport/metal/shader.h"

#include <fmt/format.h>

#include <stdexcept>

#include "validation/core/kernel_device.h"
#include "validation/core/kernel_unavailable.h"
#include "validation/transport/metal/reflection.h"
#include "validation/transport/metal/run.h"

namespace assay::validation::transport {
namespace {

struct NameParts {
  std::string binding, device;
};

NameParts parts_of(const std::string& name) {
  const std::size_t at = name.rfind(".json@");
  if (at == std::string::npos) return {name, "emulated"};
  return {name.substr(0, at + 5), name.substr(at + 6)};
}

std::shared_ptr<metal::Library> compiled(metal::Device& device, const MetalBinding& binding) {
  auto library = device.new_library_from_file(binding.source);
  if (library) return *library;
  const std::string& text = library.error().text;
  if (library.error().kind == metal::Error::Kind::environment) throw KernelUnavailable(text);
  throw std::invalid_argument(fmt::format("{} does not compile:\n{}", binding.source.string(), text));
}

}  // namespace

bool is_binding(const std::string& name) {
  return parts_of(name).binding.ends_with(".json");
}

MetalShader::MetalShader(const std::string& name, const MetalInterface& interface)
    : binding_(read_binding(parts_of(name).binding, interface)),
      device_(open_for_kernel(parts_of(name).device, binding_.language)),
      library_(compiled(*device_, binding_)) {
  expect_fit(binding_, *library_);
}

void MetalShader::run(const MetalCall& call) const {
  const std::lock_guard lock(mutex_);
  MetalRun(*device_, *library_, binding_, call).run();
}

}  // namespace assay::validation::transport
