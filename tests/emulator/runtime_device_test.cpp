// The device's own rules: order of calls, limits, bindings, asynchronous errors, function constants.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "tests/emulator/bench.h"
#include "tests/matchers.h"

namespace assay::metal::emulator::test {
namespace {

void count(const abi::Invocation* call) {
  atomic_add(buffer(call, 0), 1);
}

/// An encoder with a pipeline and one buffer of 16 ints, up to the call that a test makes.
class Encoding {
 public:
  explicit Encoding(Entry entry = &count) : shader(std::make_shared<Shader>(entry)) {}

  void begin() {
    const auto library = device.new_library(shader->shader);
    pipeline = or_throw(device.new_pipeline(or_throw(library->new_function("kernel"))));
    const std::vector<std::int32_t> values(16, 0);
    buffer = or_throw(device.new_buffer(std::as_bytes(std::span(values)), ""));
    encoder = or_throw(commands->compute_encoder());
    encoder->set_pipeline(pipeline);
    encoder->set_buffer(buffer, 0, 0);
  }
  std::string complaint() {
    const Result<void> end = encoder->end_encoding();
    return end ? "accepted" : end.error().text;
  }

  EmulatorDevice device;
  std::shared_ptr<Shader> shader;
  std::shared_ptr<CommandQueue> queue = device.new_command_queue();
  std::shared_ptr<CommandBuffer> commands = queue->command_buffer();
  std::shared_ptr<const ComputePipeline> pipeline;
  std::shared_ptr<Buffer> buffer;
  std::shared_ptr<ComputeCommandEncoder> encoder;
};

std::string complaint_of(Size grid, Size group) {
  Encoding encoding;
  encoding.begin();
  encoding.encoder->dispatch_threads(grid, group);
  return encoding.complaint();
}

TEST(Limits, OfThreadsInAGroup) {
  EXPECT_EQ(complaint_of({4096}, {1024}), "accepted");
  EXPECT_EQ(complaint_of({4096}, {32, 32, 2}),
            "(threadsPerThreadgroup.width(32) * threadsPerThreadgroup.height(32) * "
            "threadsPerThreadgroup.depth(2))(2048) must "
            "be <= 1024. (device threadgroup size limit)");
  EXPECT_THAT(complaint_of({4096}, {0}), HasSubstr("threadsPerThreadgroup(0, 1, 1): expected 1 to"));
  EXPECT_THAT(complaint_of({0}, {32}), HasSubstr("threads of the grid(0, 1, 1): expected 1 to"));
}

TEST(Limits, OfAKernelsOwn) {
  Encoding encoding;
  encoding.shader->function.max_total_threads_per_threadgroup = 64;
  encoding.begin();
  EXPECT_EQ(encoding.pipeline->max_total_threads_per_threadgroup(), 64U);
  encoding.encoder->dispatch_threads({64}, {65});
  EXPECT_THAT(encoding.complaint(), HasSubstr("(65) must be <= 64. (kernel threadgroup size limit)"));
}

TEST(Limits, OfIndexesOffsetsAndLengths) {
  const auto complaint = [](const std::function<void(Encoding&)>& call) {
    Encoding encoding;
    encoding.begin();
    call(encoding);
    encoding.encoder->dispatch_threads({1}, {1});
    return encoding.complaint();
  };
  const std::vector<std::byte> bytes(5000);
  EXPECT_EQ(complaint([](Encoding& e) { e.encoder->set_buffer(e.buffer, 60, 0); }), "accepted");
  EXPECT_EQ(complaint([](Encoding& e) { e.encoder->set_buffer(e.buffer, 64, 0); }),
            "setBuffer:offset:atIndex: offset(64) must be < [buffer length](64)");
  EXPECT_THAT(complaint([](Encoding& e) { e.encoder->set_buffer(e.buffer, 0, 31); }),
              HasSubstr("index(31) must be < 31"));
  EXPECT_EQ(
      complaint([](Encoding& e) { e.encoder->set_buffer(e.buffer, 2, 0); }),
      "Compute Function(kernel): the offset into the buffer b0 that is bound at buffer index 0 must be a multiple of 4 "
      "but was set to 2.");
  EXPECT_EQ(complaint([&](Encoding& e) { e.encoder->set_bytes(std::span(bytes).first(4096), 1); }), "accepted");
  EXPECT_EQ(complaint([&](Encoding& e) { e.encoder->set_bytes(bytes, 1); }),
            "setBytes:length:atIndex: length(5000) must be <= 4096");
  EXPECT_EQ(complaint([](Encoding& e) { e.encoder->set_threadgroup_memory_length(20, 0); }),
            "setThreadgroupMemoryLength:atIndex: length(20) must be a multiple of 16 bytes.");
  EXPECT_EQ(complaint([](Encoding& e) {
              e.encoder->set_threadgroup_memory_length(32768, 0);
              e.encoder->set_threadgroup_memory_length(16, 1);
            }),
            "Threadgroup memory size (32784) exceeds the maximum threadgroup memory allowed (32768)");
}

TEST(Limits, OfABufferBoundToAReference) {
  Encoding encoding;
  encoding.shader->argument(0).is_reference = 1;
  encoding.shader->argument(0).element_size = 12;
  encoding.begin();
  encoding.encoder->set_buffer(encoding.buffer, 56, 0);
  encoding.encoder->dispatch_threads({1}, {1});
  EXPECT_EQ(
      encoding.complaint(),
      "Compute Function(kernel): argument b0[0] from buffer(0) with offset(56) and length(64) has space for 8 bytes, "
      "but argument has a length(12).");
}

TEST(Limits, OfThreadgroupVariables) {
  const auto run = [](Entry entry) {
    Bench bench;
    const auto error = bench.run(entry, {1}, {1});
    return error ? error->text : "accepted";
  };
  EXPECT_EQ(run([](const abi::Invocation*) {
              static const int key = 0;
              threadgroup_variable<std::byte>(&key, 32768, "row");
            }),
            "accepted");
  EXPECT_EQ(run([](const abi::Invocation*) {
              static const int key = 0, other = 0;
              threadgroup_variable<std::byte>(&key, 32768, "row");
              threadgroup_variable<std::byte>(&other, 1, "more");
            }),
            "Threadgroup memory size (32769) exceeds the maximum threadgroup memory allowed (32768)");
}

TEST(Limits, OfBuffers) {
  EmulatorDevice device;
  EXPECT_EQ(device.new_buffer(0, "").error().text, "buffer length = 0: expected at least 1");
  const std::uint64_t max = device.limits().max_buffer_length;
  EXPECT_EQ(device.new_buffer(max + 1, "").error().kind, Error::Kind::limit);
  const auto buffer = or_throw(device.new_buffer(10, "a label"));
  EXPECT_EQ(buffer->label(), "a label");
  EXPECT_TRUE(buffer->did_modify(10, 0));
  EXPECT_THAT(buffer->did_modify(4, 7).error().text,
              HasSubstr("offset = 4, bytes = 7: expected a range within 10 bytes"));
}

TEST(CommandBuffer, KeepsTheOrderOfCalls) {
  Encoding encoding;
  encoding.begin();
  EXPECT_EQ(encoding.commands->compute_encoder().error().text,
            "A command encoder is already encoding to this command buffer");
  EXPECT_EQ(encoding.commands->commit().error().text, "commit command buffer with uncommitted encoder");
  EXPECT_EQ(encoding.commands->wait_until_completed().error().kind, Error::Kind::order);
  EXPECT_EQ(encoding.complaint(), "accepted");
  EXPECT_EQ(encoding.complaint(), "endEncoding has already been called");
  EXPECT_EQ(encoding.commands->status(), CommandBuffer::Status::not_enqueued);
  EXPECT_TRUE(encoding.commands->commit());
  EXPECT_EQ(encoding.commands->commit().error().text, "commit an already committed command buffer");
  EXPECT_TRUE(encoding.commands->wait_until_completed());
  EXPECT_EQ(encoding.commands->status(), CommandBuffer::Status::completed);
  EXPECT_FALSE(encoding.commands->compute_encoder());
}

TEST(CommandBuffer, NeedsAPipelineToDispatch) {
  EmulatorDevice device;
  const auto commands = device.new_command_queue()->command_buffer();
  const auto encoder = or_throw(commands->compute_encoder());
  encoder->dispatch_threads({1}, {1});
  EXPECT_EQ(encoder->end_encoding().error().kind, Error::Kind::order);
}

std::atomic<bool> may_end;

TEST(CommandBuffer, ErrorsAreKnownOnceItHasEnded) {
  may_end = false;
  Encoding encoding([](const abi::Invocation* call) {
    for (int i = 0; i < 10'000 && !may_end; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    load(buffer(call, 0) + 1000);
  });
  encoding.begin();
  encoding.encoder->dispatch_threads({1}, {1});
  encoding.encoder->dispatch_threads({1}, {1});
  EXPECT_EQ(encoding.complaint(), "accepted");
  EXPECT_TRUE(encoding.commands->commit());
  EXPECT_EQ(encoding.commands->status(), CommandBuffer::Status::committed) << "a commit must not wait";
  EXPECT_EQ(encoding.commands->error(), std::nullopt);
  may_end = true;
  EXPECT_TRUE(encoding.commands->wait_until_completed());
  EXPECT_EQ(encoding.commands->status(), CommandBuffer::Status::error);
  EXPECT_EQ(encoding.commands->error()->kind, Error::Kind::execution);
  EXPECT_EQ(encoding.device.reports().front().count, 1U) << "nothing runs after a dispatch that failed";
}

TEST(CommandBuffer, RunsNothingWhereEncodingFailed) {
  Encoding encoding;
  encoding.begin();
  encoding.encoder->dispatch_threads({1}, {1});
  encoding.encoder->set_threadgroup_memory_length(1, 0);
  EXPECT_NE(encoding.complaint(), "accepted");
  EXPECT_TRUE(encoding.commands->commit());
  EXPECT_TRUE(encoding.commands->wait_until_completed());
  EXPECT_EQ(encoding.commands->error()->kind, Error::Kind::argument);
  EXPECT_EQ(*reinterpret_cast<std::int32_t*>(encoding.buffer->contents()), 0);
}

TEST(CommandBuffer, MayOutliveQueueAndDevice) {
  std::shared_ptr<CommandBuffer> commands;
  std::shared_ptr<Shader> shader;
  {
    Encoding encoding;
    shader = encoding.shader;
    encoding.begin();
    encoding.encoder->dispatch_threads({8}, {8});
    EXPECT_EQ(encoding.complaint(), "accepted");
    EXPECT_TRUE(encoding.commands->commit());
    commands = encoding.commands;
  }
  EXPECT_TRUE(commands->wait_until_completed());
  EXPECT_EQ(commands->status(), CommandBuffer::Status::completed);
}

TEST(Library, KnowsItsFunctions) {
  EmulatorDevice device;
  Shader shader(&count);
  const auto library = device.new_library(shader.shader);
  EXPECT_THAT(library->function_names(), testing::ElementsAre("kernel"));
  EXPECT_EQ(library->new_function("other").error().kind, Error::Kind::not_found);
  const auto function = or_throw(library->new_function("kernel"));
  ASSERT_EQ(function->arguments().size(), 5U);
  EXPECT_EQ(function->arguments()[1].name, "b1");
  EXPECT_EQ(function->arguments()[1].type, "device int*");
  EXPECT_EQ(function->arguments()[4].kind, Argument::Kind::threadgroup_memory);
}

std::int32_t factor = 0;
bool factor_is_set = false;

TEST(Library, WritesEachPipelinesOwnConstants) {
  Bench bench;
  bench.with({0, 0});
  Shader shader([](const abi::Invocation* call) { atomic_add(buffer(call, 0) + (factor_is_set ? 1 : 0), factor); });
  const abi::Constant constants[] = {{"factor", "int", 3, sizeof(factor), &factor, &factor_is_set}};
  shader.shader.constants = constants;
  shader.shader.constant_count = 1;
  const auto library = bench.device.new_library(shader.shader);
  EXPECT_EQ(library->new_function("kernel", FunctionConstants().set(4, 1)).error().kind, Error::Kind::not_found);
  EXPECT_THAT(library->new_function("kernel", FunctionConstants().set(3, std::int64_t{1})).error().text,
              HasSubstr("function constant 3 `factor`: its value has 8 bytes, expected 4 of int"));

  const auto commands = bench.device.new_command_queue()->command_buffer();
  const auto encoder = or_throw(commands->compute_encoder());
  for (const std::int32_t value : {5, 100}) {
    encoder->set_pipeline(or_throw(
        bench.device.new_pipeline(or_throw(library->new_function("kernel", FunctionConstants().set(3, value))))));
    encoder->set_buffer(bench.buffers[0], 0, 0);
    encoder->dispatch_threads({1}, {1});
  }
  EXPECT_TRUE(encoder->end_encoding() && commands->commit() && commands->wait_until_completed());
  EXPECT_EQ(bench.ints(0)[0], 0);
  EXPECT_EQ(bench.ints(0)[1], 105);
}

TEST(Unchecked, GroupsSpreadOverThreadsGiveTheSame) {
  EmulatorOptions options;
  options.is_checked = false;
  options.os_threads = 4;
  Bench bench(options);
  bench.with(zeros(10000)).with({0});
  Shader shader(
      [](const abi::Invocation* call) {
        const Sum sum = simd_sum<__LINE__>(static_cast<std::int32_t>(thread_in_grid(call)));
        threadgroup_barrier<__LINE__>(abi::mem_threadgroup);
        buffer(call, 0)[thread_in_grid(call)] = sum.sum;
        __atomic_fetch_add(buffer(call, 1), 1, __ATOMIC_RELAXED);
      },
      false);
  EXPECT_EQ(bench.run(shader, {10000}, {96}), std::nullopt);
  EXPECT_EQ(bench.ints(1)[0], 10000);
  EXPECT_EQ(bench.ints(0)[96 + 5], 32 * 96 + 31 * 16);
}

TEST(Pipeline, LearnsTheLengthOfThreadgroupVariables) {
  Encoding encoding([](const abi::Invocation*) {
    static const int key = 0;
    threadgroup_variable<float>(&key, 25, "row");
  });
  encoding.begin();
  EXPECT_EQ(encoding.pipeline->static_threadgroup_memory_length(), 0U);
  encoding.encoder->dispatch_threads({1}, {1});
  EXPECT_EQ(encoding.complaint(), "accepted");
  EXPECT_TRUE(encoding.commands->commit() && encoding.commands->wait_until_completed());
  EXPECT_EQ(encoding.pipeline->static_threadgroup_memory_length(), 100U);
}

}  // namespace
}  // namespace assay::metal::emulator::test
