// Which kernel is dispatched, with which constants, in which groups, with how much threadgroup memory.
#include "metal/host/ctc/kernels.h"

#include <gtest/gtest.h>

#include "metal/host/ctc/ctc.h"
#include "metal/kernels/ctc/interface.h"
#include "tests/host/ctc/shapes.h"
#include "tests/host/host_stream.h"
#include "tests/matchers.h"

namespace assay::metal::test {
namespace {

using host::CtcDispatch;
using reference::CtcInput;
using reference::CtcVariable;
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

  template <class Real = float>
  std::vector<std::string> names(const Shapes& shapes, bool with_gradient = true, const CtcOptions& options = {}) {
    std::vector<std::string> names;
    for (const Dispatch& dispatch : dispatches<Real>(shapes, with_gradient, options)) names.push_back(dispatch.kernel);
    return names;
  }

  HostStream stream_;
};

constexpr Size simdgroup{32, 1, 1};

/// Labels at the edges of each size class, and the class. L is odd: 2 labels + 1.
TEST_F(CtcKernels, AreThoseOfTheLongestRow) {
  const std::vector<std::pair<std::int64_t, std::string>> cases = {{0, "2"},   {255, "2"},  {256, "4"},      {511, "4"},
                                                                   {512, "8"}, {4095, "8"}, {4096, "device"}};
  for (const auto& [labels, size] : cases) {
    Shapes shapes(4, 5, {{4, 0}, {4, labels}, {4, 0}});
    EXPECT_THAT(names(shapes), ElementsAre("ctc_emissions_float", "ctc_recursion_" + size, "ctc_gradient_float"))
        << labels << " labels";
  }
}

/// 32 KiB of [[threadgroup(0)]] hold 8192 classes less what the kernel has of its own; another kernel takes more.
TEST_F(CtcKernels, OfEmissionsAreThoseOfTheNumberOfClasses) {
  for (const auto& [C, kernel, bytes] :
       std::vector<std::tuple<std::int64_t, std::string, std::uint64_t>>{{256, "ctc_emissions_float", 0},
                                                                         {257, "ctc_emissions_held_float", 1040},
                                                                         {5000, "ctc_emissions_held_float", 20000},
                                                                         {8192, "ctc_emissions_held_float", 32768},
                                                                         {8193, "ctc_emissions_wide_float", 0}}) {
    const Dispatch first = dispatches(Shapes(9, C, {{9, 2}, {9, 1}}))[0];
    EXPECT_EQ(first.kernel, kernel);
    EXPECT_EQ(first.threadgroup_length, bytes);
    EXPECT_EQ(first.groups, (Size{2, C <= 256 ? 2U : 9U, 1})) << C;
    EXPECT_EQ(first.group, (Size{256, 1, 1}));
  }
  stream_.static_length = 1;
  EXPECT_EQ(dispatches(Shapes(9, 8192, {{9, 2}}))[0].kernel, "ctc_emissions_wide_float");
  stream_.max_threads = 255;
  EXPECT_THAT(prepare(Shapes(9, 5000, {{9, 2}})).error().text,
              HasSubstr("ctc_emissions_held_float: 224 threads in a group: expected at least 256"));
}

TEST_F(CtcKernels, AreOfTheActivationsType) {
  const Shapes shapes = one_row(4, 2);
  EXPECT_THAT(names<Half>(shapes), ElementsAre("ctc_emissions_half", "ctc_recursion_2", "ctc_gradient_half"));
  EXPECT_THAT(names<BFloat16>(shapes), ElementsAre("ctc_emissions_bfloat", "ctc_recursion_2", "ctc_gradient_bfloat"));
}

TEST_F(CtcKernels, OfTheLossAloneGoNoWayBack) {
  const std::vector<Dispatch> all = dispatches(one_row(4, 2), false);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[1].kernel, "ctc_recursion_2");
  EXPECT_EQ(all[1].groups, (Size{1, 1, 1}));
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

/// Rows along x; along y eight frames, or alpha and beta.
TEST_F(CtcKernels, HaveAGroupARowOrEightFrames) {
  for (const std::int64_t B : {1, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025})
    for (const std::int64_t T : {1, 8, 9, 1025}) {
      const std::vector<Dispatch> all = dispatches(
          Shapes(T, 5, std::vector<std::pair<std::int64_t, std::int64_t>>(static_cast<std::size_t>(B), {T, 3})));
      ASSERT_EQ(all.size(), 3U);
      const auto rows = static_cast<std::uint64_t>(B), frames = static_cast<std::uint64_t>(T);
      EXPECT_EQ(all[0].groups, (Size{rows, (frames + 7) / 8, 1}));
      EXPECT_EQ(all[0].group, (Size{256, 1, 1}));
      EXPECT_EQ(all[1].groups, (Size{rows, 2, 1}));
      EXPECT_EQ(all[1].group, simdgroup);
      EXPECT_EQ(all[2].groups, all[0].groups);
      EXPECT_EQ(all[2].group, all[0].group);
    }
}

/// A pipeline that supports fewer threads takes more states a thread, or loops over them.
TEST_F(CtcKernels, HaveAsManyThreadsAsTheStatesNeed) {
  for (const auto& [labels, most, kernel, threads] :
       std::vector<std::tuple<std::int64_t, std::uint32_t, std::string, std::uint64_t>>{
           {31, 1024, "ctc_recursion_2", 32},
           {32, 1024, "ctc_recursion_2", 64},
           {255, 1024, "ctc_recursion_2", 256},
           {255, 128, "ctc_recursion_4", 128},
           {400, 1024, "ctc_recursion_4", 224},
           {4095, 1024, "ctc_recursion_8", 1024},
           {4095, 1023, "ctc_recursion_device", 992},
           {512, 32, "ctc_recursion_device", 32},
           {5000, 4096, "ctc_recursion_device", 1024}}) {
    HostStream fresh;
    fresh.max_threads = most;
    const CtcPlan plan =
        CtcLoss::create(fresh.device, fresh.library).value().prepare(one_row(4, labels).problem(), true).value();
    EXPECT_EQ(plan.dispatches()[1].kernel.threads, threads) << labels << " labels, limit " << most;
    EXPECT_EQ(plan.dispatches()[0].kernel.threads, std::min<std::uint64_t>(most / 32 * 32, 256));
    EXPECT_EQ(plan.dispatches()[0].kernel.items, plan.dispatches()[0].kernel.threads / 32);
    const BufferPart any{fresh.make_buffer("any", plan.activation_bytes() + plan.loss_bytes())};
    EXPECT_TRUE(plan.encode(*fresh.encoder, {any, any, any}));
    EXPECT_EQ(fresh.dispatches()[1].kernel, kernel);
  }
}

/// What is set for one kernel would add to another's, and outlast the plan in the caller's encoder.
TEST_F(CtcKernels, GiveThreadgroupMemoryBack) {
  EXPECT_EQ(dispatches(Shapes(4, 500, {{4, 2}}))[1].threadgroup_length, 0U);
  EXPECT_CALL(*stream_.encoder, set_threadgroup_memory_length(testing::Gt(0U), 0)).Times(1);
  EXPECT_CALL(*stream_.encoder, set_threadgroup_memory_length(0, 0)).Times(1);
  (void)dispatches(Shapes(4, 500, {{4, 2}}));
}

TEST_F(CtcKernels, AreNotMadeForWhatIsEmpty) {
  Shapes no_rows(7, 5, {});
  EXPECT_THAT(names(no_rows), IsEmpty());
  EXPECT_THAT(stream_.lengths, IsEmpty());
  no_rows.options.reduction = Reduction::mean;
  EXPECT_THAT(names(no_rows), ElementsAre("ctc_reduce"));
  EXPECT_EQ(stream_.dispatches()[0].shape<ctc::Shape>().row_count, 0U);
  Shapes no_frames(0, 5, {{0, 2}, {0, 0}});
  EXPECT_THAT(names(no_frames), ElementsAre("ctc_recursion_2"));
  no_frames.options.reduction = Reduction::sum;
  EXPECT_THAT(names(no_frames), ElementsAre("ctc_recursion_2", "ctc_reduce"));
  EXPECT_THAT(names(Shapes(7, 5, {{0, 2}})),
              ElementsAre("ctc_emissions_float", "ctc_recursion_2", "ctc_gradient_float"));
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
