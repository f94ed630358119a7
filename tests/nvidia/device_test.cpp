// What the driver is asked for: devices that are refused, launches, memory that moves.
#include <gtest/gtest.h>

#include <numeric>

#include "metal/device/or_throw.h"
#include "metal/nvidia/nvidia_device.h"
#include "metal/nvidia/nvidia_queue.h"
#include "tests/matchers.h"
#include "tests/nvidia/fake_driver.h"

namespace assay::metal::nvidia::test {
namespace {

constexpr const char* source = R"(
#include <metal_stdlib>
kernel void plain(device float* a, constant uint& n, threadgroup float* t [[threadgroup(1)]],
                  uint i [[thread_position_in_grid]]) { t[0] = a[i] + n; a[i] = t[0]; }
[[max_total_threads_per_threadgroup(128)]] kernel void limited(device float* a) { a[0] = 1; }
)";

class NvidiaTest : public testing::Test {
 protected:
  std::string refusal() {
    const auto device = NvidiaDevice::create(driver_);
    return device ? "" : device.error().text;
  }
  std::shared_ptr<const ComputePipeline> pipeline(Device& device, const char* name = "plain") {
    const auto library = or_throw(device.new_library(source));
    return or_throw(device.new_pipeline(or_throw(library->new_function(name))));
  }

