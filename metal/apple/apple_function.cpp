#include "metal/apple/apple_function.h"

#include "metal/apple/apple_reflection.h"

namespace assay::metal::apple {

const std::vector<Argument>& AppleFunction::arguments() const {
  std::call_once(once_, [this] { compile(); });
  return arguments_;
}

Result<NS::SharedPtr<MTL::ComputePipelineState>> AppleFunction::pipeline() const {
  std::call_once(once_, [this] { compile(); });
  if (!pipeline_) return error(Error::Kind::compile, problem_);
  return pipeline_;
}

void AppleFunction::compile() const {
  const auto pool = autorelease_pool();
  NS::Error* problem = nullptr;
  MTL::ComputePipelineReflection* reflection = nullptr;
  const MTL::PipelineOption options = MTL::PipelineOptionArgumentInfo | MTL::PipelineOptionBufferTypeInfo;
  pipeline_ =
      NS::TransferPtr(device_->device->newComputePipelineState(function_.get(), options, &reflection, &problem));
  if (!pipeline_)
    problem_ = text(problem);
  else if (reflection)
    arguments_ = reflected_arguments(*reflection);
}

}  // namespace assay::metal::apple
