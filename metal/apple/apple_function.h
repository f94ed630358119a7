// A function with the values of its constants, and its pipeline.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "metal/apple/apple_state.h"
#include "metal/device/compute_pipeline.h"
#include "metal/device/function.h"
#include "metal/device/result.h"

namespace assay::metal::apple {

/// Metal reflects a kernel's arguments only when it compiles the pipeline. So the first call of arguments() or
/// pipeline() compiles it, once for each function.
class AppleFunction final : public Function {
 public:
  AppleFunction(std::shared_ptr<AppleState> device, NS::SharedPtr<MTL::Function> function)
      : device_(std::move(device)), function_(std::move(function)), name_(text(function_->name())) {}

  const std::string& name() const override { return name_; }

  /// Empty if the pipeline cannot be made; pipeline() then returns the reason.
  const std::vector<Argument>& arguments() const override;

  /// Errors: compile, with Metal's text.
  Result<NS::SharedPtr<MTL::ComputePipelineState>> pipeline() const;

 private:
  void compile() const;

  std::shared_ptr<AppleState> device_;
  NS::SharedPtr<MTL::Function> function_;
  std::string name_;
  mutable std::once_flag once_;
  mutable std::vector<Argument> arguments_;
  mutable NS::SharedPtr<MTL::ComputePipelineState> pipeline_;
  mutable std::string problem_;
};

class ApplePipeline final : public ComputePipeline {
 public:
  ApplePipeline(std::shared_ptr<const AppleFunction> function, NS::SharedPtr<MTL::ComputePipelineState> state)
      : function_(std::move(function)), state_(std::move(state)) {}

  std::uint32_t max_total_threads_per_threadgroup() const override {
    return static_cast<std::uint32_t>(state_->maxTotalThreadsPerThreadgroup());
  }
  std::uint32_t thread_execution_width() const override {
    return static_cast<std::uint32_t>(state_->threadExecutionWidth());
  }
  std::uint64_t static_threadgroup_memory_length() const override { return state_->staticThreadgroupMemoryLength(); }

  const AppleFunction& function() const { return *function_; }
  const MTL::ComputePipelineState* mtl() const { return state_.get(); }

 private:
  std::shared_ptr<const AppleFunction> function_;
  NS::SharedPtr<MTL::ComputePipelineState> state_;
};

}  // namespace assay::metal::apple
