// Which kernel is dispatched, with which constants, in which groups, with how much threadgroup memory.
#include "metal/host/ctc/kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "metal/host/ctc/ctc.h"
#include "metal/kernels/ctc/interface.h"
#include "tests/host/ctc/shapes.h"
#include "tests/host/host_stream.h"

namespace assay::metal::test {
namespace {

using host::CtcDispatch;
using reference::CtcInput;
using reference::CtcVariable;
using reference::Reduction;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

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

  template <class Real = float>
  std::vector<std::string> names(const Shapes& shapes, bool with_gradient = true, const CtcOptions& options = {}) {
    std::vector<std::string> names;
    for (const Dispatch& dispatch : dispatches<Real>(shapes, with_gradient, options)) names.push_back(dispatch.kernel);
    return names;
  }

  HostStream stream_;
};

constexpr Size simdgroup{32, 1, 1};

/// States at the edges of each size class, and the class. L is odd: 2 labels + 1.
TEST_F(CtcKernels, AreThoseOfTheLongestRow) {
  const std::vector<std::pair<std::int64_t, std::string>> cases = {
      {0, "1"},  {15, "1"},  {16, "2"},        {31, "2"},        {32, "4"},       {63, "4"},
      {64, "8"}, {127, "8"}, {128, "columns"}, {511, "columns"}, {512, "columns"}};
  for (const auto& [labels, size] : cases) {
    Shapes shapes(4, 5, {{4, 0}, {4, labels}, {4, 0}});
    EXPECT_THAT(names(shapes),
                ElementsAre("ctc_emissions_float", "ctc_forward_" + size, "ctc_backward_" + size + "_float"))
        << labels << " labels";
  }
}

TEST_F(CtcKernels, AreOfTheActivationsType) {
  const Shapes shapes = one_row(4, 2);
  EXPECT_THAT(names<Half>(shapes), ElementsAre("ctc_emissions_half", "ctc_forward_1", "ctc_backward_1_half"));
  EXPECT_THAT(names<BFloat16>(shapes), ElementsAre("ctc_emissions_bfloat", "ctc_forward_1", "ctc_backward_1_bfloat"));
}

TEST_F(CtcKernels, OfTheLossAloneGoNoWayBack) {
  EXPECT_THAT(names(one_row(4, 2), false), ElementsAre("ctc_emissions_float", "ctc_forward_1"));
}

TEST_F(CtcKernels, ReduceASumAndAMean) {
  Shapes shapes = one_row(4, 2);
  for (const Reduction reduction : {Reduction::sum, Reduction::mean}) {
    shapes.options.reduction = reduction;
    const std::vector<Dispatch> all = dispatches(shapes, false);
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all[2].kernel, "ctc_reduce");
    EXPECT_EQ(all[2].groups, Size{});
    EXPECT_EQ(all[2].group, simdgroup);
  }
}

TEST_F(CtcKernels, OfThePlainPath) {
  Shapes shapes = one_row(4, 200);
  shapes.options.reduction = Reduction::sum;
  CtcOptions options;
  options.path = CtcPath::plain;
  EXPECT_THAT(names<Half>(shapes, true, options),
              ElementsAre("ctc_plain_log_softmax_half", "ctc_plain_alpha", "ctc_plain_beta", "ctc_plain_gradient_half",
                          "ctc_reduce"));
  EXPECT_THAT(names(shapes, false, options),
              ElementsAre("ctc_plain_log_softmax_float", "ctc_plain_alpha", "ctc_reduce"));
  const std::vector<Dispatch> all = dispatches(shapes, true, options);
  EXPECT_EQ(all[1].group, (Size{416, 1, 1}));
  EXPECT_EQ(all[2].group, (Size{416, 1, 1}));
  EXPECT_EQ(all[3].groups, (Size{1, 4, 1}));
}

