// The device layer on Metal's objects that another library has made, such as PyTorch's MPS stream, MLX or an
// application.
//
// Pointers are metal-cpp's; Objective-C++ passes `(__bridge MTL::Device*)device` and the like. Each object is retained
// for as long as its counterpart here lives. All must belong to the adopted device.
//
//   const auto device = adopt_device(their_device);
//   const CtcPlan plan = CtcLoss::create(*device)->prepare(problem, true).value();   // allocates: before the encoder
//   const auto encoder = adopt_encoder(**device, their_encoder);
//   plan.encode(**encoder, {{*adopt_buffer(**device, their_activations)}, ...});
//   (*encoder)->end_encoding();                               // the first error; their encoder stays open
#pragma once

#include <memory>

#include "metal/device/device.h"
#include "metal/device/shader_language.h"

namespace MTL {
class Buffer;
class CommandBuffer;
class ComputeCommandEncoder;
class Device;
}  // namespace MTL

namespace assay::metal::apple {

/// Errors of all: argument, for nil and for a `device` that is not Apple's. adopt_device() also has the errors of
/// system_default_device().
Result<std::shared_ptr<Device>> adopt_device(MTL::Device* device, const ShaderLanguage& language = {});

/// contents() of a buffer in private storage is null.
Result<std::shared_ptr<Buffer>> adopt_buffer(Device& device, MTL::Buffer* buffer);

/// It may be committed here or by its owner.
Result<std::shared_ptr<CommandBuffer>> adopt_command_buffer(Device& device, MTL::CommandBuffer* commands);

/// end_encoding() returns the first error and leaves the encoder open, for its owner to go on. No error keeps the
/// owner's commands from running.
Result<std::shared_ptr<ComputeCommandEncoder>> adopt_encoder(Device& device, MTL::ComputeCommandEncoder* encoder);

}  // namespace assay::metal::apple
