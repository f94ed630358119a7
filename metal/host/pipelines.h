// The pipelines of a library, each made once: to make one is to compile a kernel, which takes longer than to run it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "metal/device/device.h"

namespace assay::metal::host {

/// May be used from several threads at once.
class Pipelines {
 public:
  Pipelines(std::shared_ptr<Device> device, std::shared_ptr<Library> library)
      : device_(std::move(device)), library_(std::move(library)) {}

  bool has_function(const std::string& name) const;

  /// The pipeline of this kernel and these constants: made by the first call, after that always the same.
  /// Errors: those of Library::new_function and Device::new_pipeline, with the kernel's name; failures are not kept.
  Result<std::shared_ptr<const ComputePipeline>> get(const std::string& name, const FunctionConstants& constants);

  /// As Library::reload_if_changed; after a change all pipelines are made anew. Those handed out before stay valid.
  Result<bool> reload_if_changed();

 private:
  Result<std::shared_ptr<const ComputePipeline>> make(const std::string& name, const FunctionConstants& constants);

  std::shared_ptr<Device> device_;
  std::shared_ptr<Library> library_;
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const ComputePipeline>> pipelines_;  ///< by name and constants
};

/// What runs the kernels of a library on a device.
struct Engine {
  std::shared_ptr<CommandQueue> queue;
  std::shared_ptr<Pipelines> pipelines;
};

/// Errors: argument, for one of the two without the other; execution, where the device gives no queue.
Result<Engine> engine_of(const std::shared_ptr<Device>& device, std::shared_ptr<Library> library);

/// The library of `chosen` or, where that is empty, of the kernel file of this name. Errors: those of
/// Device::new_library_from_file, after the file's.
Result<std::shared_ptr<Library>> library_of(Device& device, const std::filesystem::path& chosen, const char* name);

/// Errors: limit, for a pipeline whose simdgroups are not of 32 threads, or that takes fewer than `threads` in a group.
Result<void> check_pipeline(const std::string& name, const ComputePipeline& pipeline, std::uint64_t threads);

}  // namespace assay::metal::host
