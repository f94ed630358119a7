// The fast barrier of compiled shaders, at which threads yield to each other without calling the emulator. Results are
// the same in every order of threads, checked or not, whatever lies between two barriers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "tests/emulator/bench.h"

namespace assay::metal::emulator::test {
namespace {

constexpr std::uint32_t threads = 64;

/// The body of a kernel, run by two groups of 64 threads on `out`, two rows of 64 ints.
class FastBarrierTest : public testing::TestWithParam<std::tuple<ThreadOrder, bool>> {
 protected:
  std::optional<Error> run(const std::string& body, std::uint64_t step_limit = 1'000'000) {
    EmulatorOptions options;
    std::tie(options.order, options.is_checked) = GetParam();
    options.step_limit = step_limit;
    device_ = std::make_unique<EmulatorDevice>(options);
    const auto library =
        or_throw(device_->new_library("#include <metal_stdlib>\nusing namespace metal;\n"
                                      "kernel void rounds(device int* out, uint i [[thread_position_in_grid]],\n"
                                      "                   uint t [[thread_index_in_threadgroup]]) {\n" +
                                      body + "\n}\n"));
    const std::vector<std::int32_t> before = zeros(std::size_t{2} * threads);
    out_ = or_throw(device_->new_buffer(std::as_bytes(std::span(before)), "out"));
    const auto commands = device_->new_command_queue()->command_buffer();
    const auto encoder = or_throw(commands->compute_encoder());
    encoder->set_pipeline(or_throw(device_->new_pipeline(or_throw(library->new_function("rounds")))));
    encoder->set_buffer(out_, 0, 0);
    encoder->dispatch_threads({std::uint64_t{2} * threads}, {threads});
    EXPECT_TRUE(encoder->end_encoding() && commands->commit() && commands->wait_until_completed());
    return commands->error();
  }
  std::string reported() const { return kinds(device_->reports()); }
  static bool is_checked() { return std::get<bool>(GetParam()); }

  std::span<const std::int32_t> row(std::size_t group) const {
    return std::span(reinterpret_cast<const std::int32_t*>(out_->contents()), 2 * threads)
        .subspan(group * threads, threads);
  }
  void expect_rows(const std::vector<std::int32_t>& expected) const {
    EXPECT_THAT(row(0), testing::ElementsAreArray(expected));
    EXPECT_THAT(row(1), testing::ElementsAreArray(expected));
    EXPECT_EQ(reported(), "");
  }

