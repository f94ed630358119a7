// One run of a kernel: every kind of write that is none of its business is seen, and every element it leaves out.
#include "validation/svd/fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/validation/svd/kernels.h"

namespace assay::validation {
namespace {

using metal::AnySvdOutput;
using metal::AnySvdProblem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

class SvdRunOf : public testing::TestWithParam<Dtype> {};

TEST_P(SvdRunOf, HoldsWhatTheKernelWrote) {
  const SvdRun run = run_kernel(*plain_svd_kernel(), exchange(GetParam()));
  EXPECT_FALSE(run.refused);
  EXPECT_THAT(run.out_of_bounds_writes, IsEmpty());
  EXPECT_THAT(run.unwritten, IsEmpty());
  EXPECT_EQ(run.M, 2);
  EXPECT_EQ(run.N, 2);
  EXPECT_EQ(run.K, 2);
  EXPECT_THAT(run.S, ElementsAre(2, 1));
  EXPECT_THAT(run.U, ElementsAre(1, 0, 0, 1));
  EXPECT_THAT(run.Vh, ElementsAre(0, 1, 1, 0));
}

TEST_P(SvdRunOf, IsIndexedByMatrixRowAndColumn) {
  const SvdRun run = run_kernel(*plain_svd_kernel(), two_tall(GetParam()));
  EXPECT_EQ(run.u(1, 2, 0), run.U[6 + 4]);
  EXPECT_EQ(run.s(1, 1), run.S[3]);
  EXPECT_EQ(run.vh(1, 1, 0), run.Vh[4 + 2]);
  EXPECT_NEAR(run.s(1, 0), std::sqrt(3.0), 1e-6);
}

/// Writes `value` at `offset` from the beginning of one output, after a run that is right.
template <class Any>
std::vector<std::string> out_of_bounds_writes(Dtype dtype, Any AnySvdOutput::* output, std::ptrdiff_t offset,
                                              double value) {
  const StubSvdKernel kernel = spoiled_svd([=](const AnySvdOutput& out) {
    change_output(out.*output, [=](const auto& span) {
      using Real = typename std::decay_t<decltype(span)>::element_type;
      span.data()[offset] = static_cast<Real>(value);
    });
  });
  return run_kernel(kernel, exchange(dtype)).out_of_bounds_writes;
}

TEST_P(SvdRunOf, SeesAWriteBeforeAndAfterEachOutput) {
  const Dtype dtype = GetParam();
  EXPECT_THAT(out_of_bounds_writes(dtype, &AnySvdOutput::U, -1, 0), ElementsAre("wrote U[-1], before its beginning"));
  EXPECT_THAT(out_of_bounds_writes(dtype, &AnySvdOutput::U, 4, nan), ElementsAre("wrote U[4], past its 4 elements"));
  EXPECT_THAT(out_of_bounds_writes(dtype, &AnySvdOutput::S, -64, nan),
              ElementsAre("wrote S[-64], before its beginning"));
  EXPECT_THAT(out_of_bounds_writes(dtype, &AnySvdOutput::S, 2, 1), ElementsAre("wrote S[2], past its 2 elements"));
  EXPECT_THAT(out_of_bounds_writes(dtype, &AnySvdOutput::Vh, -1, 1), ElementsAre("wrote Vh[-1], before its beginning"));
  EXPECT_THAT(out_of_bounds_writes(dtype, &AnySvdOutput::Vh, 4 + 63, 0),
              ElementsAre("wrote Vh[67], past its 4 elements"));
  EXPECT_THAT(out_of_bounds_writes(dtype, &AnySvdOutput::Vh, 3, 1), IsEmpty()) << "its own element";
}

TEST_P(SvdRunOf, SeesEachElementThatIsNotWritten) {
  const StubSvdKernel writes_little({.run = [](const AnySvdProblem&, const AnySvdOutput& out, const SvdRequest&) {
    change_output(out.U, [](const auto& span) {
      for (std::size_t i = 0; i < 3; ++i) span[i] = {};
    });
    change_output(out.S, [](const auto& span) { span[1] = 0; });
  }});
  const SvdRun run = run_kernel(writes_little, exchange(GetParam()));
  EXPECT_THAT(run.unwritten, ElementsAre("U[3] was not written", "S[0] was not written", "Vh[0] was not written",
                                         "Vh[1] was not written", "Vh[2] was not written", "Vh[3] was not written"));
  EXPECT_TRUE(std::isnan(run.U[3]) && std::isnan(run.S[0]) && std::isnan(run.Vh[2]))
      << "what was not written must never look like a result";
}

/// A kernel that adds to an output instead of writing it.
TEST_P(SvdRunOf, TurnsTheUseOfAnOutputIntoNan) {
  const StubSvdKernel accumulates({.run = [](const AnySvdProblem&, const AnySvdOutput& out, const SvdRequest&) {
    change_output(out.U, [](const auto& span) {
      using Real = typename std::decay_t<decltype(span)>::element_type;
      span[0] = static_cast<Real>(static_cast<double>(span[0]) + 1.0);
    });
  }});
  EXPECT_TRUE(std::isnan(run_kernel(accumulates, exchange(GetParam())).U[0]));
}

TEST_P(SvdRunOf, SeesItsInputChange) {
  const StubSvdKernel kernel({.run = [](const AnySvdProblem& problem, const AnySvdOutput&, const SvdRequest&) {
    std::visit(
        [](const auto& span) {
          using Real = typename std::decay_t<decltype(span)>::value_type;
          const_cast<Real&>(span.back()) = static_cast<Real>(-0.0);
        },
        problem.A);
  }});
  EXPECT_THAT(run_kernel(kernel, exchange(GetParam())).out_of_bounds_writes, ElementsAre("changed its input"))
      << "0 and -0 are equal, and not the same";
}

TEST_P(SvdRunOf, GivesArraysOfTheCasesTypeUnlessAskedOtherwise) {
  std::vector<std::size_t> types;
  const StubSvdKernel kernel({.run = [&](const AnySvdProblem& problem, const AnySvdOutput& out, const SvdRequest&) {
    types = {problem.A.index(), out.U.index(), out.S.index(), out.Vh.index()};
    EXPECT_TRUE(problem.options.A.empty());
  }});
  const std::size_t index[] = {0, 2, 3, 1};  // of float32, float16, bfloat16, float64 among the types of an array
  const std::size_t own = index[static_cast<std::size_t>(GetParam())], value = GetParam() == Dtype::float64 ? 1 : 0;
  run_kernel(kernel, exchange(GetParam()));
  EXPECT_THAT(types, ElementsAre(own, own, value, own));
  run_kernel(kernel, exchange(GetParam()), {.S_of_other_type = true});
  EXPECT_THAT(types, ElementsAre(own, own, 1 - value, own));
  run_kernel(kernel, exchange(GetParam()), {.Vh_of_other_type = true});
  EXPECT_THAT(types, ElementsAre(own, own, value, testing::Ne(own)));
  const SvdRun refused = run_kernel(*plain_svd_kernel(), exchange(GetParam()), {.S_of_other_type = true});
  EXPECT_TRUE(refused.refused);
  EXPECT_THAT(refused.message, HasSubstr("S is float"));
}

INSTANTIATE_TEST_SUITE_P(EachType, SvdRunOf, testing::ValuesIn(all_dtypes()),
                         [](const auto& dtype) { return name_of(dtype.param); });

TEST(SvdRun, SeesAWriteIntoAnOutputThatWasNotAskedFor) {
  const StubSvdKernel kernel = spoiled_svd([](const AnySvdOutput& out) { std::get<0>(out.U).data()[0] = 0; });
  EXPECT_THAT(run_kernel(kernel, exchange(), {.vectors = false}).out_of_bounds_writes,
              ElementsAre("wrote U[0], past its 0 elements"));
}

TEST(SvdRun, IsRefusedInTheKernelsWordsAndSeesATrespassOnTheWay) {
  const StubSvdKernel kernel({.run = [](const AnySvdProblem&, const AnySvdOutput& out, const SvdRequest&) {
    std::get<0>(out.S).data()[-1] = 0;
    throw std::invalid_argument("M = 2: expected more");
  }});
  const SvdRun run = run_kernel(kernel, exchange());
  EXPECT_TRUE(run.refused);
  EXPECT_EQ(run.message, "M = 2: expected more");
  EXPECT_THAT(run.unwritten, SizeIs(10));
  EXPECT_THAT(run.out_of_bounds_writes, SizeIs(1));
  EXPECT_NO_THROW(run_valid(*plain_svd_kernel(), exchange()));
  try {
    run_valid(kernel, exchange());
    ADD_FAILURE() << "no exception";
  } catch (const RefusedValidProblem& refusal) {
    EXPECT_STREQ(refusal.what(), "a valid problem was refused: M = 2: expected more");
  }
}

TEST(SvdRun, LetsOtherExceptionsThrough) {
  const StubSvdKernel broken({.run = [](const AnySvdProblem&, const AnySvdOutput&, const SvdRequest&) {
    throw std::logic_error("a bug of the kernel");
  }});
  EXPECT_THROW(run_kernel(broken, exchange()), std::logic_error);
}

TEST(SvdRun, PassesItsOptionsOn) {
  std::vector<std::size_t> sizes;
  int threads = 0;
  const auto note_sizes = [&](const AnySvdOutput& out) {
    const auto size = [](const auto& span) { return span.size(); };
    sizes = {std::visit(size, out.U), std::visit(size, out.S), std::visit(size, out.Vh)};
  };
  reference::RandomizedSvd asked;
  const StubSvdKernel kernel({.run =
                                  [&](const AnySvdProblem&, const AnySvdOutput& out, const SvdRequest& request) {
                                    note_sizes(out);
                                    threads = request.threads;
                                  },
                              .randomized =
                                  [&](const AnySvdProblem&, const auto& randomized, const AnySvdOutput& out) {
                                    note_sizes(out);
                                    asked = randomized;
                                  }});
  run_kernel(kernel, two_tall(), {.request = {.threads = 3}});
  EXPECT_THAT(sizes, ElementsAre(12, 4, 8));
  EXPECT_EQ(threads, 3);
  run_kernel(kernel, two_tall(), {.vectors = false});
  EXPECT_THAT(sizes, ElementsAre(0, 4, 0));
  run_kernel(kernel, two_tall(), {.U_alone = true});
  EXPECT_THAT(sizes, ElementsAre(12, 4, 0));
  run_kernel(kernel, two_tall(), {.extra_U = 1, .extra_S = -1, .extra_Vh = -99});
  EXPECT_THAT(sizes, ElementsAre(13, 3, 0));
  const SvdRun run = run_kernel(kernel, two_tall(), {.randomized = reference::RandomizedSvd{1, 5, 3, 99}});
  EXPECT_EQ(run.K, 1);
  EXPECT_THAT(sizes, ElementsAre(6, 2, 4));
  EXPECT_EQ(asked.rank, 1);
  EXPECT_EQ(asked.oversampling, 5);
  EXPECT_EQ(asked.power_iterations, 3);
  EXPECT_EQ(asked.seed, 99U);
}

/// What is no extent must reach the kernel as it is, and make no array of that size.
TEST(SvdRun, HandsOverExtentsThatAreNone) {
  for (const std::int64_t extent :
       {std::int64_t{-3}, std::int64_t{1} << 40, std::numeric_limits<std::int64_t>::max()}) {
    for (auto which : {&SvdCase::B, &SvdCase::M, &SvdCase::N}) {
      SvdCase c = exchange();
      c.*which = extent;
      const SvdRun run = run_kernel(*plain_svd_kernel(), c);
      EXPECT_TRUE(run.refused);
      EXPECT_THAT(run.out_of_bounds_writes, IsEmpty());
    }
  }
}

}  // namespace
}  // namespace assay::validation
