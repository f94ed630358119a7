// A user's .metal file as its binding describes it, on the emulator with every check on or on a GPU.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "metal/device/device.h"
#include "metal/device/library.h"
#include "validation/transport/metal/call.h"

namespace assay::validation::transport {

/// Whether a kernel of this name is a shader with a binding: "mine.json", "mine.json@nvidia".
bool is_binding(const std::string& name);

class MetalShader {
 public:
  /// Compiles. `name` is the binding's path, with `@nvidia` behind it for another device than the emulator. Throws
  /// std::invalid_argument if the source does not compile, or if the binding names a function, an index or a type that
  /// the source does not have; std::runtime_error if the device is not to be had.
  MetalShader(const std::string& name, const ShaderInterface& interface);

  const ShaderDocument& binding() const { return binding_; }

  /// The type of an array's elements in the shader.
  const MetalScalar& type_of(const std::string& array) const { return *find_scalar(binding_.types.at(array)); }

  /// Runs every pass, then copies the outputs to the caller. Throws std::runtime_error with what a check reports,
  /// what stopped a pass, an expression without a meaning for this problem, or a changed input.
  void run(MetalCall& call) const;

 private:
  ShaderDocument binding_;
  std::shared_ptr<metal::Device> device_;
  std::shared_ptr<metal::Library> library_;
  mutable std::mutex mutex_;  ///< runs take turns, because they share the device's reports
};

}  // namespace assay::validation::transport
