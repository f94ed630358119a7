// Comparisons of runs: a NaN, an infinity or a single wrong element of any output must fail, whatever stands around it.
#include "validation/cce/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "tests/limits.h"
#include "tests/matchers.h"
#include "tests/validation/cce/kernels.h"

namespace assay::validation {
namespace {

using tests::infinity;
using tests::nan;

TEST(CcePlace, IsNamedByTheIndicesOfItsOutput) {
  const CceCase c = three_tokens();
  EXPECT_EQ(loss_place(2).text(), "loss[2]");
  EXPECT_EQ(dhidden_place(c, 5).text(), "dhidden[n=2, h=1]");
  EXPECT_EQ(dweight_place(c, 7).text(), "dweight[v=3, h=1]");
  EXPECT_EQ(dbias_place(3).text(), "dbias[3]");
}

struct Output {
  const char* name;
  std::vector<float> CceRun::* elements;
  Place (*place)(const CceCase&, std::size_t);
};

const Output outputs[] = {
    {"loss", &CceRun::loss, [](const CceCase&, std::size_t i) { return loss_place(i); }},
    {"dhidden", &CceRun::dhidden, dhidden_place},
    {"dweight", &CceRun::dweight, dweight_place},
    {"dbias", &CceRun::dbias, [](const CceCase&, std::size_t i) { return dbias_place(i); }},
};

CceCase case_of(Dtype dtype) {
  CceCase c = three_tokens();
  c.dtype = dtype;
  return c;
}

Finding compared(const CceCase& c, const CceRun& got, const CceRun& expected) {
  CceRunComparison comparison(c, plain_cce_kernel()->info());
  comparison.all(got, expected);
  return comparison.finding();
}

TEST(CceRunComparison, PassesARunAgainstItself) {
  for (const Dtype dtype : {Dtype::float32, Dtype::float16, Dtype::bfloat16}) {
    const CceCase c = case_of(dtype);
    const CceRun run = run_kernel(*plain_cce_kernel(), c);
    EXPECT_EQ(compared(c, run, run).verdict, Verdict::pass);
  }
}

/// Each element in turn, in either of the two runs.
TEST(CceRunComparison, FailsForOneWrongElementAnywhere) {
  for (const Dtype dtype : {Dtype::float32, Dtype::float16, Dtype::bfloat16}) {
    const CceCase c = case_of(dtype);
    const CceRun good = run_kernel(*plain_cce_kernel(), c);
    for (const Output& output : outputs) {
      for (std::size_t i = 0; i < (good.*output.elements).size(); ++i) {
        const float right = (good.*output.elements)[i];
        for (const float wrong : {nan, infinity, -infinity, right + 0.125F, right - 0.125F, right + 1e30F}) {
          CceRun bad = good;
          (bad.*output.elements)[i] = wrong;
          const std::string where = output.place(c, i).text();
          const Finding finding = compared(c, bad, good);
          EXPECT_EQ(finding.verdict, Verdict::fail) << where << ' ' << wrong;
          EXPECT_THAT(finding.explanation, HasSubstr(where));
          EXPECT_EQ(compared(c, good, bad).verdict, Verdict::fail) << where << ' ' << wrong << " as what is expected";
        }
      }
    }
  }
}

/// Two bounds apart two runs are both right, and not a rounding farther; the same for each output.
TEST(CceRunComparison, HoldsEachElementToTheSumOfBothBounds) {
  const CceCase c = case_of(Dtype::float32);
  const CceBounds bounds(c, plain_cce_kernel()->info());
  const CceRun good = run_kernel(*plain_cce_kernel(), c);
  const auto bound_of = [&](const Output& output, std::size_t i, double size) {
    const std::string name = output.name;
    if (name == "loss") return bounds.loss(i);
    if (name == "dhidden") return bounds.dhidden(i, size);
    return name == "dweight" ? bounds.dweight(i, size) : bounds.dbias(i, size);
  };
  for (const Output& output : outputs) {
    const std::size_t last = (good.*output.elements).size() - 1;
    const float right = (good.*output.elements)[last];
    const auto moved = [&](double share) {
      CceRun run = good;
      (run.*output.elements)[last] += static_cast<float>(share * bound_of(output, last, double{right}));
      return compared(c, run, good);
    };
    EXPECT_EQ(moved(1.5).verdict, Verdict::pass) << output.name;
    EXPECT_EQ(moved(1.5).margin.place, output.place(c, last).text());
    EXPECT_EQ(moved(3.1).verdict, Verdict::fail) << output.name;
    EXPECT_EQ(moved(-3.1).verdict, Verdict::fail) << output.name;
  }
}

/// 65504 is the largest float16, and where one run rounds to it another may overflow.
TEST(CceRunComparison, LetsOneOfTwoRunsOverflowAtTheEdgeAlone) {
  const CceCase c = case_of(Dtype::float16);
  const CceRun good = run_kernel(*plain_cce_kernel(), c);
  const auto pair = [&](float got, float expected) {
    CceRun first = good, second = good;
    first.dweight[0] = got;
    second.dweight[0] = expected;
    return compared(c, first, second).verdict;
  };
  EXPECT_EQ(pair(infinity, 65504), Verdict::pass);
  EXPECT_EQ(pair(65504, infinity), Verdict::pass);
  EXPECT_EQ(pair(-infinity, -65504), Verdict::pass);
  EXPECT_EQ(pair(infinity, infinity), Verdict::pass);
  EXPECT_EQ(pair(infinity, -65504), Verdict::fail);
  EXPECT_EQ(pair(infinity, 60000), Verdict::fail);
  EXPECT_EQ(pair(60000, infinity), Verdict::fail);
  EXPECT_EQ(pair(nan, infinity), Verdict::fail);
  EXPECT_EQ(pair(nan, 65504), Verdict::fail);
}

TEST(CceRunComparison, WantsAnInfiniteLossInBoth) {
  CceCase c = three_tokens();
  c.bias[3] = -infinity;
  const CceRun good = run_kernel(*plain_cce_kernel(), c);
  ASSERT_EQ(good.loss[0], infinity);
  EXPECT_EQ(compared(c, good, good).verdict, Verdict::pass);
  for (const float wrong : {nan, -infinity, 3.4e38F, 0.0F}) {
    CceRun bad = good;
    bad.loss[0] = wrong;
    EXPECT_EQ(compared(c, bad, good).verdict, Verdict::fail) << wrong;
    EXPECT_EQ(compared(c, good, bad).verdict, Verdict::fail) << wrong;
  }
}

TEST(CceRunComparison, AllowsForTheTypeOfEachOfTwoCases) {
  const CceCase narrow = case_of(Dtype::bfloat16);
  const CceCase wide = case_of(Dtype::float32);
  const CceKernelInfo& info = plain_cce_kernel()->info();
  const CceRun a = run_kernel(*plain_cce_kernel(), narrow);
  const CceRun b = run_kernel(*plain_cce_kernel(), wide);
  CceRunComparison both(narrow, wide, info);
  both.all(a, b);
  EXPECT_EQ(both.finding().verdict, Verdict::pass);
  CceRunComparison as_float(wide, info);
  as_float.all(a, b);
  EXPECT_EQ(as_float.finding().verdict, Verdict::fail) << "bfloat16 gradients are not float32 ones";
}

}  // namespace
}  // namespace assay::validation
