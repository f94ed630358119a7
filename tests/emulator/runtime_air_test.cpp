// Kernels of compiled libraries through the whole emulator: planted faults in small modules are reported by their
// checks, at the instruction, and the mended twins give the right result and no report.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/emulator/bench.h"
#include "tests/emulator/metallib.h"
#include "tests/matchers.h"

namespace assay::metal::emulator::test {
namespace {

constexpr std::size_t air_threads = 128;

struct AirOutcome {
  std::vector<Report> reports;
  std::vector<float> out;
  std::vector<DispatchLosses> losses;
  std::optional<Error> error;
};

/// Runs the kernel `k` of a module on in[i] = i.
AirOutcome run_module(const std::string& module, EmulatorOptions options = {}) {
  const LibraryFile file(metallib({{"k", assembled(module)}}));
  EmulatorDevice device(std::move(options));
  const auto library = or_throw(device.new_library_from_file(file.path()));
  const auto pipeline = or_throw(device.new_pipeline(or_throw(library->new_function("k"))));
  std::vector<float> values(air_threads);
  std::iota(values.begin(), values.end(), 0.0F);
  const auto in = or_throw(device.new_buffer(std::as_bytes(std::span(values)), "in"));
  const auto out = or_throw(device.new_buffer(air_threads * sizeof(float), "out"));
  const auto commands = device.new_command_queue()->command_buffer();
  const auto encoder = or_throw(commands->compute_encoder());
  encoder->set_pipeline(pipeline);
  encoder->set_buffer(in, 0, 0);
  encoder->set_buffer(out, 0, 1);
  encoder->dispatch_threads({air_threads}, {air_threads / 2});
  EXPECT_TRUE(encoder->end_encoding() && commands->commit() && commands->wait_until_completed());
  const auto* const got = reinterpret_cast<const float*>(out->contents());
  return {device.reports(), {got, got + air_threads}, device.losses(), commands->error()};
}

std::string mended(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::logic_error("the module has no " + from);
  return text.replace(at, from.size(), to);
}

/// A faulty body, and how it is mended.
struct AirFault {
  const char* name;
  Check check;
  const char* instruction;  ///< at which it is reported
  const char* body;
  const char *from, *to;
  bool with_numerics = false;
};

constexpr const char* air_barrier = "call void @air.wg.barrier(i32 2, i32 1)";

const std::vector<AirFault>& air_faults() {
  static const std::vector<AirFault> faults = {
      {"NoBarrier", Check::racecheck, "store float %x, ptr addrspace(3) %at.shared", R"(
  %x = load float, ptr addrspace(1) %at.in
  store float %x, ptr addrspace(3) %at.shared
  ; mend
  %swap = xor i32 %tid, 63
  %other = getelementptr inbounds [64 x float], ptr addrspace(3) @_ZZ1kE6shared, i64 0, i32 %swap
  %y = load float, ptr addrspace(3) %other
  store float %y, ptr addrspace(1) %at.out)",
       "; mend", air_barrier},
      {"BarrierOfOtherMemory", Check::racecheck, "%y = load float, ptr addrspace(3) %other", R"(
  store float 1.0, ptr addrspace(3) %at.shared
  call void @air.wg.barrier(i32 1, i32 1)
  %swap = xor i32 %tid, 63
  %other = getelementptr inbounds [64 x float], ptr addrspace(3) @_ZZ1kE6shared, i64 0, i32 %swap
  %y = load float, ptr addrspace(3) %other
  store float %y, ptr addrspace(1) %at.out)",
       "i32 1, i32 1", "i32 2, i32 1"},
      {"GroupsWriteTheSame", Check::racecheck, "store float %x, ptr addrspace(1) %at", R"(
  %x = load float, ptr addrspace(1) %at.in
  %at = getelementptr inbounds float, ptr addrspace(1) %out, i32 %tid
  store float %x, ptr addrspace(1) %at)",
       "%out, i32 %tid", "%out, i32 %i"},
      {"ReadsBehindTheEnd", Check::memcheck, "%x = load float, ptr addrspace(1) %next", R"(
  %next = getelementptr inbounds float, ptr addrspace(1) %at.in, i32 1
  %x = load float, ptr addrspace(1) %next
  store float %x, ptr addrspace(1) %at.out)",
       "ptr addrspace(1) %next\n", "ptr addrspace(1) %at.in\n"},
      {"WritesBehindTheEnd", Check::memcheck, "store float 1.000000e+00, ptr addrspace(1) %next", R"(
  %next = getelementptr inbounds float, ptr addrspace(1) %at.out, i32 1
  store float 1.0, ptr addrspace(1) %next)",
       "ptr addrspace(1) %next", "ptr addrspace(1) %at.out"},
      {"WritesBehindThreadgroupMemory", Check::memcheck,
       "store float 1.000000e+00, ptr addrspace(3) getelementptr inbounds", R"(
  store float 1.0, ptr addrspace(3) getelementptr inbounds ([64 x float], ptr addrspace(3) @_ZZ1kE6shared, i64 1, i64 0)
  store float 1.0, ptr addrspace(1) %at.out)",
       "  store float 1.0, ptr addrspace(3)", "; store float 1.0, ptr addrspace(3)"},
      {"IndexBeforeAnOwnArray", Check::memcheck, "store float %x, ptr %element", R"(
  %own = alloca [8 x float], align 4
  %x = load float, ptr addrspace(1) %at.in
  %index = sub i32 3, %tid
  %element = getelementptr inbounds [8 x float], ptr %own, i64 0, i32 %index
  store float %x, ptr %element, align 4
  %n = fptoui float %x to i32
  %other = and i32 %n, 7
  %again = getelementptr inbounds [8 x float], ptr %own, i64 0, i32 %other
  %y = load float, ptr %again, align 4
  store float %y, ptr addrspace(1) %at.out)",
       "sub i32 3, %tid", "and i32 7, %tid"},
      {"BarrierInABranch", Check::synccheck, "call void @air.wg.barrier", R"(
  %first = icmp ult i32 %tid, 32
  br i1 %first, label %wait, label %done
wait:
  call void @air.wg.barrier(i32 2, i32 1)
  br label %done
done:
  store float 1.0, ptr addrspace(1) %at.out)",
       "icmp ult i32 %tid, 32", "icmp ult i32 %tid, 64"},
      {"ReadsWhatNobodyWrote", Check::initcheck, "%x = load float, ptr addrspace(3) %at.shared", R"(
  ; mend
  %x = load float, ptr addrspace(3) %at.shared
  store float %x, ptr addrspace(1) %at.out)",
       "; mend", "store float 1.0, ptr addrspace(3) %at.shared"},
      {"ReadsItsOutput", Check::initcheck, "%x = load float, ptr addrspace(1) %at.out", R"(
  %x = load float, ptr addrspace(1) %at.out
  store float %x, ptr addrspace(1) %at.out)",
       "%at.out\n", "%at.in\n"},
      {"ShufflesFromLanesThatAreElsewhere", Check::simdcheck, "%y = call float @air.simd_shuffle_xor.f32", R"(
  %x = load float, ptr addrspace(1) %at.in
  %lane = and i32 %tid, 31
  %first = icmp ult i32 %lane, 16
  br i1 %first, label %swap, label %done
swap:
  %y = call float @air.simd_shuffle_xor.f32(float %x, i16 16)
  br label %done
done:
  %z = phi float [ %y, %swap ], [ %x, %0 ]
  store float %z, ptr addrspace(1) %at.out)",
       "i16 16", "i16 1"},
      {"MakesNan", Check::numcheck, "%y = call float @air.log.f32", R"(
  %x = load float, ptr addrspace(1) %at.in
  %less = fsub float %x, 2.0
  %y = call float @air.log.f32(float %less)
  store float %y, ptr addrspace(1) %at.out)",
       "fsub float %x, 2.0", "fadd float %x, 2.0", true},
      {"DividesByZero", Check::intcheck, "%q = sdiv i32 %i, %tid", R"(
  %q = sdiv i32 %i, %tid
  %y = sitofp i32 %q to float
  store float %y, ptr addrspace(1) %at.out)",
       "sdiv i32 %i, %tid", "sdiv i32 %tid, 3"},
      {"EndsNever", Check::synccheck, "", R"(
  br label %again
again:
  %n = phi i32 [ 0, %0 ], [ %m, %again ]
  %m = add i32 %n, 0
  %goes.on = icmp ult i32 %m, 5
  br i1 %goes.on, label %again, label %done
done:
  store float 1.0, ptr addrspace(1) %at.out)",
       "add i32 %n, 0", "add i32 %n, 1"},
  };
  return faults;
}

