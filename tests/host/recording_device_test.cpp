// A device that only records keeps all that a launcher needs, and refuses what Metal's validation refuses.
#include "metal/host/recording_device.h"

#include <gtest/gtest.h>

#include <array>

namespace assay::metal::test {
namespace {

using host::RecordedDispatch;
using host::RecordingDevice;

std::shared_ptr<const ComputePipeline> pipeline_of(RecordingDevice& device, const std::string& kernel) {
  FunctionConstants constants;
  constants.set(3, true);
  return *device.new_pipeline(*(*device.new_library(""))->new_function(kernel, constants));
}

TEST(RecordingDevice, KeepsBuffersAndDispatches) {
  const auto device = RecordingDevice::create({});
  const std::array<std::byte, 20> table{std::byte{1}};
  const auto pipeline = pipeline_of(*device, "k");
  const auto copied = *device->new_buffer(table, "table");
  const auto workspace = *device->new_buffer(std::uint64_t{48}, "workspace");
  const BufferPart given = device->part("given", 32);
  const Result<void> recorded = device->record([&](ComputeCommandEncoder& encoder) -> Result<void> {
    encoder.set_pipeline(pipeline);
    encoder.set_bytes(std::span(table).first(4), 0);
    encoder.set_buffer(copied, 0, 1);
    encoder.set_buffer(given.buffer, 16, 5);
    encoder.set_threadgroup_memory_length(64, 0);
    encoder.memory_barrier();
    encoder.dispatch_threadgroups({2, 3, 1}, {32, 1, 1});
    encoder.set_buffer(nullptr, 0, 5);
    encoder.set_threadgroup_memory_length(0, 0);
    encoder.dispatch_threadgroups({1, 1, 1}, {64, 1, 1});
    return {};
  });
  ASSERT_TRUE(recorded) << recorded.error().text;
  ASSERT_EQ(device->buffers().size(), 3U);
  EXPECT_EQ(device->buffers()[0].contents, std::vector(table.begin(), table.end()));
  EXPECT_EQ(device->buffers()[1].length, 48U);
  EXPECT_TRUE(device->buffers()[1].contents.empty());
  EXPECT_EQ(device->buffers()[2].label, "given");
  ASSERT_EQ(device->dispatches().size(), 2U);
  const RecordedDispatch &first = device->dispatches()[0], &second = device->dispatches()[1];
  EXPECT_EQ(first.kernel, "k");
  EXPECT_EQ(first.constants.values().at(3).size, 1U);
  EXPECT_EQ(first.bytes.at(0), std::vector(table.begin(), table.begin() + 4));
  EXPECT_EQ(first.buffers.at(1).buffer, 0U);
  EXPECT_EQ(first.buffers.at(5).buffer, 2U);
  EXPECT_EQ(first.buffers.at(5).offset, 16U);
  EXPECT_EQ(first.threadgroup_lengths.at(0), 64U);
  EXPECT_EQ(first.threads, (Size{64, 3, 1}));
  EXPECT_EQ(first.group, (Size{32, 1, 1}));
  EXPECT_FALSE(second.buffers.contains(5));
  EXPECT_TRUE(second.threadgroup_lengths.empty());
}

TEST(RecordingDevice, RefusesWhatMetalRefuses) {
  const auto device = RecordingDevice::create({.max_threads = {{"k", 64}}});
  const auto pipeline = pipeline_of(*device, "k");
  const BufferPart given = device->part("given", 32);
  const auto error_of = [&](std::uint64_t offset, std::uint64_t threads) {
    const Result<void> recorded = device->record([&](ComputeCommandEncoder& encoder) -> Result<void> {
      encoder.set_pipeline(pipeline);
      encoder.set_buffer(given.buffer, offset, 0);
      encoder.dispatch_threadgroups({1, 1, 1}, {threads, 1, 1});
      return {};
    });
    return recorded ? "" : recorded.error().text;
  };
  EXPECT_EQ(error_of(16, 64), "");
  EXPECT_EQ(error_of(32, 64), "setBuffer:offset:atIndex: offset(32) must be < [buffer length](32)");
  EXPECT_NE(error_of(0, 96).find("must be <= 64. (kernel threadgroup size limit)"), std::string::npos);
  EXPECT_EQ(device->dispatches().size(), 1U);
}

TEST(RecordingDevice, GivesNoBufferForNoBytesAndNoCommandBuffer) {
  const auto device = RecordingDevice::create({.recommended_max_working_set_size = 7});
  EXPECT_FALSE(device->part("nothing", 0).buffer);
  EXPECT_FALSE(device->new_command_queue()->command_buffer());
  EXPECT_EQ(device->limits().recommended_max_working_set_size, 7U);
}

}  // namespace
}  // namespace assay::metal::test
