// One run of a kernel: every kind of write that is none of its business is seen, and every element it leaves out.
#include "validation/cce/fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "tests/validation/cce/kernels.h"

namespace assay::validation {
namespace {

using metal::AnyCceOutput;
using metal::AnyCceProblem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

CceCase of_type(Dtype dtype) {
  CceCase c = two_entries();
  c.dtype = dtype;
  return c;
}

class CceRunOf : public testing::TestWithParam<Dtype> {};

TEST_P(CceRunOf, HoldsWhatTheKernelWrote) {
  const CceRun run = run_kernel(*plain_cce_kernel(), of_type(GetParam()));
  EXPECT_FALSE(run.refused);
  EXPECT_THAT(run.out_of_bounds_writes, IsEmpty());
  EXPECT_THAT(run.unwritten, IsEmpty());
  EXPECT_THAT(run.loss, ElementsAre(static_cast<float>(std::log(2.0))));
  EXPECT_THAT(run.dhidden, ElementsAre(1, 0));
  EXPECT_THAT(run.dweight, ElementsAre(0, 1, 0, -1));
  EXPECT_THAT(run.dbias, ElementsAre(0.5F, -0.5F));
}

/// Writes `value` at `offset` from the beginning of one output, after a run that is right.
template <class Value>
std::vector<std::string> out_of_bounds_writes(Dtype dtype, metal::AnyOutput AnyCceOutput::* output,
                                              std::ptrdiff_t offset, Value value) {
  const StubCceKernel kernel = spoiled([=](const AnyCceOutput& out) {
    change_output(out.*output, [=](const auto& span) {
      using Real = typename std::decay_t<decltype(span)>::element_type;
      span.data()[offset] = static_cast<Real>(value);
    });
  });
  return run_kernel(kernel, of_type(dtype)).out_of_bounds_writes;
}

TEST_P(CceRunOf, SeesAWriteBeforeAndAfterEachOutput) {
  const Dtype dtype = GetParam();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(out_of_bounds_writes(dtype, &AnyCceOutput::dhidden, -1, 0.0),
              ElementsAre("wrote dhidden[-1], before its beginning"));
  EXPECT_THAT(out_of_bounds_writes(dtype, &AnyCceOutput::dhidden, 2, nan),
              ElementsAre("wrote dhidden[2], past its 2 elements"));
  EXPECT_THAT(out_of_bounds_writes(dtype, &AnyCceOutput::dweight, -64, nan),
              ElementsAre("wrote dweight[-64], before its beginning"));
  EXPECT_THAT(out_of_bounds_writes(dtype, &AnyCceOutput::dweight, 4 + 63, 0.0),
              ElementsAre("wrote dweight[67], past its 4 elements"));
  EXPECT_THAT(out_of_bounds_writes(dtype, &AnyCceOutput::dbias, -1, 1.0),
              ElementsAre("wrote dbias[-1], before its beginning"));
  EXPECT_THAT(out_of_bounds_writes(dtype, &AnyCceOutput::dbias, 2, 1.0),
              ElementsAre("wrote dbias[2], past its 2 elements"));
  EXPECT_THAT(out_of_bounds_writes(dtype, &AnyCceOutput::dbias, 1, 1.0), IsEmpty()) << "its own element";
  const auto loss = [dtype](std::ptrdiff_t offset) {
    const StubCceKernel kernel = spoiled([=](const AnyCceOutput& out) { out.loss.data()[offset] = 0; });
    return run_kernel(kernel, of_type(dtype)).out_of_bounds_writes;
  };
  EXPECT_THAT(loss(-1), ElementsAre("wrote loss[-1], before its beginning"));
  EXPECT_THAT(loss(1), ElementsAre("wrote loss[1], past its 1 elements"));
}

TEST_P(CceRunOf, SeesEachElementThatIsNotWritten) {
  const StubCceKernel writes_little([](const AnyCceProblem&, const AnyCceOutput& out, const CceRequest&) {
    change_output(out.dweight, [](const auto& span) {
      for (std::size_t i = 0; i < 3; ++i) span[i] = {};
    });
  });
  const CceRun run = run_kernel(writes_little, of_type(GetParam()));
  EXPECT_THAT(run.unwritten,
              ElementsAre("loss[0] was not written", "dhidden[0] was not written", "dhidden[1] was not written",
                          "dweight[3] was not written", "dbias[0] was not written", "dbias[1] was not written"));
  EXPECT_TRUE(std::isnan(run.loss[0]) && std::isnan(run.dhidden[1]) && std::isnan(run.dweight[3]))
      << "what was not written must never look like a result";
}

/// A kernel that adds to an output instead of writing it.
TEST_P(CceRunOf, TurnsTheUseOfAnOutputIntoNan) {
  const StubCceKernel accumulates([](const AnyCceProblem&, const AnyCceOutput& out, const CceRequest&) {
    change_output(out.dhidden, [](const auto& span) {
      using Real = typename std::decay_t<decltype(span)>::element_type;
      span[0] = static_cast<Real>(double{static_cast<float>(span[0])} + 1.0);
    });
  });
  EXPECT_TRUE(std::isnan(run_kernel(accumulates, of_type(GetParam())).dhidden[0]));
}

TEST_P(CceRunOf, SeesEachInputChange) {
  const auto after = [&](const std::function<void(const AnyCceProblem&)>& change) {
    const StubCceKernel kernel(
        [&](const AnyCceProblem& problem, const AnyCceOutput&, const CceRequest&) { change(problem); });
    CceCase c = of_type(GetParam());
    c.upstream = {1};
    return run_kernel(kernel, c).out_of_bounds_writes;
  };
  const auto in = [](const metal::AnyInput& any) {
    std::visit(
        [](const auto& span) {
          using Real = typename std::decay_t<decltype(span)>::value_type;
          const_cast<Real&>(span.back()) = static_cast<Real>(-0.25);
        },
        any);
  };
  EXPECT_THAT(after([](const AnyCceProblem&) {}), IsEmpty());
  EXPECT_THAT(after([&](const AnyCceProblem& p) { in(p.hidden); }), ElementsAre("changed its input"));
  EXPECT_THAT(after([&](const AnyCceProblem& p) { in(p.weight); }), ElementsAre("changed its input"));
  EXPECT_THAT(after([&](const AnyCceProblem& p) { in(p.bias); }), ElementsAre("changed its input"));
  EXPECT_THAT(after([](const AnyCceProblem& p) { const_cast<std::int64_t&>(p.options.targets[0]) = 0; }),
              ElementsAre("changed its input"));
  EXPECT_THAT(after([](const AnyCceProblem& p) { const_cast<float&>(p.options.upstream[0]) = 2; }),
              ElementsAre("changed its input"));
}

TEST_P(CceRunOf, GivesArraysOfTheCasesType) {
  const auto seen = [&](const CceRunOptions& options) {
    std::vector<std::size_t> types;
    const StubCceKernel kernel([&](const AnyCceProblem& problem, const AnyCceOutput& out, const CceRequest&) {
      types = {problem.hidden.index(), problem.weight.index(), problem.bias.index(),
               out.dhidden.index(),    out.dweight.index(),    out.dbias.index()};
      EXPECT_TRUE(problem.options.hidden.empty() && problem.options.weight.empty() && problem.options.bias.empty());
    });
    run_kernel(kernel, of_type(GetParam()), options);
    return types;
  };
  const auto type = static_cast<std::size_t>(GetParam());
  EXPECT_EQ(seen({}), std::vector<std::size_t>(6, type));
  const auto mixed = seen({.weight_of_other_type = true});
  EXPECT_NE(mixed[1], type);
  EXPECT_EQ(mixed[0], type);
  const CceRun refused = run_kernel(*plain_cce_kernel(), of_type(GetParam()), {.weight_of_other_type = true});
  EXPECT_TRUE(refused.refused);
  EXPECT_THAT(refused.message, HasSubstr("weight is "));
  EXPECT_THAT(refused.message, HasSubstr("as hidden is"));
}

INSTANTIATE_TEST_SUITE_P(EachType, CceRunOf, testing::Values(Dtype::float32, Dtype::float16, Dtype::bfloat16));

TEST(CceRun, SeesAWriteIntoAGradientThatWasNotAskedFor) {
  const StubCceKernel kernel = spoiled([](const AnyCceOutput& out) { std::get<0>(out.dweight).data()[0] = 0; });
  EXPECT_THAT(run_kernel(kernel, two_entries(), {.dweight = false}).out_of_bounds_writes,
              ElementsAre("wrote dweight[0], past its 0 elements"));
}

TEST(CceRun, IsRefusedInTheKernelsWordsAndSeesATrespassOnTheWay) {
  const StubCceKernel kernel([](const AnyCceProblem&, const AnyCceOutput& out, const CceRequest&) {
    out.loss.data()[-1] = 0;
    throw std::invalid_argument("V = 7: expected less");
  });
  const CceRun run = run_kernel(kernel, two_entries());
  EXPECT_TRUE(run.refused);
  EXPECT_EQ(run.message, "V = 7: expected less");
  EXPECT_THAT(run.unwritten, SizeIs(9));
  EXPECT_THAT(run.out_of_bounds_writes, SizeIs(1));
  EXPECT_NO_THROW(run_valid(*plain_cce_kernel(), two_entries()));
  try {
    run_valid(kernel, two_entries());
    ADD_FAILURE() << "no exception";
  } catch (const RefusedValidProblem& refusal) {
    EXPECT_STREQ(refusal.what(), "a valid problem was refused: V = 7: expected less");
  }
}

TEST(CceRun, LetsOtherExceptionsThrough) {
  const StubCceKernel broken([](const AnyCceProblem&, const AnyCceOutput&, const CceRequest&) {
    throw std::logic_error("a bug of the kernel");
  });
  EXPECT_THROW(run_kernel(broken, two_entries()), std::logic_error);
}

TEST(CceRun, PassesItsOptionsOn) {
  std::vector<std::size_t> sizes;
  CceRequest asked;
  const StubCceKernel kernel([&](const AnyCceProblem&, const AnyCceOutput& out, const CceRequest& request) {
    const auto size = [](const auto& span) { return span.size(); };
    sizes = {out.loss.size(), std::visit(size, out.dhidden), std::visit(size, out.dweight),
             std::visit(size, out.dbias)};
    asked = request;
  });
  run_kernel(kernel, two_entries(), {.request = {.threads = 3, .chunk = 5, .in_halves = true}});
  EXPECT_THAT(sizes, ElementsAre(1, 2, 4, 2));
  EXPECT_EQ(asked.threads, 3);
  EXPECT_EQ(asked.chunk, 5);
  EXPECT_TRUE(asked.in_halves);
  run_kernel(kernel, two_entries(), {.dhidden = false, .dbias = false});
  EXPECT_THAT(sizes, ElementsAre(1, 0, 4, 0));
  run_kernel(kernel, two_entries(), {.extra_loss = 2, .extra_dhidden = 1, .extra_dweight = -9, .extra_dbias = -1});
  EXPECT_THAT(sizes, ElementsAre(3, 3, 0, 1));
  CceCase reduced = three_tokens();
  run_kernel(kernel, reduced);
  EXPECT_EQ(sizes[0], 3U);
  reduced.reduction = Reduction::mean;
  reduced.bias.clear();
  run_kernel(kernel, reduced);
  EXPECT_EQ(sizes[0], 1U);
  EXPECT_EQ(sizes[3], 0U) << "without a bias there is no dbias";
}

}  // namespace
}  // namespace assay::validation