class AirFaults : public testing::TestWithParam<AirFault> {};

TEST_P(AirFaults, IsReportedAtItsInstructionUnlessItIsMended) {
  const AirFault& fault = GetParam();
  EmulatorOptions options;
  options.with_numerics = fault.with_numerics;
  options.step_limit = 1'000'000;
  const AirOutcome outcome = run_module(air_module(fault.body), options);
  const auto found = std::ranges::find(outcome.reports, fault.check, &Report::check);
  ASSERT_NE(found, outcome.reports.end()) << kinds(outcome.reports);
  const Report& report = *found;
  EXPECT_THAT(report.event.position.file, HasSubstr("test.metallib(k, block ")) << to_string(report);
  EXPECT_THAT(report.event.position.file, HasSubstr(fault.instruction)) << to_string(report);
  const AirOutcome right = run_module(mended(air_module(fault.body), fault.from, fault.to), options);
  for (const Report& one : right.reports) ADD_FAILURE() << to_string(one);
  EXPECT_FALSE(right.error.has_value());
}

INSTANTIATE_TEST_SUITE_P(Planted, AirFaults, testing::ValuesIn(air_faults()),
                         [](const auto& instance) { return std::string(instance.param.name); });

TEST(Air, NamesTheThreadgroupVariable) {
  const AirOutcome outcome = run_module(air_module(air_faults().front().body));
  const auto race = std::ranges::find(outcome.reports, Check::racecheck, &Report::check);
  ASSERT_NE(race, outcome.reports.end());
  EXPECT_THAT(race->address, HasSubstr("threadgroup variable `shared`"));
  ASSERT_TRUE(race->other.has_value());
  EXPECT_THAT(race->other->position.file, HasSubstr("block 0: %y = load float, ptr addrspace(3) %other"));
}

