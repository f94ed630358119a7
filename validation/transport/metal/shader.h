// A user's .metal file as its binding describes it, on the emulator with every check on.
#pragma once

#include <memory>
#include <mutex>

#include "metal/device/command_queue.h"
#include "metal/device/library.h"
#include "metal/emulator/emulator_device.h"
#include "validation/transport/metal/binding.h"
#include "validation/transport/metal/call.h"

namespace assay::validation::transport {

class MetalShader {
 public:
  /// Compiles. Throws std::invalid_argument if the source does not compile, or if the binding names a function, an
  /// index or a type that the source does not have.
  MetalShader(const std::filesystem::path& binding, const MetalInterface& interface);

  const MetalBinding& binding() const { return binding_; }

  /// The type of an array's elements in the shader.
  const MetalScalar& type_of(const std::string& array) const { return *find_metal_scalar(binding_.types.at(array)); }

  /// Runs every pass, then copies the outputs to the caller. Throws std::runtime_error with what a check reports,
  /// what stopped a pass, an expression without a meaning for this problem, or a changed input.
  void run(const MetalCall& call) const;

 private:
  MetalBinding binding_;
  std::shared_ptr<metal::emulator::EmulatorDevice> device_;
  std::shared_ptr<metal::Library> library_;
  mutable std::mutex mutex_;  ///< runs take turns, because they share the device's reports
};

}  // namespace assay::validation::transport
