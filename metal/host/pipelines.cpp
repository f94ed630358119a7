#include "metal/host/pipelines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "metal/host/failure.h"
#include "metal/host/kernel_file.h"

namespace assay::metal::host {

namespace {

constexpr std::uint32_t simdgroup = 32;

std::string key_of(const std::string& name, const FunctionConstants& constants) {
  std::string key = name;
  for (const auto& [index, value] : constants.values())
    key += fmt::format(" {}={}", index, fmt::join(std::span(value.bytes).first(value.size), ","));
  return key;
}

}  // namespace

bool Pipelines::has_function(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const std::vector<std::string> names = library_->function_names();
  return std::ranges::find(names, name) != names.end();
}

Result<std::shared_ptr<const ComputePipeline>> Pipelines::get(const std::string& name,
                                                              const FunctionConstants& constants) {
  const std::lock_guard lock(mutex_);
  const std::string key = key_of(name, constants);
  if (const auto known = pipelines_.find(key); known != pipelines_.end()) return known->second;
  Result<std::shared_ptr<const ComputePipeline>> pipeline = make(name, constants);
  if (pipeline) pipelines_.emplace(key, *pipeline);
  return pipeline;
}

Result<std::shared_ptr<const ComputePipeline>> Pipelines::make(const std::string& name,
                                                               const FunctionConstants& constants) {
  const auto function = made(library_->new_function(name, constants), fmt::format("finding kernel {}", name));
  if (!function) return tl::unexpected(function.error());
  return made(device_->new_pipeline(*function), fmt::format("making the pipeline of kernel {}", name));
}

Result<bool> Pipelines::reload_if_changed() {
  const std::lock_guard lock(mutex_);
  Result<bool> changed = library_->reload_if_changed();
  if (!changed) return failure("reloading the kernels", changed.error());
  if (*changed) pipelines_.clear();
  return changed;
}

Result<Engine> engine_of(const std::shared_ptr<Device>& device, std::shared_ptr<Library> library) {
  if (!device || !library)
    return error(Error::Kind::argument, fmt::format("{} = null: expected a device and a library of its kernels",
                                                    device ? "library" : "device"));
  std::shared_ptr<CommandQueue> queue = device->new_command_queue();
  if (!queue) return error(Error::Kind::execution, "making a command queue: the device gave nothing, and no reason");
  return Engine{std::move(queue), std::make_shared<Pipelines>(device, std::move(library))};
}

Result<std::shared_ptr<Library>> library_of(Device& device, const std::filesystem::path& file, const char* name) {
  const std::filesystem::path path = file.empty() ? kernel_file(name) : file;
  return made(device.new_library_from_file(path), fmt::format("compiling {}", path.string()));
}

Result<void> check_pipeline(const std::string& name, const ComputePipeline& pipeline, std::uint64_t threads) {
  if (pipeline.thread_execution_width() != simdgroup)
    return error(Error::Kind::limit, fmt::format("kernel {}: thread_execution_width = {}: expected {}", name,
                                                 pipeline.thread_execution_width(), simdgroup));
  if (pipeline.max_total_threads_per_threadgroup() < threads)
    return error(Error::Kind::limit,
                 fmt::format("kernel {}: max_total_threads_per_threadgroup = {}: expected at least {}", name,
                             pipeline.max_total_threads_per_threadgroup(), threads));
  return {};
}

std::uint64_t max_group_threads(const ComputePipeline& pipeline, const Limits& limits) {
  const std::uint64_t max =
      std::min<std::uint64_t>({pipeline.max_total_threads_per_threadgroup(), limits.max_total_threads_per_threadgroup,
                               limits.max_threads_per_threadgroup.width});
  return max / simdgroup * simdgroup;
}

}  // namespace assay::metal::host