TEST(Air, FindsLostDigits) {
  EmulatorOptions options;
  options.with_numerics = true;
  const std::string body = R"(
  %x = load float, ptr addrspace(1) %at.in
  %large = fadd float %x, 1.0e8
  %y = fsub float %large, 1.0e8
  store float %y, ptr addrspace(1) %at.out)";
  const AirOutcome lost = run_module(air_module(body), options);
  ASSERT_THAT(lost.losses, SizeIs(1));
  EXPECT_GT(lost.losses[0].losses.large, 0U);
  ASSERT_THAT(lost.losses[0].losses.lines, Not(IsEmpty()));
  EXPECT_THAT(lost.losses[0].losses.lines[0].position.file, HasSubstr("%y = fsub float %large"));
  const AirOutcome kept = run_module(air_module(mended(mended(body, "1.0e8", "1.0"), "1.0e8", "1.0")), options);
  ASSERT_THAT(kept.losses, SizeIs(1));
  EXPECT_EQ(kept.losses[0].losses.large, 0U);
}

TEST(Air, ComputesWhatItsFunctionsSay) {
  const AirOutcome sums = run_module(air_module(R"(
  %x = load float, ptr addrspace(1) %at.in
  %sum = call float @air.simd_sum.f32(float %x)
  store float %sum, ptr addrspace(1) %at.out)"));
  EXPECT_THAT(sums.reports, IsEmpty());
  for (std::size_t i = 0; i < air_threads; ++i) {
    const auto first = static_cast<float>(i / 32 * 32);
    EXPECT_EQ(sums.out[i], 32 * first + 31 * 16) << i;
  }
  const AirOutcome vectors = run_module(air_module(R"(
  %x = load float, ptr addrspace(1) %at.in
  %a = insertelement <3 x float> <float 2.0, float 3.0, float 4.0>, float %x, i64 0
  %b = call <3 x float> @air.fmax.v3f32(<3 x float> %a, <3 x float> <float 5.0, float 1.0, float 9.0>)
  %y = call float @air.dot.v3f32(<3 x float> %b, <3 x float> <float 1.0, float 10.0, float 100.0>)
  %n = call i32 @air.convert.s.i32.f.f32(float %y)
  %z = call float @air.convert.f.f32.u.i32(i32 %n)
  store float %z, ptr addrspace(1) %at.out)",
                                                   R"(
declare <3 x float> @air.fmax.v3f32(<3 x float>, <3 x float>)
declare float @air.dot.v3f32(<3 x float>, <3 x float>)
declare i32 @air.convert.s.i32.f.f32(float)
declare float @air.convert.f.f32.u.i32(i32)
)"));
  EXPECT_THAT(vectors.reports, IsEmpty());
  for (std::size_t i = 0; i < air_threads; ++i)
    EXPECT_EQ(vectors.out[i], std::max(static_cast<float>(i), 5.0F) + 930) << i;
}

TEST(Air, NamesAnIndexThatLeavesAnOwnArray) {
  const AirOutcome outcome = run_module(air_module(R"(
  %own = alloca [8 x float], align 4
  %x = load float, ptr addrspace(1) %at.in
  %index = add i32 %tid, -2
  %element = getelementptr inbounds [8 x float], ptr %own, i64 0, i32 %index
  store float %x, ptr %element, align 4
  %n = fptoui float %x to i32
  %other = and i32 %n, 7
  %again = getelementptr inbounds [8 x float], ptr %own, i64 0, i32 %other
  %y = load float, ptr %again, align 4
  store float %y, ptr addrspace(1) %at.out)"));
  ASSERT_THAT(outcome.reports, SizeIs(1));
  EXPECT_EQ(outcome.reports[0].address, "index -2 of an array of 8");
  EXPECT_EQ(outcome.reports[0].count, 2U * (2 + 64 - 10));  // threads 0 and 1, and those from 10 on, in two groups
}

/// %y is a * a + c in one of the two forms that Apple's compiler writes for it; c is what a * a is rounded to, without sign.
std::string product_less_itself(const std::string& sum, const std::string& declaration) {
  return air_module(R"(
  %x = load float, ptr addrspace(1) %at.in
  %small = fmul float %x, 0x3E80000000000000
  %a = fadd float %small, 1.0
  %p = fmul float %a, %a
  %c = fneg float %p
)" + sum + R"(
  store float %y, ptr addrspace(1) %at.out)",
                    declaration);
}

bool fuses() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("fma") != 0;
#else
  return true;
#endif
}