  std::shared_ptr<FakeDriver> driver_ = std::make_shared<FakeDriver>();
};

TEST_F(NvidiaTest, RefusesWhatItCannotUseByName) {
  EXPECT_EQ(refusal(), "");
  driver_->version = 11040;
  EXPECT_THAT(refusal(), HasSubstr("serves CUDA 11.4: install one for 11.8"));
  driver_->version = 12000;
  driver_->devices = 0;
  EXPECT_THAT(refusal(), HasSubstr("NVIDIA device 0: there are 0"));
  driver_->devices = 1;
  driver_->major = 6;
  EXPECT_THAT(refusal(), HasSubstr("compute capability = 6.0: expected a GPU of 7.0"));
  driver_->major = 9;
  driver_->concurrent = 0;
  EXPECT_THAT(refusal(), HasSubstr("'Fake GPU' cannot share managed memory"));
}

TEST_F(NvidiaTest, KnowsTheDevice) {
  const auto device = or_throw(NvidiaDevice::create(driver_));
  EXPECT_EQ(device->name(), "Fake GPU");
  EXPECT_EQ(device->architecture(), "sm_90");
  EXPECT_EQ(device->limits().max_buffer_length, (std::uint64_t{1} << 30) / 10 * 9);
}

TEST_F(NvidiaTest, HasMemoryForWhatTheGpuHolds) {
  const auto device = or_throw(NvidiaDevice::create(driver_));
  const std::uint64_t most = device->limits().max_buffer_length;
  const auto first = or_throw(device->new_buffer(most - 100, ""));
  EXPECT_EQ(device->current_allocated_size(), most - 100);
  EXPECT_THAT(device->new_buffer(101, "").error().text, HasSubstr("there is no memory for it"));
  EXPECT_TRUE(device->new_buffer(100, ""));
  EXPECT_THAT(device->new_buffer(0, "").error().text, HasSubstr("expected at least 1"));
  EXPECT_THAT(device->new_buffer(~std::uint64_t{0}, "").error().text, HasSubstr("expected at most maxBufferLength"));
}

/// A group is a block along x, and the kernel learns the grid's shape from the call.
TEST_F(NvidiaTest, LaunchesAGridOfAnyShape) {
  const auto device = or_throw(NvidiaDevice::create(driver_));
  const auto buffer = or_throw(device->new_buffer(64, ""));
  const auto commands = device->new_command_queue()->command_buffer();
  const auto encoder = or_throw(commands->compute_encoder());
  encoder->set_pipeline(pipeline(*device));
  encoder->set_buffer(buffer, 16, 0);
  const std::uint32_t n = 77;
  encoder->set_bytes(std::as_bytes(std::span(&n, 1)), 1);
  encoder->set_threadgroup_memory_length(32, 0);
  encoder->set_threadgroup_memory_length(48, 1);
  encoder->dispatch_threads({70, 3, 5}, {32, 2, 5});
  encoder->dispatch_threadgroups({1, 70'000, 1}, {4, 1, 1});
  EXPECT_TRUE(encoder->end_encoding() && commands->commit() && commands->wait_until_completed());
  EXPECT_EQ(commands->status(), CommandBuffer::Status::completed);

  ASSERT_EQ(driver_->launches.size(), 3U) << "70,000 blocks along y are two launches";
  const auto& [grid, block, shared, call, stream] = driver_->launches[0];
  EXPECT_EQ((std::array{grid.x, grid.y, grid.z, block.x, block.y, block.z}), (std::array{3U, 2U, 1U, 320U, 1U, 1U}));
  EXPECT_EQ(shared, 80U);
  EXPECT_EQ(call.threadgroup[1], 32U);
  EXPECT_EQ(call.buffers[0], buffer->contents() + 16);
  EXPECT_EQ(std::vector<unsigned>(call.threads, call.threads + 3), (std::vector{70U, 3U, 5U}));
  EXPECT_EQ(driver_->launches[1].grid.y, 65535U);
  EXPECT_EQ(driver_->launches[2].grid.y, 70'000U - 65535U);
  EXPECT_EQ(driver_->launches[2].call.origin[1], 65535U);
  std::uint32_t given = 0;
  std::memcpy(&given, driver_->copied.data(), sizeof given);
  EXPECT_EQ(given, 77U);
}

TEST_F(NvidiaTest, MovesMemoryOnlyAfterTheHostHasTouchedIt) {
  const auto device = or_throw(NvidiaDevice::create(driver_));
  const auto buffer = or_throw(device->new_buffer(64, ""));
  const auto limited = pipeline(*device, "limited");
  const auto queue = device->new_command_queue();
  const auto run = [&] {
    const auto commands = queue->command_buffer();
    const auto encoder = or_throw(commands->compute_encoder());
    encoder->set_pipeline(limited);
    encoder->set_buffer(buffer, 0, 0);
    encoder->dispatch_threads({1}, {1});
    EXPECT_TRUE(encoder->end_encoding() && commands->commit() && commands->wait_until_completed());
    return driver_->prefetches;
  };
  EXPECT_EQ(run(), 1);
  EXPECT_EQ(run(), 1);
  buffer->contents();
  EXPECT_EQ(run(), 2);
}

TEST_F(NvidiaTest, GivesTheCompilerTheLimitOfThreads) {
  const auto device = or_throw(NvidiaDevice::create(driver_));
  EXPECT_EQ(pipeline(*device, "limited")->static_threadgroup_memory_length(), 64U);
  EXPECT_THAT(driver_->ptx, HasSubstr(".maxntid 128, 1, 1"));
}

TEST_F(NvidiaTest, TellsTheTimeOnTheGpuOnceItHasEnded) {
  const auto device = or_throw(NvidiaDevice::create(driver_));
  const auto commands = std::dynamic_pointer_cast<NvidiaCommandBuffer>(device->new_command_queue()->command_buffer());
  EXPECT_FALSE(commands->gpu_seconds());
  driver_->event_status = not_ready;
  EXPECT_TRUE(commands->commit());
  EXPECT_EQ(commands->status(), CommandBuffer::Status::committed);
  driver_->event_status = success;
  EXPECT_TRUE(commands->wait_until_completed());
  EXPECT_DOUBLE_EQ(commands->gpu_seconds().value(), 2.5e-3);
}

/// The driver is asked for memory of a size once; the second buffer finds the pages where the first left them.
TEST_F(NvidiaTest, UsesMemoryAgain) {
  const auto device = or_throw(NvidiaDevice::create(driver_));
  auto written = or_throw(device->new_buffer(1000, ""));
  std::byte* const contents = written->contents();
  EXPECT_EQ(driver_->alive["memory"], 1);
  written.reset();
  EXPECT_EQ(device->current_allocated_size(), 0U);
  EXPECT_EQ(or_throw(device->new_buffer(1001, ""))->contents(), contents) << "of the same class of sizes";
  EXPECT_EQ(driver_->alive["memory"], 1);
  const auto longer = or_throw(device->new_buffer(2000, ""));
  EXPECT_NE(longer->contents(), contents);
  EXPECT_EQ(driver_->alive["memory"], 2);
}

/// A buffer that a running command uses is not given to another one.
TEST_F(NvidiaTest, KeepsMemoryUntilTheCommandsHaveCompleted) {
  const auto device = or_throw(NvidiaDevice::create(driver_));
  auto buffer = or_throw(device->new_buffer(64, ""));
  std::byte* const contents = buffer->contents();
  const auto commands = device->new_command_queue()->command_buffer();
  auto encoder = or_throw(commands->compute_encoder());
  encoder->set_pipeline(pipeline(*device, "limited"));
  encoder->set_buffer(std::exchange(buffer, nullptr), 0, 0);
  encoder->dispatch_threads({1}, {1});
  driver_->event_status = not_ready;
  EXPECT_TRUE(encoder->end_encoding() && commands->commit());
  encoder.reset();
  EXPECT_EQ(commands->status(), CommandBuffer::Status::committed);
  EXPECT_NE(or_throw(device->new_buffer(64, ""))->contents(), contents);
  driver_->event_status = success;
  EXPECT_EQ(commands->status(), CommandBuffer::Status::completed);
  EXPECT_EQ(or_throw(device->new_buffer(64, ""))->contents(), contents);
}

/// The bytes of a new buffer: by a copy to the GPU if the host never looks, else in its memory.
TEST_F(NvidiaTest, CopiesTheBytesOfANewBuffer) {
  const auto device = or_throw(NvidiaDevice::create(driver_));
  const auto run = [&](const std::shared_ptr<Buffer>& buffer) {
    const auto commands = device->new_command_queue()->command_buffer();
    const auto encoder = or_throw(commands->compute_encoder());
    encoder->set_pipeline(pipeline(*device, "limited"));
    encoder->set_buffer(buffer, 0, 0);
    encoder->dispatch_threads({1}, {1});
    EXPECT_TRUE(encoder->end_encoding() && commands->commit() && commands->wait_until_completed());
  };
  std::vector<std::byte> bytes(64, std::byte{7});
  or_throw(device->new_buffer(64, ""))->contents()[0] = std::byte{1};  // the memory of the next two buffers
  const auto unseen = or_throw(device->new_buffer(std::span<const std::byte>(bytes), ""));
  const auto seen = or_throw(device->new_buffer(std::span<const std::byte>(bytes), ""));
  seen->contents()[0] = std::byte{8};
  std::ranges::fill(bytes, std::byte{9});
  driver_->copies = 0;
  run(unseen);
  EXPECT_EQ(driver_->copies, 1);
  EXPECT_EQ(driver_->copied, std::vector<std::byte>(64, std::byte{7}));
  run(unseen);
  EXPECT_EQ(driver_->copies, 1) << "what the kernel wrote remains";
  run(seen);
  EXPECT_EQ(driver_->copies, 1);
  EXPECT_EQ(seen->contents()[0], std::byte{8});
  EXPECT_EQ(seen->contents()[1], std::byte{7});
}

TEST_F(NvidiaTest, GivesKeptMemoryBackWhereTheDriverHasNoneLeft) {
  const auto device = or_throw(NvidiaDevice::create(driver_));
  const auto kept = [&] { return or_throw(device->new_buffer(5000, ""))->contents(); };
  EXPECT_EQ(kept(), kept());
  driver_->fails_at = driver_->calls + 2;  // the context, then the allocation
  EXPECT_TRUE(device->new_buffer(9000, "")) << "the second try, after the kept piece has gone";
  EXPECT_EQ(driver_->alive["memory"], 1);
}

TEST_F(NvidiaTest, AdoptsMemoryAndStreamsOfOthers) {
  const auto device = or_throw(NvidiaDevice::create(driver_));
  EXPECT_THAT(device->adopt_buffer(0, 8).error().text, HasSubstr("its address is 0"));
  EXPECT_THAT(device->adopt_buffer(4096, 0).error().text, HasSubstr("expected at least 1"));
  EXPECT_THAT(device->adopt_buffer(4100, 8).error().text,
              HasSubstr("its address is 0x1004: expected a multiple of 16"));
  int theirs = 0;
  const auto stream = reinterpret_cast<Stream>(&theirs);
  {
    const auto buffer = or_throw(device->adopt_buffer(4096, 64));
    EXPECT_EQ(buffer->contents(), nullptr);
    const auto commands = device->adopt_stream(stream)->command_buffer();
    const auto encoder = or_throw(commands->compute_encoder());
    encoder->set_pipeline(pipeline(*device, "limited"));
    encoder->set_buffer(buffer, 16, 0);
    encoder->dispatch_threads({1}, {1});
    EXPECT_TRUE(encoder->end_encoding() && commands->commit() && commands->wait_until_completed());
  }
  ASSERT_EQ(driver_->launches.size(), 1U);
  EXPECT_EQ(driver_->launches[0].stream, stream);
  EXPECT_EQ(driver_->launches[0].call.buffers[0], pointer_to(4096 + 16));
  EXPECT_EQ(driver_->prefetches, 0) << "other memory than managed cannot be moved";
  EXPECT_EQ(driver_->alive["stream"], 0) << "none was made, and theirs was not destroyed";
  EXPECT_EQ(driver_->alive["memory"], 0);
}

/// Another backend's objects are no objects of this device.
TEST_F(NvidiaTest, RefusesForeignObjects) {
  const auto device = or_throw(NvidiaDevice::create(driver_));
  EXPECT_THAT(device->new_pipeline(nullptr).error().text, HasSubstr("expected a function of this device"));
  const auto commands = device->new_command_queue()->command_buffer();
  const auto encoder = or_throw(commands->compute_encoder());
  encoder->set_pipeline(nullptr);
  EXPECT_THAT(encoder->end_encoding().error().text, HasSubstr("expected a pipeline of this device"));
}

}  // namespace
}  // namespace assay::metal::nvidia::test