TEST_F(CtcKernels, HaveTheConstantsOfTheProblem) {
  Shapes shapes = one_row(4, 2);
  for (const CtcInput input : {CtcInput::logits, CtcInput::log_probs})
    for (const CtcVariable variable : {CtcVariable::logits, CtcVariable::log_probs})
      for (const bool with_gradient : {true, false}) {
        shapes.options.input = input;
        shapes.options.variable = variable;
        for (const Dispatch& dispatch : dispatches(shapes, with_gradient)) {
          EXPECT_EQ(dispatch.constant(ctc::from_logits_constant), input == CtcInput::logits);
          EXPECT_EQ(dispatch.constant(ctc::of_logits_constant), variable == CtcVariable::logits);
          EXPECT_EQ(dispatch.constant(ctc::with_gradient_constant), with_gradient);
          EXPECT_EQ(dispatch.constants.values().at(ctc::from_logits_constant).size, 1U);
        }
      }
}

TEST_F(CtcKernels, KnowTheShape) {
  Shapes shapes(7, 5, {{7, 1}, {3, 1}});
  shapes.options.zero_infinity = true;
  for (const Dispatch& dispatch : dispatches(shapes)) {
    EXPECT_EQ(dispatch.shape<ctc::Shape>().T, 7);
    EXPECT_EQ(dispatch.shape<ctc::Shape>().B, 2);
    EXPECT_EQ(dispatch.shape<ctc::Shape>().C, 5);
    EXPECT_EQ(dispatch.shape<ctc::Shape>().first_row, 0U);
    EXPECT_EQ(dispatch.shape<ctc::Shape>().row_count, 2U);
    EXPECT_EQ(dispatch.shape<ctc::Shape>().zero_infinity, 1U);
  }
}

/// Frames along y, rows along x.
TEST_F(CtcKernels, HaveAGroupARowOrAFrame) {
  for (const std::int64_t B : {1, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025})
    for (const std::int64_t T : {1, 31, 33, 1025}) {
      const std::vector<Dispatch> all = dispatches(
          Shapes(T, 5, std::vector<std::pair<std::int64_t, std::int64_t>>(static_cast<std::size_t>(B), {T, 3})));
      ASSERT_EQ(all.size(), 3U);
      const auto rows = static_cast<std::uint64_t>(B);
      EXPECT_EQ(all[0].groups, (Size{rows, static_cast<std::uint64_t>(T), 1}));
      EXPECT_EQ(all[1].groups, (Size{rows, 1, 1}));
      EXPECT_EQ(all[2].groups, (Size{rows, 1, 1}));
      for (const Dispatch& dispatch : all) EXPECT_EQ(dispatch.group, simdgroup);
    }
}

TEST_F(CtcKernels, HaveAThreadAStateUpToThePipelinesLimit) {
  for (const auto& [labels, most, threads] :
       std::vector<std::tuple<std::int64_t, std::uint32_t, std::uint64_t>>{{128, 1024, 288},
                                                                           {143, 1024, 288},
                                                                           {144, 1024, 320},
                                                                           {511, 1024, 1024},
                                                                           {512, 1024, 1024},
                                                                           {512, 1023, 992},
                                                                           {512, 447, 416},
                                                                           {512, 32, 32},
                                                                           {5000, 4096, 1024}}) {
    HostStream fresh;
    fresh.max_threads = most;
    const CtcPlan plan =
        CtcLoss::create(fresh.device, fresh.library).value().prepare(one_row(4, labels).problem(), true).value();
    EXPECT_EQ(plan.dispatches()[1].kernel.threads, threads) << labels << " labels, limit " << most;
    EXPECT_EQ(plan.dispatches()[2].kernel.threads, threads);
    EXPECT_EQ(plan.dispatches()[0].kernel.threads, 32U);
  }
}