TEST(Air, RoundsProductAndSumUnlessArithmeticPermitsToFuse) {
  const std::string scalar = product_less_itself("%y = call float @llvm.fmuladd.f32(float %a, float %a, float %c)",
                                                 "declare float @llvm.fmuladd.f32(float, float, float) #1");
  const std::string vector =
      product_less_itself(R"(
  %a2 = insertelement <2 x float> <float 0.0, float 0.0>, float %a, i64 1
  %c2 = insertelement <2 x float> <float 0.0, float 0.0>, float %c, i64 1
  %y2 = call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %a2, <2 x float> %a2, <2 x float> %c2)
  %y = extractelement <2 x float> %y2, i64 1)",
                          "declare <2 x float> @llvm.fmuladd.v2f32(<2 x float>, <2 x float>, <2 x float>)");
  EmulatorOptions safe;
  safe.math_mode = MathMode::safe;
  for (const std::string& module : {scalar, vector}) {
    const AirOutcome rounded = run_module(module), fused = run_module(module, safe);
    EXPECT_THAT(rounded.reports, IsEmpty());
    for (std::size_t i = 0; i < air_threads; ++i) {
      const float a = 1 + static_cast<float>(i) * 0x1p-23F;
      EXPECT_EQ(rounded.out[i], 0) << i;
      EXPECT_EQ(fused.out[i], fuses() ? std::fma(a, a, -(a * a)) : 0.0F) << i;
    }
  }
}

TEST(Air, AddsAtomically) {
  const AirOutcome outcome = run_module(air_module(R"(
  store float 0.0, ptr addrspace(1) %at.out
  %counter = getelementptr inbounds i32, ptr addrspace(1) %in, i32 0
  %was = call i32 @air.atomic.global.add.u.i32(ptr addrspace(1) nocapture %counter, i32 1, i32 0, i32 2, i1 true)
  %y = uitofp i32 %was to float
  store float %y, ptr addrspace(1) %at.out)"));
  EXPECT_THAT(outcome.reports, IsEmpty());
  std::vector<float> sorted = outcome.out;
  std::ranges::sort(sorted);
  for (std::size_t i = 0; i < air_threads; ++i) EXPECT_EQ(sorted[i], static_cast<float>(i));
}

TEST(Air, RefusesWhatItDoesNotHaveByName) {
  const auto refusal = [](const std::string& module) {
    const LibraryFile file(metallib({{"k", assembled(module)}}));
    EmulatorDevice device;
    const auto function = or_throw(device.new_library_from_file(file.path()))->new_function("k");
    return function ? std::string() : function.error().text;
  };
  const std::string body = "store float 1.0, ptr addrspace(1) %at.out";
  EXPECT_EQ(refusal(air_module(body)), "");
  EXPECT_THAT(refusal(air_module(body, "declare float @air.frobnicate.f32(float)")), HasSubstr("air.frobnicate.f32"));
  EXPECT_THAT(refusal(air_module(body, "declare void @__tensorops_run(ptr)")), HasSubstr("__tensorops_run"));
  EXPECT_THAT(refusal(mended(air_module(body), "!\"air.buffer\"", "!\"air.texture\"")), HasSubstr("air.texture"));
  EXPECT_THAT(refusal(mended(air_module(body), "!\"air.buffer\"", "!\"air.sampler\"")), HasSubstr("air.sampler"));
  EXPECT_THAT(refusal(mended(air_module(body), "!\"air.thread_position_in_grid\"", "!\"air.amplification_id\"")),
              HasSubstr("air.amplification_id"));
  EXPECT_THAT(refusal(mended(air_module(body), "!air.kernel = !{!0}", "!air.visible = !{!0}")),
              HasSubstr("air.kernel"));
}

}  // namespace
}  // namespace assay::metal::emulator::test
