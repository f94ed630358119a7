// Each barrier of the kernels is needed: whatever is taken from one, some dispatch is reported.
#include <gtest/gtest.h>

#include "tests/kernels/ctc/bench.h"
#include "tests/kernels/ctc/cases.h"
#include "tests/kernels/emulated.h"

namespace assay::metal::test {
namespace {

using emulator::BarrierChange;
using emulator::Report;

/// Dispatches of every kernel that has a barrier, with more threads than a simdgroup has and more states than threads.
Result<std::vector<Report>> run_all(const std::string& source, const BarrierChange& change) {
  emulator::EmulatorOptions options;
  options.language.metal_version = 300;  // without bfloat there is less to compile
  options.barrier_change = change;
  CtcBench bench(options, source);
  const CtcCase c = some_case(6, {9, 20});
  bench.run(c.view(), {.size = SizeClass::states_2, .group_threads = 64, .emissions = "held_"});
  bench.run(c.view(), {.size = SizeClass::states_2, .emissions = "wide_"});
  const CtcCase without_alignment = edge_case(6, 9);
  bench.run(without_alignment.view(), {.size = SizeClass::states_2});
  bench.run(c.view(), {.size = SizeClass::plain, .group_threads = 32});
  for (const bool with_gradient : {true, false})
    bench.run(c.view(), {.size = SizeClass::device, .group_threads = 64, .with_gradient = with_gradient});
  return bench.device().reports();
}

TEST(CtcBarriers, AreEachNeeded) {
  const Result<std::string> source = text_with_includes(ctc_source_file());
  expect_each_barrier_needed(source, 19, [&](const BarrierChange& change) { return run_all(*source, change); });
}

}  // namespace
}  // namespace assay::metal::test
