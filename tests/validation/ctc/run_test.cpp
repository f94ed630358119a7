// One run of a kernel: every kind of write that is none of its business is seen, and every element it leaves out.
#include "validation/ctc/fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "tests/validation/ctc/stub_kernel.h"

namespace assay::validation {
namespace {

using testing::_;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

class MockKernel : public CtcKernel {
 public:
  MOCK_METHOD(const CtcKernelInfo&, info, (), (const, override));
  MOCK_METHOD(void, run, (const CtcProblem<float>&, const metal::CtcOutput<float>&, int), (const, override));
};

CtcRun run_after(std::function<void(const metal::CtcOutput<float>&)> spoil, const CtcRunOptions& options = {}) {
  return run_kernel(spoiled(std::move(spoil)), three_of_four_paths(), options);
}

TEST(CtcRun, HoldsWhatTheKernelWrote) {
  const CtcRun run = run_kernel(*plain_ctc_kernel(), three_of_four_paths());
  EXPECT_FALSE(run.refused);
  EXPECT_THAT(run.out_of_bounds_writes, IsEmpty());
  EXPECT_THAT(run.unwritten, IsEmpty());
  EXPECT_THAT(run.loss, ElementsAre(static_cast<float>(std::log(4.0 / 3))));
  ASSERT_THAT(run.gradient, SizeIs(4));
  EXPECT_FLOAT_EQ(run.gradient_at(three_of_four_paths(), 1, 0, 0), 1.0F / 6.0F);
  EXPECT_FLOAT_EQ(run.gradient_at(three_of_four_paths(), 1, 0, 1), -1.0F / 6.0F);
}

TEST(CtcRun, SeesAWriteBeforeAndAfterEachOutput) {
  EXPECT_THAT(run_after([](const metal::CtcOutput<float>& out) { out.loss.data()[-1] = 0; }).out_of_bounds_writes,
              ElementsAre("wrote loss[-1], before its beginning"));
  EXPECT_THAT(run_after([](const metal::CtcOutput<float>& out) { out.loss.data()[1] = 0; }).out_of_bounds_writes,
              ElementsAre("wrote loss[1], past its 1 elements"));
  EXPECT_THAT(run_after([](const metal::CtcOutput<float>& out) { out.gradient.data()[-64] = 0; }).out_of_bounds_writes,
              ElementsAre("wrote gradient[-64], before its beginning"));
  EXPECT_THAT(run_after([](const metal::CtcOutput<float>& out) { out.gradient.data()[4 + 63] = 0; }).out_of_bounds_writes,
              ElementsAre("wrote gradient[67], past its 4 elements"));
}

/// A NaN next to an output is a write too, even though nothing equals it.
TEST(CtcRun, SeesAWriteOfNan) {
  EXPECT_THAT(run_after([](const metal::CtcOutput<float>& out) { out.gradient.data()[4] = nan; }).out_of_bounds_writes, SizeIs(1));
}

TEST(CtcRun, SeesAWriteIntoAGradientThatWasNotAskedFor) {
  const auto one_element = [](const metal::CtcOutput<float>& out) { out.gradient.data()[0] = 0; };
  EXPECT_THAT(run_after(one_element, {.gradient = false}).out_of_bounds_writes,
              ElementsAre("wrote gradient[0], past its 0 elements"));
}

TEST(CtcRun, SeesEachInputChange) {
  const auto out_of_bounds_writes = [](auto change) {
    const StubKernel kernel([change](const CtcProblem<float>& problem, const metal::CtcOutput<float>& out, int) {
      fill_with_zero(out);
      change(problem);
    });
    CtcCase c = three_of_four_paths();
    c.upstream = {1};
    return run_kernel(kernel, c).out_of_bounds_writes;
  };
  const auto activation = [](const auto& problem) { const_cast<float&>(problem.activations[3]) = -0.0F; };
  const auto target = [](const auto& problem) { const_cast<std::int64_t&>(problem.targets[0]) = 0; };
  const auto input_length = [](const auto& problem) { const_cast<std::int64_t&>(problem.input_lengths[0]) = 1; };
  const auto target_length = [](const auto& problem) { const_cast<std::int64_t&>(problem.target_lengths[0]) = 0; };
  const auto upstream = [](const auto& problem) { const_cast<float&>(problem.upstream[0]) = nan; };
  EXPECT_THAT(out_of_bounds_writes([](const auto&) {}), IsEmpty());
  EXPECT_THAT(out_of_bounds_writes(activation), ElementsAre("changed its input"));
  EXPECT_THAT(out_of_bounds_writes(target), ElementsAre("changed its input"));
  EXPECT_THAT(out_of_bounds_writes(input_length), ElementsAre("changed its input"));
  EXPECT_THAT(out_of_bounds_writes(target_length), ElementsAre("changed its input"));
  EXPECT_THAT(out_of_bounds_writes(upstream), ElementsAre("changed its input"));
}

TEST(CtcRun, SeesEachElementThatIsNotWritten) {
  const StubKernel all_but_two([](const CtcProblem<float>&, const metal::CtcOutput<float>& out, int) {
    for (std::size_t i = 0; i < 3; ++i) out.gradient[i] = nan;
  });
  const CtcRun run = run_kernel(all_but_two, three_of_four_paths());
  EXPECT_THAT(run.unwritten, ElementsAre("loss[0] was not written", "gradient[3] was not written"));
  EXPECT_TRUE(std::isnan(run.loss[0])) << "what was not written must never look like a result";
}

/// A kernel that reads an output before it writes it, as an accumulation into memory not cleared does.
TEST(CtcRun, TurnsTheUseOfAnOutputIntoNan) {
  const StubKernel accumulates([](const CtcProblem<float>&, const metal::CtcOutput<float>& out, int) { out.loss[0] += 1.0F; });
  EXPECT_TRUE(std::isnan(run_kernel(accumulates, three_of_four_paths()).loss[0]));
}

TEST(CtcRun, IsRefusedInTheKernelsWords) {
  const StubKernel refuses([](const CtcProblem<float>&, const metal::CtcOutput<float>&, int) {
    throw std::invalid_argument("blank = 7: expected less");
  });
  const CtcRun run = run_kernel(refuses, three_of_four_paths());
  EXPECT_TRUE(run.refused);
  EXPECT_EQ(run.message, "blank = 7: expected less");
  EXPECT_THAT(run.unwritten, SizeIs(5));
}

TEST(CtcRun, SeesATrespassOfARefusal) {
  const StubKernel kernel([](const CtcProblem<float>&, const metal::CtcOutput<float>& out, int) {
    out.loss.data()[-1] = 0;
    throw std::invalid_argument("too late");
  });
  EXPECT_THAT(run_kernel(kernel, three_of_four_paths()).out_of_bounds_writes, SizeIs(1));
}

TEST(CtcRun, LetsOtherExceptionsThrough) {
  const StubKernel broken(
      [](const CtcProblem<float>&, const metal::CtcOutput<float>&, int) { throw std::logic_error("a bug of the kernel"); });
  EXPECT_THROW(run_kernel(broken, three_of_four_paths()), std::logic_error);
}

TEST(CtcRun, OfAValidProblemMustNotBeRefused) {
  const StubKernel refuses([](const CtcProblem<float>&, const metal::CtcOutput<float>&, int) {
    throw std::invalid_argument("blank = 7: expected less");
  });
  EXPECT_NO_THROW(run_valid(*plain_ctc_kernel(), three_of_four_paths()));
  try {
    run_valid(refuses, three_of_four_paths());
    ADD_FAILURE() << "no exception";
  } catch (const RefusedValidProblem& refusal) {
    EXPECT_THAT(refusal.what(), HasSubstr("blank = 7"));
  }
}

TEST(CtcRun, PassesItsOptionsOn) {
  const MockKernel kernel;
  const auto sizes = [](std::size_t loss, std::size_t gradient) {
    return testing::Truly(
        [=](const metal::CtcOutput<float>& out) { return out.loss.size() == loss && out.gradient.size() == gradient; });
  };
  EXPECT_CALL(kernel, run(_, sizes(1, 4), 3));
  run_kernel(kernel, three_of_four_paths(), {.threads = 3});
  EXPECT_CALL(kernel, run(_, sizes(1, 0), 0));
  run_kernel(kernel, three_of_four_paths(), {.gradient = false});
  EXPECT_CALL(kernel, run(_, sizes(3, 0), 0));
  run_kernel(kernel, three_of_four_paths(), {.extra_loss = 2, .extra_gradient = -5});
}

TEST(CtcRun, AsksForOneLossWhereLossesAreReduced) {
  const CtcCase two_rows = select_rows(three_of_four_paths(), {0, 0});
  EXPECT_THAT(run_kernel(*plain_ctc_kernel(), two_rows).loss, SizeIs(2));
  CtcCase reduced = two_rows;
  reduced.reduction = Reduction::mean;
  EXPECT_THAT(run_kernel(*plain_ctc_kernel(), reduced).loss, SizeIs(1));
}

}  // namespace
}  // namespace assay::validation
