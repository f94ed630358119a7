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
#include "tests/host/operations.h"

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

/// Sweeps of the SVD and chunks of cross-entropy too: nothing is read, committed or awaited in between.
TEST_F(Adopted, PlansOfTheOthersAreEncodedIntoOneEncoder) {
  const metal::test::SvdCase matrices = metal::test::some_svd(6, 5, 2);
  const metal::test::CceCase tokens = metal::test::some_cce(40, 9, 70, true);
  const metal::test::TypedSvd<float> of_svd(matrices);
  const metal::test::Typed<float> of_cce(tokens);
  const Svd svd = or_throw(Svd::create(device_, {.path = SvdPath::plain, .max_sweeps = 12}));
  const LinearCrossEntropy cce = or_throw(LinearCrossEntropy::create(device_, {.chunk = 32}));
  const SvdPlan svd_plan = or_throw(svd.prepare(of_svd.problem(), true));
  const CcePlan cce_plan = or_throw(cce.prepare(of_cce.problem(), {true, true, true, true}));
  const auto given = [&](std::span<const float> values) {
    const auto own = buffer(values.size_bytes());
    std::memcpy(own->contents(), values.data(), values.size_bytes());
    return part(own);
  };
  const auto reserved = [&](std::uint64_t bytes) { return part(buffer(bytes)); };
  const SvdBuffers of_matrices{given(of_svd.problem().A), reserved(svd_plan.left_bytes()),
                               reserved(svd_plan.values_bytes()), reserved(svd_plan.right_bytes()),
                               reserved(svd_plan.status_bytes())};
  const CceBuffers of_tokens{given(of_cce.problem().hidden),     given(of_cce.problem().weight),
                             given(of_cce.problem().bias),       reserved(cce_plan.loss_bytes()),
                             reserved(cce_plan.lse_bytes()),     reserved(cce_plan.dhidden_bytes()),
                             reserved(cce_plan.dweight_bytes()), reserved(cce_plan.dbias_bytes())};
  MTL::CommandBuffer* const commands = queue_->commandBuffer();
  MTL::ComputeCommandEncoder* const encoder = commands->computeCommandEncoder(MTL::DispatchTypeConcurrent);
  const auto adopted = or_throw(adopt_encoder(*device_, encoder));
  or_throw(svd_plan.encode(*adopted, of_matrices));
  or_throw(cce_plan.encode(*adopted, of_tokens));
  or_throw(adopted->end_encoding());
  encoder->endEncoding();
  commands->commit();
  commands->waitUntilCompleted();

  const auto take = [](const BufferPart& from, auto& to) {
    std::memcpy(to.data(), from.buffer->contents(), std::span(to).size_bytes());
  };
  std::vector<std::uint32_t> status(2);
  take(of_matrices.status, status);
  or_throw(svd_plan.check_status(status));
  metal::test::SvdResults<float> factors(of_svd.problem()), own_factors = factors;
  take(of_matrices.U, factors.U);
  take(of_matrices.S, factors.S);
  take(of_matrices.Vh, factors.Vh);
  or_throw(svd(of_svd.problem(), own_factors.spans()));
  EXPECT_TRUE(factors == own_factors);
  metal::test::CceResults<float> results(of_cce.problem()), own_results = results;
  take(of_tokens.loss, results.loss);
  take(of_tokens.dhidden, results.dhidden);
  take(of_tokens.dweight, results.dweight);
  take(of_tokens.dbias, results.dbias);
  or_throw(cce(of_cce.problem(), own_results.spans()));
  EXPECT_TRUE(results == own_results);
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
