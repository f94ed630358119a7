#include "metal/host/pipelines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <vector>

#include "metal/host/failure.h"

namespace assay::metal::host {

namespace {

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

Result<void> check_pipeline(const std::string& name, const ComputePipeline& pipeline, std::uint64_t threads) {
  constexpr std::uint32_t simdgroup = 32;
  if (pipeline.thread_execution_width() != simdgroup)
    return error(Error::Kind::limit, fmt::format("kernel {}: thread_execution_width = {}: expected {}", name,
                                                 pipeline.thread_execution_width(), simdgroup));
  if (pipeline.max_total_threads_per_threadgroup() < threads)
    return error(Error::Kind::limit,
                 fmt::format("kernel {}: max_total_threads_per_threadgroup = {}: expected at least {}", name,
                             pipeline.max_total_threads_per_threadgroup(), threads));
  return {};
}

}  // namespace assay::metal::host
