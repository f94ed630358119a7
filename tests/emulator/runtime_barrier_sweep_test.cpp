// The sweep over single barriers: on kernels that need each of theirs, and on one that does not.
#include <gtest/gtest.h>

#include "metal/emulator/barrier_sweep.h"
#include "tests/emulator/bench.h"
#include "tests/matchers.h"

namespace assay::metal::emulator::test {
namespace {

/// Runs the first kernel on 96 threads in groups of 48 with two buffers of 96 floats.
Result<std::vector<Report>> run(const std::string& source, const BarrierChange& change) {
  EmulatorOptions options;
  options.barrier_change = change;
  EmulatorDevice device(options);
  Result<std::shared_ptr<Library>> library = device.new_library(source);
  if (!library) return tl::unexpected(library.error());
  const auto pipeline =
      or_throw(device.new_pipeline(or_throw((*library)->new_function((*library)->function_names()[0]))));
  const std::vector<float> values(96, 1.0F);
  const auto in = or_throw(device.new_buffer(std::as_bytes(std::span(values)), ""));
  const auto out = or_throw(device.new_buffer(std::as_bytes(std::span(values)), ""));
  const auto commands = device.new_command_queue()->command_buffer();
  const auto encoder = or_throw(commands->compute_encoder());
  encoder->set_pipeline(pipeline);
  encoder->set_buffer(in, 0, 0);
  encoder->set_buffer(out, 0, 1);
  encoder->dispatch_threads({96}, {48});
  EXPECT_TRUE(encoder->end_encoding() && commands->commit() && commands->wait_until_completed());
  return device.reports();
}

Result<BarrierSweep> sweep_of(const std::string& source) {
  return sweep_barriers(barrier_mutants(source), [&](const BarrierChange& change) { return run(source, change); });
}

/// A recursion over two rows in threadgroup memory, as CTC's alpha: each barrier is needed, one flag each.
constexpr const char* recursion = R"(
#include <metal_stdlib>
using namespace metal;
kernel void recursion(device const float* in, device float* out, uint t [[thread_index_in_threadgroup]],
                      uint i [[thread_position_in_grid]]) {
  threadgroup float rows[2][48];
  rows[0][t] = in[i];
  threadgroup_barrier(mem_flags::mem_threadgroup);  // not threadgroup_barrier(mem_flags::mem_none)
  for (uint step = 1; step < 4; ++step) {
    rows[step % 2][t] = rows[(step + 1) % 2][t] + (t > 0 ? rows[(step + 1) % 2][t - 1] : 0.0);
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  out[i] = rows[1][47 - t];
}
)";

/// Device memory between lanes of a simdgroup, then both kinds of memory between all.
constexpr const char* two_kinds = R"(
#include <metal_stdlib>
using namespace metal;
kernel void two_kinds(device const float* in, device float* out, uint t [[thread_index_in_threadgroup]],
                      uint lane [[thread_index_in_simdgroup]], uint i [[thread_position_in_grid]],
                      uint g [[threadgroup_position_in_grid]]) {
  threadgroup float row[48];
  out[i] = in[i];
  simdgroup_barrier(mem_flags::mem_device);
  const float other = out[lane == 0 ? i + 1 : i - 1];
  row[t] = other;
  threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
  out[g * 48 + 47 - t] = row[47 - t] + 1;
}
)";

TEST(BarrierSweep, ListsEveryWayToWeakenABarrier) {
  const std::vector<BarrierMutant> mutants = barrier_mutants(recursion);
  ASSERT_THAT(mutants, SizeIs(6));
  EXPECT_EQ(mutants[0].change, "deleted");
  EXPECT_EQ(mutants[0].barrier, (SourcePosition{"", 8, 3}));
  EXPECT_TRUE(mutants[0].effect.is_deleted);
  EXPECT_EQ(mutants[4].change, "mem_threadgroup -> mem_none");
  EXPECT_EQ(mutants[4].barrier, (SourcePosition{"", 11, 5}));
  EXPECT_FALSE(mutants[4].effect.is_deleted);
  EXPECT_EQ(mutants[5].effect.memory_flags, abi::mem_device);
  EXPECT_EQ(mutants[5].change, "mem_threadgroup -> mem_device");
  EXPECT_THAT(barrier_mutants(two_kinds), SizeIs(6));
  EXPECT_THAT(barrier_mutants("/* threadgroup_barrier(mem_flags::mem_none) */ my_threadgroup_barrier(1);"), IsEmpty());
}

TEST(BarrierSweep, NamesTheFilesOfLineMarkersAndLeavesSystemHeadersAlone) {
  const std::vector<BarrierMutant> mutants = barrier_mutants(R"(# 1 "kernel.metal"
# 1 "/headers/metal_stdlib" 1 3
threadgroup_barrier(mem_flags::mem_none);
# 7 "kernel.metal" 2

  threadgroup_barrier(mem_flags::mem_none);
#line 3 "other//header.h"
 ::metal::threadgroup_barrier(mem_flags::mem_none);
)");
  ASSERT_THAT(mutants, SizeIs(2));
  EXPECT_EQ(mutants[0].barrier, (SourcePosition{"kernel.metal", 8, 3}));
  EXPECT_EQ(mutants[1].barrier, (SourcePosition{"other/header.h", 3, 2}));
  EXPECT_EQ(mutants[1].effect.file, "other//header.h") << "as the shader names it";
}

TEST(BarrierSweep, ReportsEachMutantOfAKernelThatNeedsItsBarriers) {
  for (const char* const source : {recursion, two_kinds}) {
    const Result<BarrierSweep> sweep = sweep_of(source);
    ASSERT_TRUE(sweep) << sweep.error().text;
    EXPECT_THAT(sweep->reported, SizeIs(6));
    for (const BarrierMutant& survivor : sweep->survivors)
      ADD_FAILURE() << to_string(survivor.barrier) << " " << survivor.change;
  }
}

TEST(BarrierSweep, FindsABarrierThatNobodyNeeds) {
  const std::string source = R"(
#include <metal_stdlib>
using namespace metal;
kernel void copy(device const float* in, device float* out, uint i [[thread_position_in_grid]]) {
  out[i] = in[i];
  threadgroup_barrier(mem_flags::mem_device);
  out[i] += 1;
}
)";
  const Result<BarrierSweep> sweep = sweep_of(source);
  ASSERT_TRUE(sweep);
  EXPECT_THAT(sweep->survivors, SizeIs(3));
  EXPECT_THAT(sweep->reported, IsEmpty());
}

