// memcheck: each kernel with an out-of-bounds access, beside a twin without.
#include <gtest/gtest.h>

#include "tests/emulator/bench.h"
#include "tests/matchers.h"

namespace assay::metal::emulator::test {
namespace {

constexpr const char* page_fault =
    "Caused GPU Address Fault Error (0000000b:kIOGPUCommandBufferCallbackErrorPageFault)";

/// Copies buffer 0 to buffer 1, `shift` ints further.
template <int shift>
void copy(const abi::Invocation* call) {
  const auto me = static_cast<std::ptrdiff_t>(thread_in_grid(call));
  store(buffer(call, 1) + me, load(buffer(call, 0) + me + shift));
}

TEST(Memcheck, IsSilentInside) {
  Bench bench;
  bench.with(counting(10)).with(zeros(10));
  EXPECT_EQ(bench.run(&copy<0>, {10}, {4}), std::nullopt);
  EXPECT_THAT(bench.reports(), IsEmpty());
  EXPECT_EQ(bench.ints(1)[9], 9);
}

TEST(Memcheck, ReportsOnePastTheEnd) {
  Bench bench;
  bench.with(counting(10)).with(zeros(10));
  const auto error = bench.run(&copy<1>, {10}, {4});
  ASSERT_TRUE(error);
  EXPECT_EQ(error->text, page_fault);
  ASSERT_THAT(bench.reports(), SizeIs(1));
  const Report report = bench.reports()[0];
  EXPECT_EQ(report.check, Check::memcheck);
  EXPECT_EQ(report.kernel, "kernel");
  EXPECT_EQ(report.address, "buffer(0) `b0` + 40 (its length is 40 bytes)");
  EXPECT_EQ(report.event.action, "read of 4 bytes");
  EXPECT_EQ(report.event.thread.in_grid, (Size{9, 0, 0}));
  EXPECT_EQ(report.event.thread.in_group, (Size{1, 0, 0}));
  EXPECT_EQ(report.event.thread.group, (Size{2, 0, 0}));
  EXPECT_EQ(bench.ints(1)[8], 9);
  EXPECT_EQ(bench.ints(1)[9], 0) << "the thread must have ended at its access";
}

TEST(Memcheck, ReportsOneBeforeTheBegin) {
  Bench bench;
  bench.with(counting(10)).with(zeros(10));
  EXPECT_TRUE(bench.run(&copy<-1>, {10}, {4}));
  ASSERT_THAT(bench.reports(), SizeIs(1));
  EXPECT_EQ(bench.reports()[0].address, "buffer(0) `b0` - 4 (before its begin)");
}

TEST(Memcheck, ReportsFarOutsideAndCounts) {
  Bench bench;
  bench.with(counting(10)).with(zeros(10));
  EXPECT_TRUE(bench.run(&copy<(1 << 30)>, {10}, {4}));
  ASSERT_THAT(bench.reports(), SizeIs(1));
  EXPECT_EQ(bench.reports()[0].count, 10U);
}

TEST(Memcheck, ReportsAnAccessThatIsHalfOutside) {
  Bench bench;
  bench.with(counting(3));
  const auto error = bench.run([](const abi::Invocation* call) { load(buffer<std::int64_t>(call, 0) + 1); }, {1}, {1});
  EXPECT_TRUE(error);
  ASSERT_THAT(bench.reports(), SizeIs(1));
  EXPECT_EQ(bench.reports()[0].event.action, "read of 8 bytes");
}

TEST(Memcheck, NamesWhatIsNotBound) {
  Bench bench;
  bench.with(counting(10));
  EXPECT_TRUE(bench.run(&copy<0>, {10}, {4}));
  ASSERT_THAT(bench.reports(), SizeIs(1));
  EXPECT_THAT(bench.reports()[0].address, HasSubstr("not bound: buffer(1) `b1`"));
}

TEST(Memcheck, BoundsTheOffsetOfABinding) {
  const auto reports = [](std::ptrdiff_t from) {
    Bench bench;
    static std::ptrdiff_t start;
    start = from;
    bench.with(counting(10));
    Shader shader([](const abi::Invocation* call) { load(buffer(call, 0) + start); });
    const auto pipeline =
        or_throw(bench.device.new_pipeline(or_throw(bench.device.new_library(shader.shader)->new_function("kernel"))));
    const auto commands = bench.device.new_command_queue()->command_buffer();
    const auto encoder = or_throw(commands->compute_encoder());
    encoder->set_pipeline(pipeline);
    encoder->set_buffer(bench.buffers[0], 16, 0);
    encoder->dispatch_threads({1}, {1});
    EXPECT_TRUE(encoder->end_encoding() && commands->commit() && commands->wait_until_completed());
    return kinds(bench.reports());
  };
  EXPECT_EQ(reports(0), "");
  EXPECT_EQ(reports(5), "");
  EXPECT_EQ(reports(6), "memcheck");
  EXPECT_EQ(reports(-1), "memcheck");
}

template <int past>
void touch_threadgroup(const abi::Invocation* call) {
  static const int key = 0;
  auto* const row = threadgroup_variable<std::int32_t>(&key, 8, "row");
  store(row + thread_in_group(call) + past, 1);
}

TEST(Memcheck, GuardsThreadgroupVariables) {
  Bench good;
  EXPECT_EQ(good.run(&touch_threadgroup<0>, {8}, {8}), std::nullopt);
  EXPECT_THAT(good.reports(), IsEmpty());
  Bench bad;
  EXPECT_TRUE(bad.run(&touch_threadgroup<1>, {8}, {8}));
  ASSERT_THAT(bad.reports(), SizeIs(1));
  EXPECT_EQ(bad.reports()[0].address, "threadgroup variable `row` + 32 (its length is 32 bytes)");
}

TEST(Memcheck, GuardsThreadgroupArguments) {
  const Entry fill = [](const abi::Invocation* call) {
    store(static_cast<std::int32_t*>(call->threadgroup[0]) + thread_in_group(call), 1);
  };
  Bench good;
  EXPECT_EQ(good.with_threadgroup_memory(32).run(fill, {8}, {8}), std::nullopt);
  Bench bad;
  EXPECT_TRUE(bad.with_threadgroup_memory(16).run(fill, {8}, {8}));
  ASSERT_THAT(bad.reports(), SizeIs(1));
  EXPECT_EQ(bad.reports()[0].address, "threadgroup(0) `shared` + 16 (its length is 16 bytes)");
  EXPECT_EQ(bad.reports()[0].count, 4U);
}

TEST(Memcheck, LeavesAThreadsOwnStackAlone) {
  Bench bench;
  bench.with(zeros(4));
  const auto error = bench.run(
      [](const abi::Invocation* call) {
        std::int32_t mine = 0;
        store(&mine, 7);
        store(buffer(call, 0) + thread_in_grid(call), load(&mine));
      },
      {4}, {4});
  EXPECT_EQ(error, std::nullopt);
  EXPECT_THAT(bench.reports(), IsEmpty());
  EXPECT_EQ(bench.ints(0)[3], 7);
}

TEST(Memcheck, ReportsAnOverrunOfAPrivateArray) {
  Bench bench;
  bench.with(zeros(4));
  const auto error = bench.run(
      [](const abi::Invocation* call) {
        const abi::Site site{"kernel.metal", 12, 5};
        if (thread_in_grid(call) == 2)
          services->index_out_of_bounds(&site, 9, "'assay_type_0' (aka 'float[8]')", 0, nullptr);
        store(buffer(call, 0) + thread_in_grid(call), 1);
      },
      {4}, {4});
  EXPECT_TRUE(error);
  ASSERT_THAT(bench.reports(), SizeIs(1));
  EXPECT_EQ(bench.reports()[0].address, "index 9 of 'float[8]'");
  EXPECT_EQ(bench.reports()[0].event.position, (SourcePosition{"kernel.metal", 12, 5}));
  EXPECT_EQ(bench.ints(0)[2], 0);
  EXPECT_EQ(bench.ints(0)[3], 1);
}

/// An access that no hook announced, as in a kernel that is not checked.
TEST(Memcheck, SurvivesWhatTheProcessorRefuses) {
  EmulatorOptions options;
  options.is_checked = false;
  options.os_threads = 1;
  Bench bench(options);
  bench.with(zeros(64));
  const Entry out_of_bounds = [](const abi::Invocation* call) {
    volatile std::int32_t* const cell = buffer(call, 0) + (thread_in_grid(call) == 5 ? 1 << 20 : 0);
    *cell = 1;
    threadgroup_barrier<__LINE__>(abi::mem_none);
    buffer(call, 0)[thread_in_grid(call)] = 2;
  };
  Shader shader(out_of_bounds, false);
  const auto error = bench.run(shader, {64}, {64});
  ASSERT_TRUE(error);
  EXPECT_EQ(error->text, page_fault);
  ASSERT_THAT(bench.reports(), SizeIs(1));
  EXPECT_EQ(bench.reports()[0].event.thread.in_grid.width, 5U);
  EXPECT_EQ(bench.ints(0)[4], 2);
  EXPECT_EQ(bench.ints(0)[5], 0);
}

[[gnu::noinline]] int descend(int depth) {
  volatile char frame[1024];
  frame[0] = static_cast<char>(depth);
  return depth == 0 ? frame[0] : descend(depth - 1) + frame[0];
}

TEST(Memcheck, SurvivesAStackThatIsTooSmall) {
  Bench bench;
  bench.with(zeros(2));
  const auto error = bench.run(
      [](const abi::Invocation* call) {
        if (thread_in_grid(call) == 0) descend(100000);
        store(buffer(call, 0) + thread_in_grid(call), 1);
      },
      {2}, {2});
  EXPECT_TRUE(error);
  ASSERT_THAT(bench.reports(), SizeIs(1));
  EXPECT_THAT(bench.reports()[0].message, HasSubstr("own memory exceeds"));
  EXPECT_EQ(bench.ints(0)[1], 1);
}

TEST(Memcheck, CanBeSwitchedOff) {
  EmulatorOptions options;
  options.checks.memcheck = false;
  Bench bench(options);
  bench.with(counting(10)).with(zeros(10));
  EXPECT_EQ(bench.run(&copy<1>, {10}, {4}), std::nullopt);
  EXPECT_THAT(bench.reports(), IsEmpty());
}

}  // namespace
}  // namespace assay::metal::emulator::test
