// simdcheck: operations of simdgroups that not all lanes execute. Each fault is beside a twin that is right.
#include <gtest/gtest.h>

#include "tests/emulator/bench.h"
#include "tests/matchers.h"

namespace assay::metal::emulator::test {
namespace {

struct Findings {
  std::vector<Report> reports, warnings;
};

/// Runs a kernel with the statements `body`, of which the first is on line 3, on one group of `threads`.
Findings run(const std::string& body, std::uint64_t threads = 64, EmulatorOptions options = {}) {
  options.checks.initcheck = options.checks.racecheck = false;
  EmulatorDevice device(options);
  const auto library = or_throw(device.new_library(
      "#include <metal_stdlib>\nusing namespace metal; kernel void k(device float* out, uint tid "
      "[[thread_index_in_threadgroup]], uint lane [[thread_index_in_simdgroup]], uint simdgroup "
      "[[simdgroup_index_in_threadgroup]]) { threadgroup float tile[64]; float x = float(tid); tile[tid % 64] = x;\n" +
      body + "\nout[tid] = x; }"));
  const auto pipeline = or_throw(device.new_pipeline(or_throw(library->new_function("k"))));
  const auto out = or_throw(device.new_buffer(threads * sizeof(float), "out"));
  const auto commands = device.new_command_queue()->command_buffer();
  const auto encoder = or_throw(commands->compute_encoder());
  encoder->set_pipeline(pipeline);
  encoder->set_buffer(out, 0, 0);
  encoder->dispatch_threads({threads}, {threads});
  EXPECT_TRUE(encoder->end_encoding() && commands->commit() && commands->wait_until_completed());
  return {device.reports(), device.warnings()};
}

void expect_no_warning(const std::string& body, std::uint64_t threads = 64) {
  const Findings found = run(body, threads);
  for (const Report& report : found.reports) ADD_FAILURE() << body << "\n" << to_string(report);
  for (const Report& warning : found.warnings) ADD_FAILURE() << body << "\n" << to_string(warning);
}

/// The text of the only warning, where there is no report.
std::string warning_of(const std::string& body, std::uint64_t threads = 64) {
  const Findings found = run(body, threads);
  EXPECT_THAT(found.reports, IsEmpty()) << body;
  EXPECT_THAT(found.warnings, SizeIs(1)) << body;
  return found.warnings.empty() ? "" : to_string(found.warnings[0]);
}

/// The text of the only report, where there is no warning.
std::string report_of(const std::string& body, std::uint64_t threads = 64) {
  const Findings found = run(body, threads);
  EXPECT_THAT(found.warnings, IsEmpty()) << body;
  EXPECT_THAT(found.reports, SizeIs(1)) << body;
  return found.reports.empty() ? "" : to_string(found.reports[0]);
}

TEST(Simdcheck, WarnsOfAReductionInABranch) {
  const Findings found = run("if (lane < 16)\n  x = simd_sum(x);");
  EXPECT_THAT(found.reports, IsEmpty());
  ASSERT_THAT(found.warnings, SizeIs(1));
  const Report& warning = found.warnings[0];
  EXPECT_EQ(warning.check, Check::simdcheck);
  EXPECT_EQ(warning.message,
            "not all lanes of the simdgroup come to simd_sum: lanes 0-15 take part, lanes 16-31 do not");
  EXPECT_EQ(warning.event.position.line, 4U);
  EXPECT_EQ(warning.event.action, "simd_sum");
  EXPECT_EQ(warning.count, 2U) << "once for each simdgroup, at one place";
  expect_no_warning("x = simd_sum(x);");
}

TEST(Simdcheck, SaysWhereTheOtherLanesAre) {
  EXPECT_THAT(warning_of("if (lane != 3) x = simd_max(x);\nx += simd_sum(x);"),
              AllOf(HasSubstr("simdcheck warning: kernel k: "), HasSubstr("lanes 0-2, 4-31 take part, lane 3 does not"),
                    HasSubstr("waiting at simd_sum by thread (3, 0, 0)"), HasSubstr("source.metal:4:")));
}

TEST(Simdcheck, WarnsOfVotesPrefixesAndLoopsOfDifferentLengths) {
  EXPECT_THAT(warning_of("if (lane % 2 == 0 && simd_any(x > 3)) x = 1;"), HasSubstr("simd_any: lanes 0, 2, 4,"));
  EXPECT_THAT(warning_of("if (tid < 40) x = float(uint(ulong(simd_ballot(x > 3))));"),
              HasSubstr("simd_ballot: lanes 0-7"));
  EXPECT_THAT(warning_of("if (lane > 9) x = simd_prefix_exclusive_sum(x);"), HasSubstr("simd_prefix_exclusive_sum"));
  EXPECT_THAT(warning_of("for (uint i = lane; i < 50; i += 32) x += simd_max(x);"), HasSubstr("lanes 18-31 do not"));
  EXPECT_THAT(warning_of("if (lane % 4 < 2) x = quad_sum(x);"), HasSubstr("quad_sum: lanes 0-1, 4-5"));
}

TEST(Simdcheck, IsSilentWhereAllLanesThatAreLeftTakePart) {
  for (const char* body :
       {"if (simdgroup == 0) x = simd_sum(x);", "if (tid < 32) x = simd_shuffle_xor(x, 16);",
        "if (lane >= 20) return; x = simd_sum(x) + simd_broadcast_first(x) + simd_shuffle_up(x, 1);",
        "for (uint i = lane; i < 50; i += 32) x += tile[i]; x = simd_sum(x);",
        "if (lane < 16) x = quad_sum(x) + quad_shuffle_xor(x, 3) + quad_broadcast(x, 2);",
        "if (lane % 3 == 0 && simd_is_first()) x = 2;", "if (lane > 7) { out[tid] = x; return; } x = simd_sum(x);",
        "if (lane < 5) x = float(uint(ulong(simd_active_threads_mask())));",
        "x = simd_shuffle_up(x, 3) + simd_shuffle_down(x, 40) + simd_shuffle_rotate_up(x, 5);"})
    expect_no_warning(body);
  expect_no_warning("x = simd_sum(x) + simd_shuffle_up(x, 1);", 20);
}

TEST(Simdcheck, ReportsAValueOfALaneThatIsElsewhere) {
  EXPECT_THAT(report_of("if (lane < 16)\n  x += simd_shuffle_xor(x, 16);\nx += simd_sum(x);"),
              AllOf(HasSubstr("simdcheck: kernel k: simd_shuffle_xor reads lane 16 of the simdgroup, whose value is "
                              "undefined: lanes 0-15 take part, lanes 16-31 do not"),
                    HasSubstr("simd_shuffle_xor by thread (0, 0, 0)"), HasSubstr("source.metal:4:"),
                    HasSubstr("waiting at simd_sum by thread (16, 0, 0)")));
  EXPECT_THAT(report_of("if (lane > 3) x = simd_broadcast(x, 1);"), HasSubstr("simd_broadcast reads lane 1"));
  EXPECT_THAT(report_of("if (lane != 8) x = simd_shuffle_down(x, 1);"), HasSubstr("simd_shuffle_down reads lane 8"));
  EXPECT_THAT(report_of("if (lane % 4 < 2) x = quad_shuffle(x, 3);"), HasSubstr("reads lane 3 of the quadgroup"));
  expect_no_warning("if (lane < 16) x += simd_shuffle_xor(x, 8);");
  expect_no_warning("if (lane % 4 < 2) x = quad_shuffle(x, 1) + quad_broadcast(x, 0);");
}

TEST(Simdcheck, ReportsAValueOfALaneThatIsNot) {
  EXPECT_THAT(report_of("x += simd_shuffle_xor(x, 16);", 40),
              AllOf(HasSubstr("reads lane 16 of the simdgroup"), HasSubstr("lanes 0-7 take part, lanes 8-31 do not")));
  EXPECT_THAT(report_of("if (tid >= 40) return; x += simd_shuffle_down(x, 16);"),
              HasSubstr("ended by thread (48, 0, 0)"));
  EXPECT_THAT(report_of("x = simd_shuffle(x, lane + 1);"), HasSubstr("reads lane 32 of the simdgroup, whose value is "
                                                                     "undefined: lanes are 0 to 31"));
  expect_no_warning("x = simd_shuffle(x, (lane + 1) % 32);");
}

TEST(Simdcheck, MatricesNeedAllLanes) {
  const std::string load = "simdgroup_float8x8 m; simdgroup_load(m, tile);";
  EXPECT_THAT(report_of("if (lane < 31) { " + load + " }"),
              HasSubstr("undefined, since not all lanes of the simdgroup execute simdgroup_load: lanes 0-30 take part, "
                        "lane 31 does not"));
  EXPECT_THAT(report_of("if (tid > 60) return;\n" + load), HasSubstr("ended by thread (61, 0, 0)"));
  EXPECT_THAT(report_of("if (tid > 31)\n{ " + load + " }", 48), HasSubstr("lanes 16-31 do not"));
  expect_no_warning("threadgroup_barrier(mem_flags::mem_threadgroup); if (tid < 32) { " + load + " }");
}

TEST(Simdcheck, ASimdgroupBarrierInABranchIsAMatterOfSynccheck) {
  const Findings found =
      run("if (lane < 16)\n  simdgroup_barrier(mem_flags::mem_none);\nx = simd_sum(x);\n"
          "threadgroup_barrier(mem_flags::mem_none);");
  EXPECT_EQ(kinds(found.reports), "synccheck");
  EXPECT_EQ(kinds(found.warnings), "simdcheck");
  EXPECT_THAT(to_string(found.reports.at(0)), AllOf(HasSubstr("waiting at simdgroup_barrier"), HasSubstr("metal:4:")));
}

TEST(Simdcheck, ReportsALineOnceAndItsErrorFirst) {
  EXPECT_THAT(report_of("if (lane < 16) x = simd_sum(x) + simd_shuffle(x, 30) + simd_broadcast(x, 20);"),
              AllOf(HasSubstr("simd_shuffle reads lane 30"), HasSubstr("times at these places")));
}

TEST(Simdcheck, DoesNotMissALaneThatAFaultHasEnded) {
  const Findings found = run("if (lane == 7) x = out[1000];\nx += simd_shuffle_xor(x, 1);");
  EXPECT_EQ(kinds(found.reports), "memcheck");
  EXPECT_THAT(found.warnings, IsEmpty());
}

TEST(Simdcheck, CanBeSwitchedOffAndRunsInUncheckedKernels) {
  const std::string fault = "if (lane < 16) x += simd_shuffle_xor(x, 16);";
  EmulatorOptions options;
  options.checks.simdcheck = false;
  EXPECT_THAT(run(fault, 64, options).reports, IsEmpty());
  options = {};
  options.is_checked = false;
  EXPECT_EQ(kinds(run(fault, 64, options).reports), "simdcheck");
}

}  // namespace
}  // namespace assay::metal::emulator::test
