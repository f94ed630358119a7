// The judge of the rSVD: a NaN, an infinity or one wrong element of any output fails, a value that is too large fails
// by little, and one that is too small by more than a subspace may miss.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>

#include "tests/limits.h"
#include "tests/matchers.h"
#include "tests/validation/svd/kernels.h"
#include "validation/svd/operation.h"

namespace assay::validation {
namespace {

using metal::AnySvdOutput;
using reference::RandomizedSvd;

using tests::doubles::infinity;
using tests::doubles::nan;

using Spoil = std::function<void(const RandomizedSvd&, const AnySvdOutput&)>;

Finding judged(const SvdCase& c, const Spoil& spoil) {
  const StubSvdKernel kernel({.randomized = [&](const auto& problem, const auto& randomized, const auto& out) {
    plain_svd_kernel()->randomized(problem, randomized, out);
    spoil(randomized, out);
  }});
  return judge(svd_property_named("randomized"), {kernel}, c);
}

template <class Any>
void set(const Any& any, std::size_t at, double value) {
  change_output(any, [=](const auto& span) {
    using Real = typename std::decay_t<decltype(span)>::element_type;
    span[at] = static_cast<Real>(value);
  });
}

template <class Any>
void multiply(const Any& any, std::size_t at, double by) {
  change_output(any, [=](const auto& span) {
    using Real = typename std::decay_t<decltype(span)>::element_type;
    span[at] = static_cast<Real>(static_cast<double>(span[at]) * by);
  });
}

/// Of rank above both subspaces, so that one of them misses something.
SvdCase twelve_columns(Dtype dtype = Dtype::float32) {
  return SvdOperation::sized_case(1, 14, 12, 2, dtype, 5);
}

TEST(SvdRandomized, PassesAsItIs) {
  for (const Dtype dtype : all_dtypes()) {
    const Finding finding = judged(twelve_columns(dtype), [](const auto&, const auto&) {});
    EXPECT_EQ(finding.verdict, Verdict::pass) << finding.explanation;
    EXPECT_GT(finding.margin.share, 1e-3) << "or the bound would be slack";
  }
}

/// In the run whose subspace is the whole space, and in the one where it is not.
TEST(SvdRandomized, FailsForOneElementThatIsNoNumber) {
  for (const std::uint64_t seed : {3U, 4U}) {
    for (const double special : {nan, infinity, -infinity}) {
      for (const std::size_t at : {0U, 1U, 3U}) {
        const auto spoiled = [&](const auto& choose) {
          return judged(twelve_columns(),
                        [&](const RandomizedSvd& randomized, const AnySvdOutput& out) {
                          if (randomized.seed == seed) set(choose(out), at, special);
                        })
              .verdict;
        };
        EXPECT_EQ(spoiled([](const AnySvdOutput& out) { return out.U; }), Verdict::fail) << special;
        EXPECT_EQ(spoiled([](const AnySvdOutput& out) { return out.S; }), Verdict::fail) << special;
        EXPECT_EQ(spoiled([](const AnySvdOutput& out) { return out.Vh; }), Verdict::fail) << special;
      }
    }
  }
}

Verdict with_value(std::uint64_t seed, std::size_t k, double by) {
  return judged(twelve_columns(),
                [&](const RandomizedSvd& randomized, const AnySvdOutput& out) {
                  if (randomized.seed == seed) multiply(out.S, k, by);
                })
      .verdict;
}

TEST(SvdRandomized, LetsNoValueBeTooLarge) {
  for (const std::uint64_t seed : {3U, 4U})
    EXPECT_EQ(with_value(seed, 0, 1 + 1e-4), Verdict::fail) << "of the subspace " << seed;
  EXPECT_EQ(with_value(3, 0, 1 - 1e-4), Verdict::fail) << "nor too small where the subspace is the whole space";
  EXPECT_EQ(with_value(4, 3, 2), Verdict::fail);
  EXPECT_EQ(with_value(4, 0, -1), Verdict::fail);
}

TEST(SvdRandomized, FailsForVectorsThatAreOff) {
  for (const std::uint64_t seed : {3U, 4U}) {
    const auto spoiled = [&](const auto& choose) {
      return judged(twelve_columns(), [&](const RandomizedSvd& randomized, const AnySvdOutput& out) {
        if (randomized.seed == seed) multiply(choose(out), 0, 1.01);
      });
    };
    EXPECT_THAT(spoiled([](const AnySvdOutput& out) { return out.U; }).explanation, HasSubstr("U^T U[b=0, k=0"));
    EXPECT_THAT(spoiled([](const AnySvdOutput& out) { return out.Vh; }).explanation, HasSubstr("Vh Vh^T[b=0, k=0"));
  }
}

/// Orthonormal, with values that interlace, and of another matrix: the residual alone tells.
TEST(SvdRandomized, FailsForTheTripletsOfAnotherMatrix) {
  const Finding finding = judged(twelve_columns(), [](const RandomizedSvd& randomized, const AnySvdOutput& out) {
    change_output(out.U, [&](const auto& span) {
      const auto rank = static_cast<std::size_t>(randomized.rank);
      for (std::size_t k = 0; k < rank; ++k) std::swap(span[k], span[13 * rank + k]);
    });
  });
  EXPECT_EQ(finding.verdict, Verdict::fail);
  EXPECT_THAT(finding.explanation, HasSubstr("|A - U S Vh|[0]"));
}

TEST(SvdRandomized, IsSkippedWhereThereIsNothingToLeaveOut) {
  EXPECT_EQ(judge(svd_property_named("randomized"), {*plain_svd_kernel()}, select_columns(two_tall(), {0})).verdict,
            Verdict::skipped);
}

}  // namespace
}  // namespace assay::validation
