#include "validation/transport/metal/shader.h"

#include <fmt/format.h>

#include <stdexcept>

#include "validation/core/kernel_device.h"
#include "validation/core/kernel_unavailable.h"
#include "validation/shader/compiled.h"
#include "validation/shader/instantiate.h"

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

std::shared_ptr<metal::Library> compiled(metal::Device& device, const ShaderDocument& binding) {
  auto library = device.new_library_from_file(binding.script.source);
  if (library) return *library;
  const std::string& text = library.error().text;
  if (library.error().kind == metal::Error::Kind::environment) throw KernelUnavailable(text);
  throw std::invalid_argument(fmt::format("{} does not compile:\n{}", binding.script.source.string(), text));
}

/// Throws std::invalid_argument if the functions do not take what the binding gives them.
void expect_fit(const ShaderDocument& binding, metal::Library& library) {
  ShaderScript passes = with_kernels(outline(binding), library.function_names());
  arrays_of(passes, functions_of(passes, library));
}

}  // namespace

bool is_binding(const std::string& name) {
  return parts_of(name).binding.ends_with(".json");
}

MetalShader::MetalShader(const std::string& name, const ShaderInterface& interface)
    : binding_(read_document(parts_of(name).binding, interface)),
      device_(open_for_kernel(parts_of(name).device, binding_.script.language)),
      library_(compiled(*device_, binding_)) {
  expect_fit(binding_, *library_);
}

void MetalShader::run(MetalCall& call) const {
  const std::lock_guard lock(mutex_);
  try {
    call.run(*device_, *library_);
  } catch (const std::invalid_argument& problem) {  // no refusal of the problem
    throw_reports(*device_);
    throw std::runtime_error(problem.what());
  }
}

}  // namespace assay::validation::transport
