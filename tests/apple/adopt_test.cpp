// A host with Metal's objects of its own: a plan is encoded into its encoder, between its own commands, on its buffers.
// It has compiled metal-cpp's definitions itself; those of metal/apple, a member of a static library, then stay out.
#define NS_PRIVATE_IMPLEMENTATION
#define MTL_PRIVATE_IMPLEMENTATION
#include <Foundation/Foundation.hpp>
#include <Metal/Metal.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "metal/apple/adopt.h"
#include "metal/apple/apple_objects.h"
#include "metal/device/or_throw.h"
#include "tests/host/device_batch.h"

namespace assay::metal::apple::test {
namespace {

using metal::test::CtcResults;

class Adopted : public testing::Test {
 protected:
  void SetUp() override {
    pool_ = autorelease_pool();
    mtl_ = NS::TransferPtr(MTL::CreateSystemDefaultDevice());
    if (!mtl_) GTEST_SKIP() << "there is no Metal device";
    queue_ = NS::TransferPtr(mtl_->newCommandQueue());
    device_ = or_throw(adopt_device(mtl_.get()));
  }
  NS::SharedPtr<MTL::Buffer> buffer(std::uint64_t bytes) {
    return NS::TransferPtr(mtl_->newBuffer(bytes, MTL::ResourceStorageModeShared));
  }
  BufferPart part(const NS::SharedPtr<MTL::Buffer>& own, std::uint64_t offset = 0) {
    return {or_throw(adopt_buffer(*device_, own.get())), offset};
  }

  NS::SharedPtr<NS::AutoreleasePool> pool_;
  NS::SharedPtr<MTL::Device> mtl_;
  NS::SharedPtr<MTL::CommandQueue> queue_;
  std::shared_ptr<Device> device_;
};

TEST_F(Adopted, APlanIsEncodedIntoTheHostsEncoder) {
  const auto batch = metal::test::ragged_batch();
  const CtcPlan plan = CtcLoss::create(device_).value().prepare(batch.problem(), true).value();
  const auto activations = buffer(plan.activation_bytes() + 64), gradient = buffer(plan.gradient_bytes()),
             loss = buffer(plan.loss_bytes());
  std::memcpy(static_cast<std::byte*>(activations->contents()) + 64, batch.activations.data(), plan.activation_bytes());

  MTL::CommandBuffer* const commands = queue_->commandBuffer();
  MTL::ComputeCommandEncoder* const encoder = commands->computeCommandEncoder(MTL::DispatchTypeConcurrent);
  const CtcBuffers buffers{part(activations, 64), part(gradient), part(loss)};
  const auto adopted = or_throw(adopt_encoder(*device_, encoder));
  or_throw(plan.encode(*adopted, buffers));
  or_throw(adopted->end_encoding());
  encoder->memoryBarrier(MTL::BarrierScopeBuffers);  // the encoder is still the host's to use, and to end
  encoder->endEncoding();
  commands->commit();
  commands->waitUntilCompleted();

  CtcResults<float> results(batch.problem());
  std::memcpy(results.loss.data(), loss->contents(), plan.loss_bytes());
  std::memcpy(results.gradient.data(), gradient->contents(), plan.gradient_bytes());
  EXPECT_TRUE(results == metal::test::on_device<float>(CtcLoss::create(device_).value(), batch));
}

/// The host's commands run without what was refused.
TEST_F(Adopted, AnErrorLeavesTheHostsEncoderAlone) {
  MTL::CommandBuffer* const commands = queue_->commandBuffer();
  const auto adopted_commands = or_throw(adopt_command_buffer(*device_, commands));
  MTL::ComputeCommandEncoder* const encoder = commands->computeCommandEncoder(MTL::DispatchTypeSerial);
  {
    const auto adopted = or_throw(adopt_encoder(*device_, encoder));
    adopted->dispatch_threads({1}, {1});
    EXPECT_EQ(adopted->end_encoding().error().kind, Error::Kind::order);
    (void)or_throw(adopt_encoder(*device_, encoder));  // and so does an encoder that nobody ends here
  }
  encoder->endEncoding();
  or_throw(adopted_commands->commit());
  or_throw(adopted_commands->wait_until_completed());
  EXPECT_EQ(adopted_commands->status(), CommandBuffer::Status::completed);
}

TEST_F(Adopted, NilAndOtherDevicesAreRefused) {
  const auto own = buffer(16);
  emulator::EmulatorDevice other;
  EXPECT_EQ(adopt_device(nullptr).error().kind, Error::Kind::argument);
  EXPECT_EQ(adopt_buffer(*device_, nullptr).error().kind, Error::Kind::argument);
  EXPECT_EQ(adopt_encoder(*device_, nullptr).error().kind, Error::Kind::argument);
  EXPECT_EQ(adopt_command_buffer(*device_, nullptr).error().kind, Error::Kind::argument);
  EXPECT_EQ(adopt_buffer(other, own.get()).error().kind, Error::Kind::argument);
}

}  // namespace
}  // namespace assay::metal::apple::test
