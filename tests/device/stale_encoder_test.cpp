// The stale-encoder rule, on a mock and on the emulator: the same host code is right or wrong on both.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <thread>

#include "metal/emulator/emulator_device.h"
#include "tests/device/mock_device.h"
#include "tests/matchers.h"

namespace assay::metal::test {
namespace {

/// What a host does between fetching an encoder and ending it.
using Encode = std::function<void(Device& device, Buffer& buffer, ComputeCommandEncoder& encoder)>;

Result<void> run(Device& device, const Encode& before, const Encode& between) {
  const std::shared_ptr<Buffer> buffer = *device.new_buffer(64, "");
  const std::shared_ptr<CommandBuffer> commands = device.new_command_queue()->command_buffer();
  const auto no_encoder = std::make_shared<testing::NiceMock<MockEncoder>>();
  before(device, *buffer, *no_encoder);
  const std::shared_ptr<ComputeCommandEncoder> encoder = *commands->compute_encoder();
  between(device, *buffer, *encoder);
  return encoder->end_encoding();
}

const Encode nothing = [](Device&, Buffer&, ComputeCommandEncoder&) {};
const Encode encode_only = [](Device&, Buffer&, ComputeCommandEncoder& encoder) {
  const std::array<std::byte, 4> bytes{};
  encoder.set_bytes(bytes, 0);
  encoder.set_threadgroup_memory_length(16, 0);
};
const Encode allocate = [](Device& device, Buffer&, ComputeCommandEncoder&) { (void)device.new_buffer(16, ""); };
const Encode allocate_with_contents = [](Device& device, Buffer&, ComputeCommandEncoder&) {
  const std::array<std::byte, 4> bytes{};
  (void)device.new_buffer(bytes, "");
};
const Encode copy = [](Device&, Buffer& buffer, ComputeCommandEncoder&) { (void)buffer.did_modify(0, 4); };

/// Both backends behave alike.
class StaleEncoder : public testing::TestWithParam<bool> {
 protected:
  Device& device() {
    if (GetParam()) return emulator_;
    return *mock_.device;
  }

 private:
  emulator::EmulatorDevice emulator_;
  MockStream mock_;
};
INSTANTIATE_TEST_SUITE_P(MockAndEmulator, StaleEncoder, testing::Bool());

TEST_P(StaleEncoder, EncodingAloneIsFine) {
  EXPECT_TRUE(run(device(), nothing, encode_only));
}

TEST_P(StaleEncoder, AllocatingAndCopyingBeforeIsFine) {
  for (const Encode& before : {allocate, allocate_with_contents, copy}) EXPECT_TRUE(run(device(), before, encode_only));
}

TEST_P(StaleEncoder, AllocatingOrCopyingBetweenIsAnError) {
  for (const Encode& between : {allocate, allocate_with_contents, copy}) {
    const Result<void> end = run(device(), nothing, between);
    ASSERT_FALSE(end);
    EXPECT_EQ(end.error().kind, Error::Kind::stale_encoder);
    EXPECT_THAT(end.error().text, HasSubstr("allocate and copy first"));
  }
}

TEST_P(StaleEncoder, TheNextEncoderIsFresh) {
  EXPECT_FALSE(run(device(), nothing, allocate));
  EXPECT_TRUE(run(device(), nothing, encode_only));
}

TEST(StaleEncoderOnEmulator, OtherThreadsMayAllocateAndCopy) {
  emulator::EmulatorDevice device;
  const Encode elsewhere = [](Device& same, Buffer& buffer, ComputeCommandEncoder& encoder) {
    std::thread([&] {
      allocate(same, buffer, encoder);
      copy(same, buffer, encoder);
    }).join();
  };
  EXPECT_TRUE(run(device, nothing, elsewhere));
}

TEST(MockStream, StandsInForADevice) {
  MockStream mock;
  EXPECT_CALL(*mock.encoder, dispatch_threads(Size{64}, Size{32}));
  const auto encoder = *mock.device->new_command_queue()->command_buffer()->compute_encoder();
  encoder->dispatch_threads({64}, {32});
  EXPECT_EQ(mock.device->limits().max_threadgroup_memory_length, 32768U);
}

}  // namespace
}  // namespace assay::metal::test