TEST(BarrierSweep, ChangesTheBarriersOfOneFileAlone) {
  const std::string source = "#include <metal_stdlib>\n#line 7 \"one.metal\"\n" + std::string(recursion);
  const std::vector<BarrierMutant> mutants = barrier_mutants(source);
  ASSERT_THAT(mutants, SizeIs(6));
  EXPECT_EQ(mutants[0].barrier, (SourcePosition{"one.metal", 14, 3}));
  EXPECT_THAT(*run(source, mutants[0].effect), testing::Not(IsEmpty()));
  BarrierChange elsewhere = mutants[0].effect;
  elsewhere.file = "two.metal";
  EXPECT_THAT(*run(source, elsewhere), IsEmpty());
  BarrierChange beside = mutants[0].effect;
  beside.column += 1;
  EXPECT_THAT(*run(source, beside), IsEmpty());
}

TEST(BarrierSweep, RefusesASourceThatIsReportedItself) {
  std::string source = recursion;
  source.replace(source.find("threadgroup_barrier(mem_flags::mem_threadgroup);"), 48, "");
  const Result<BarrierSweep> sweep = sweep_of(source);
  ASSERT_FALSE(sweep);
  EXPECT_THAT(sweep.error().text, HasSubstr("the unchanged source is reported:\nracecheck"));
}

}  // namespace
}  // namespace assay::metal::emulator::test