 private:
  std::unique_ptr<EmulatorDevice> device_;
  std::shared_ptr<Buffer> out_;
};
INSTANTIATE_TEST_SUITE_P(All, FastBarrierTest,
                         testing::Combine(testing::Values(ThreadOrder::forward, ThreadOrder::reverse,
                                                          ThreadOrder::random),
                                          testing::Bool()));

TEST_P(FastBarrierTest, SeveralBarriersInTurn) {
  EXPECT_EQ(run(R"(
    threadgroup int row[64];
    row[t] = t;
    for (int round = 0; round < 10; ++round) {
      threadgroup_barrier(mem_flags::mem_threadgroup);
      const int next = row[(t + 1) % 64];
      if (round % 3 == 0)
        threadgroup_barrier(mem_flags::mem_threadgroup);
      else
        threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
      row[t] = next;
    }
    out[i] = row[t];)"),
            std::nullopt);
  std::vector<std::int32_t> turned = counting(threads);
  std::ranges::rotate(turned, turned.begin() + 10);
  expect_rows(turned);
}

TEST_P(FastBarrierTest, CollectivesWhileOthersWaitAtTheBarrier) {
  EXPECT_EQ(run(R"(
    threadgroup int row[64];
    int sum = 0;
    for (int round = 0; round < 4; ++round) {
      if (t % 2 == 0) sum += simd_sum(1);
      if (t >= 32) simdgroup_barrier(mem_flags::mem_none);
      threadgroup_barrier(mem_flags::mem_none);
      if (t < 8) sum += simd_sum(100);
      row[t] = sum;
      threadgroup_barrier(mem_flags::mem_threadgroup);
      sum = row[t ^ 1] + row[t];
      threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    out[i] = sum;)"),
            std::nullopt);
  std::vector<std::int32_t> expected(threads, 0);
  for (int round = 0; round < 4; ++round) {
    for (std::uint32_t t = 0; t < threads; ++t) expected[t] += (t % 2 == 0 ? 16 : 0) + (t < 8 ? 800 : 0);
    for (std::uint32_t t = 0; t < threads; t += 2) expected[t] = expected[t + 1] = expected[t] + expected[t + 1];
  }
  expect_rows(expected);
}

/// A loop with an inner loop that uses 20 constants from `first` on, which a compiler keeps in registers.
std::string loop_with_constants(int first) {
  std::string loop = "for (int round = 0; round < 4; ++round) {\n  threadgroup_barrier(mem_flags::mem_none);\n";
  loop += "  for (int step = none; step < 3; ++step) {\n";
  for (int k = first; k < first + 20; ++k) loop += "  x = x * 0.5f + " + std::to_string(k) + ".0f;\n";
  return loop + "}}\n";
}

TEST_P(FastBarrierTest, KeepsTheRegistersOfThreads) {
  const std::string loops = loop_with_constants(3) + loop_with_constants(90);
  EXPECT_EQ(run("float x = t;\nconst int none = out[i];\n" + loops + "out[i] = int(16.0f * x);"), std::nullopt);
  std::vector<std::int32_t> expected(threads);
  for (std::uint32_t t = 0; t < threads; ++t) {
    auto x = static_cast<float>(t);
    for (const int first : {3, 90})
      for (int k = 0; k < 4 * 3 * 20; ++k) x = x * 0.5F + static_cast<float>(first + k % 20);
    expected[t] = static_cast<std::int32_t>(16.0F * x);
  }
  expect_rows(expected);
}

TEST_P(FastBarrierTest, GoesOnWithoutThreadsThatHaveReturned) {
  EXPECT_EQ(run(R"(
    for (int round = 0; round < 8; ++round) {
      if (round == 3 && t >= 50) return;
      threadgroup_barrier(mem_flags::mem_none);
      out[i] += 1;
    })"),
            std::nullopt);
  EXPECT_EQ(reported(), "synccheck");
  for (std::uint32_t t = 0; t < threads; ++t) EXPECT_EQ(row(1)[t], t < 50 ? 8 : 3);
}

TEST_P(FastBarrierTest, GoesOnWithoutAThreadThatAFaultHasEnded) {
  if (!is_checked()) return;  // nobody judges the access
  EXPECT_TRUE(run(R"(
    for (int round = 0; round < 8; ++round) {
      threadgroup_barrier(mem_flags::mem_none);
      out[round == 5 && t == 7 ? 100000 : i] += 1;
    })"));
  EXPECT_EQ(reported(), "memcheck");
  for (std::uint32_t t = 0; t < threads; ++t) EXPECT_EQ(row(1)[t], t == 7 ? 5 : 8);
}

TEST_P(FastBarrierTest, DifferentNumbersOfBarriersAreReported) {
  EXPECT_TRUE(run(R"(
    for (uint round = 0; round < 4 + t % 2; ++round) threadgroup_barrier(mem_flags::mem_none);
    threadgroup_barrier(mem_flags::mem_none);
    threadgroup_barrier(mem_flags::mem_none);)"));
  EXPECT_EQ(reported(), "synccheck");
}

TEST_P(FastBarrierTest, DifferentBarriersAreReported) {
  EXPECT_TRUE(run(R"(
    for (uint round = 0; round < 4; ++round) {
      if (round == 2 && t % 63 == 0)
        threadgroup_barrier(mem_flags::mem_none);
      else
        threadgroup_barrier(mem_flags::mem_none);
      out[i] += simd_sum(1);
    })"));
  EXPECT_EQ(reported(), "synccheck");
}

TEST_P(FastBarrierTest, CountsAsAStepOfEachThread) {
  const std::string endless = "while (true) threadgroup_barrier(mem_flags::mem_none);";
  EXPECT_TRUE(run(endless));
  EXPECT_EQ(reported(), "synccheck");
  if (is_checked()) return;  // accesses and blocks count too
  const std::string ten = "for (int round = 0; round < 10; ++round) threadgroup_barrier(mem_flags::mem_none);";
  EXPECT_EQ(run(ten, std::uint64_t{10} * threads), std::nullopt);
  EXPECT_TRUE(run(ten, std::uint64_t{10} * threads - 1));
}

}  // namespace
}  // namespace assay::metal::emulator::test
