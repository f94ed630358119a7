// What must hold of the dispatches, whatever they are: tests/kernels shows at every edge that the results are right.
#include "metal/host/ctc/kernels.h"

#include <gtest/gtest.h>

#include "metal/host/ctc/ctc.h"
#include "metal/kernels/ctc/interface.h"
#include "tests/host/ctc/shapes.h"
#include "tests/host/host_stream.h"
#include "tests/matchers.h"

namespace assay::metal::test {
namespace {

using reference::Reduction;

class CtcKernels : public testing::Test {
 protected:
  template <class Real = float>
  Result<CtcPlan> prepare(const Shapes& shapes, bool with_gradient = true, const CtcOptions& options = {}) {
    return CtcLoss::create(stream_.device, stream_.library, options)
        .value()
        .prepare(shapes.problem<Real>(), with_gradient);
  }

  /// The dispatches, with the names of their kernels.
  template <class Real = float>
  std::vector<Dispatch> dispatches(const Shapes& shapes, bool with_gradient = true, const CtcOptions& options = {}) {
    const CtcPlan plan = prepare<Real>(shapes, with_gradient, options).value();
    stream_.recorder.dispatches.clear();
    const BufferPart any{stream_.make_buffer("any", plan.activation_bytes() + plan.loss_bytes())};
    EXPECT_TRUE(plan.encode(*stream_.encoder, {any, any, any}));
    return stream_.dispatches();
  }

  HostStream stream_;
};

/// Groups of whole simdgroups, with threads and memory that the device and the pipeline have; on either side of every
/// size at which another kernel is taken.
TEST_F(CtcKernels, StayWithinTheLimits) {
  for (const std::uint32_t most : {32U, 128U, 1023U, 1024U, 4096U})
    for (const std::int64_t labels : {0, 31, 32, 255, 256, 511, 512, 4095, 4096, 5000})
      for (const CtcPath path : {CtcPath::production, CtcPath::plain}) {
        stream_.max_threads = most;
        for (const Dispatch& dispatch : dispatches(one_row(4, labels), true, {.path = path})) {
          EXPECT_EQ(dispatch.group.width % 32, 0U) << dispatch.kernel << most;
          EXPECT_GT(dispatch.group.width, 0U) << dispatch.kernel << most;
          EXPECT_LE(dispatch.group.width, std::min(most, 1024U)) << dispatch.kernel << labels;
        }
      }
}

/// Kernels have memory of their own, beside [[threadgroup(0)]].
TEST_F(CtcKernels, TakeNoMoreThreadgroupMemoryThanIsLeft) {
  for (const std::uint64_t own : {0U, 1U, 1000U})
    for (const std::int64_t C : {256, 257, 5000, 8192, 8193}) {
      stream_.static_length = own;
      for (const Dispatch& dispatch : dispatches(Shapes(9, C, {{9, 2}, {9, 1}})))
        EXPECT_LE(dispatch.threadgroup_length + own, 32768U) << dispatch.kernel << C;
    }
  stream_.static_length = 0;
  stream_.max_threads = 255;
  EXPECT_THAT(prepare(Shapes(9, 5000, {{9, 2}})).error().text,
              HasSubstr("ctc_emissions_held_float: 224 threads in a group: expected at least 256"));
}

TEST_F(CtcKernels, AreNotMadeForWhatIsEmpty) {
  Shapes no_rows(7, 5, {});
  EXPECT_THAT(dispatches(no_rows), IsEmpty());
  EXPECT_THAT(stream_.lengths, IsEmpty());
  no_rows.options.reduction = Reduction::mean;
  EXPECT_EQ(dispatches(no_rows).size(), 1U) << "the mean of nothing is a number too";
}

/// What is set for one kernel would add to another's, and outlast the plan in the caller's encoder.
TEST_F(CtcKernels, GiveThreadgroupMemoryBack) {
  EXPECT_EQ(dispatches(Shapes(4, 500, {{4, 2}}))[1].threadgroup_length, 0U);
  EXPECT_CALL(*stream_.encoder, set_threadgroup_memory_length(testing::Gt(0U), 0)).Times(1);
  EXPECT_CALL(*stream_.encoder, set_threadgroup_memory_length(0, 0)).Times(1);
  (void)dispatches(Shapes(4, 500, {{4, 2}}));
}

TEST_F(CtcKernels, NeedWholeSimdgroupsOf32) {
  stream_.width = 64;
  EXPECT_EQ(prepare(one_row(4, 2)).error(),
            (Error{Error::Kind::limit, "kernel ctc_emissions_float: thread_execution_width = 64: expected 32"}));
  stream_.width = 32;
  stream_.max_threads = 31;
  EXPECT_THAT(prepare(one_row(4, 2)).error().text,
              HasSubstr("max_total_threads_per_threadgroup = 31: expected at least 32"));
}

}  // namespace
}  // namespace assay::metal::test
