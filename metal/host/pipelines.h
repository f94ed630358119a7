// The pipelines of a library. Each is made once, because this compiles a kernel, which takes longer than to run it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "metal/device/device.h"

namespace assay::metal::host {

/// Several threads may use it at once.
class Pipelines {
 public:
  Pipelines(std::shared_ptr<Device> device, std::shared_ptr<Library> library)
      : device_(std::move(device)), library_(std::move(library)) {}

  bool has_function(const std::string& name) const;

  /// The pipeline of this kernel with these constants. The first call makes it; later calls return the same one.
  /// Errors: those of Library::new_function and Device::new_pipeline, with the kernel's name. After an error the next
  /// call tries again.
  Result<std::shared_ptr<const ComputePipeline>> get(const std::string& name, const FunctionConstants& constants);

  /// As Library::reload_if_changed. After a change all pipelines are made again. Pipelines returned before stay valid.
  Result<bool> reload_if_changed();

 private:
  Result<std::shared_ptr<const ComputePipeline>> make(const std::string& name, const FunctionConstants& constants);

  std::shared_ptr<Device> device_;
  std::shared_ptr<Library> library_;
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const ComputePipeline>> pipelines_;  ///< by name and constants
};

/// Runs the kernels of a library on a device.
struct Engine {
  std::shared_ptr<CommandQueue> queue;
  std::shared_ptr<Pipelines> pipelines;
};

/// Errors: argument, if one of the two is null; execution, if the device makes no queue.
Result<Engine> engine_of(const std::shared_ptr<Device>& device, std::shared_ptr<Library> library);

/// The library of `file`, or of kernel_file(name) if `file` is empty. Errors: those of Device::new_library_from_file,
/// preceded by the name of the file.
Result<std::shared_ptr<Library>> library_of(Device& device, const std::filesystem::path& file, const char* name);

/// Errors: limit, for a pipeline whose simdgroups do not have 32 threads, or that supports fewer than `threads` threads
/// in a group.
Result<void> check_pipeline(const std::string& name, const ComputePipeline& pipeline, std::uint64_t threads);

/// The most threads in a group that the pipeline and the device support, in whole simdgroups.
std::uint64_t max_group_threads(const ComputePipeline& pipeline, const Limits& limits);

}  // namespace assay::metal::host