/// 32 KiB hold two columns of 2048 states and three of 1365: L = 2047 and 1365, less where the kernel has memory of its
/// own.
TEST_F(CtcKernels, KeepColumnsInThreadgroupMemoryAsLongAsTheyFit) {
  struct Case {
    std::int64_t labels;
    std::uint64_t static_length;
    const char *forward, *backward;
  };
  for (const Case& c : std::vector<Case>{{682, 0, "ctc_forward_columns", "ctc_backward_columns_float"},
                                         {683, 0, "ctc_forward_columns", "ctc_backward_device_float"},
                                         {1023, 0, "ctc_forward_columns", "ctc_backward_device_float"},
                                         {1024, 0, "ctc_forward_device", "ctc_backward_device_float"},
                                         {682, 1, "ctc_forward_columns", "ctc_backward_device_float"},
                                         {1023, 16, "ctc_forward_columns", "ctc_backward_device_float"},
                                         {1023, 17, "ctc_forward_device", "ctc_backward_device_float"},
                                         {682, 32768, "ctc_forward_device", "ctc_backward_device_float"}}) {
    stream_.static_length = c.static_length;
    const std::vector<Dispatch> all = dispatches(one_row(4, c.labels));
    EXPECT_EQ(all[1].kernel, c.forward) << c.labels;
    EXPECT_EQ(all[2].kernel, c.backward) << c.labels;
    for (const Dispatch& dispatch : all) {
      EXPECT_EQ(dispatch.threadgroup_length % 16, 0U);
      EXPECT_EQ(dispatch.threadgroup_length > 0, dispatch.kernel.find("columns") != std::string::npos);
      const std::uint64_t own = dispatch.threadgroup_length > 0 ? c.static_length : 0;
      EXPECT_LE(dispatch.threadgroup_length + own, stream_.limits.max_threadgroup_memory_length);
    }
  }
}

TEST_F(CtcKernels, TakeAsMuchThreadgroupMemoryAsTheColumnsOfTheLongestRow) {
  const std::vector<Dispatch> all = dispatches(Shapes(4, 5, {{4, 128}, {4, 129}, {4, 2}}));
  EXPECT_EQ(all[1].threadgroup_length, 2U * 259 * 8);
  EXPECT_EQ(all[2].threadgroup_length, 3U * 259 * 8 + 8);
}

/// What is set for one kernel would add to another's, and outlast the plan in the caller's encoder.
TEST_F(CtcKernels, GiveThreadgroupMemoryBack) {
  Shapes shapes = one_row(4, 200);
  shapes.options.reduction = Reduction::sum;
  const std::vector<Dispatch> reduced = dispatches(shapes);
  EXPECT_EQ(reduced[3].kernel, "ctc_reduce");
  EXPECT_EQ(reduced[3].threadgroup_length, 0U);
  EXPECT_CALL(*stream_.encoder, set_threadgroup_memory_length(testing::Gt(0U), 0)).Times(2);
  EXPECT_CALL(*stream_.encoder, set_threadgroup_memory_length(0, 0));
  (void)dispatches(one_row(4, 200));
}

TEST_F(CtcKernels, AreNotMadeForWhatIsEmpty) {
  Shapes no_rows(7, 5, {});
  EXPECT_THAT(names(no_rows), IsEmpty());
  EXPECT_THAT(stream_.lengths, IsEmpty());
  no_rows.options.reduction = Reduction::mean;
  EXPECT_THAT(names(no_rows), ElementsAre("ctc_reduce"));
  EXPECT_EQ(stream_.dispatches()[0].shape<ctc::Shape>().row_count, 0U);
  Shapes no_frames(0, 5, {{0, 2}, {0, 0}});
  EXPECT_THAT(names(no_frames), ElementsAre("ctc_forward_1"));
  no_frames.options.reduction = Reduction::sum;
  EXPECT_THAT(names(no_frames), ElementsAre("ctc_forward_1", "ctc_reduce"));
  EXPECT_THAT(names(Shapes(7, 5, {{0, 2}})),
              ElementsAre("ctc_emissions_float", "ctc_forward_1", "ctc_backward_1_float"));
}

TEST_F(CtcKernels, NeedWholeSimdgroupsOf32) {
  stream_.width = 64;
  EXPECT_EQ(prepare(one_row(4, 2)).error(),
            (Error{Error::Kind::limit, "kernel ctc_backward_1_float: thread_execution_width = 64: expected 32"}));
  stream_.width = 32;
  stream_.max_threads = 31;
  EXPECT_THAT(prepare(one_row(4, 2)).error().text,
              HasSubstr("max_total_threads_per_threadgroup = 31: expected at least 32"));
}

}  // namespace
}  // namespace assay::metal::test
