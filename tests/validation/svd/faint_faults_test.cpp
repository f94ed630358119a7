// Planted faults are gross; these are faint: errors of a bit, or of little more than a bound allows, each in the one
// situation that its property looks at. A property that got slack somewhere lets one of them through.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "tests/validation/svd/kernels.h"
#include "validation/svd/bounds.h"

namespace assay::validation {
namespace {

using Problem = metal::AnySvdProblem;
using Results = metal::AnySvdOutput;

/// Element `i`, counted from the end where it is negative, becomes change(element).
template <class Any, class Change>
void alter(const Any& any, std::int64_t i, const Change& change) {
  change_output(any, [&](const auto& span) {
    using Real = typename std::decay_t<decltype(span)>::element_type;
    auto& element = span[i < 0 ? span.size() - 1 : static_cast<std::size_t>(i)];
    element = static_cast<Real>(change(static_cast<double>(element)));
  });
}

/// The next number of float32, or of float64.
void nudge_value(const Results& out, std::int64_t i) {
  change_output(out.S, [&](const auto& span) {
    auto& element = span[i < 0 ? span.size() - 1 : static_cast<std::size_t>(i)];
    element = std::nextafter(element, std::decay_t<decltype(element)>{2} * element + 1);
  });
}

/// By a part in 2^18: a few dozen times what storing it in float32 costs.
void bend_value(const Results& out, std::int64_t i) {
  alter(out.S, i, [](double s) { return s * (1 + 0x1p-18); });
}

std::size_t size(const metal::AnySvdOutputArray& any) {
  return std::visit([](const auto& span) { return span.size(); }, any);
}

double first(const Problem& problem) {
  return std::visit([](const auto& span) { return static_cast<double>(span.front()); }, problem.A);
}

double last(const Problem& problem) {
  return std::visit([](const auto& span) { return static_cast<double>(span.back()); }, problem.A);
}

double value(const Results& out, std::int64_t i) {
  double s = 0;
  alter(out.S, i, [&](double element) { return s = element; });
  return s;
}

struct FaintFault {
  const char* name;
  const char* property;
  void (*spoil)(const Problem& problem, const Results& out, const SvdRequest& request);
};

const FaintFault faint_faults[] = {
    {"past_s_when_alone", "outside",
     [](const Problem&, const Results& out, const SvdRequest&) {
       if (is_empty(out.U)) change_output(out.S, [](const auto& span) { *(span.data() + span.size()) = 0; });
     }},
    {"before_vh_of_float16", "outside",
     [](const Problem& problem, const Results& out, const SvdRequest&) {
       if (problem.A.index() == 2) change_output(out.Vh, [](const auto& span) { *(span.data() - 1) = {}; });
     }},
    {"every_second_call", "repeat",
     [](const Problem&, const Results& out, const SvdRequest&) {
       static int calls = 0;
       if (++calls % 2 == 0) nudge_value(out, -1);
     }},
    {"seven_threads", "threads",
     [](const Problem&, const Results& out, const SvdRequest& request) {
       if (request.threads == 7) nudge_value(out, 0);
     }},
    {"one_bit_from_nine_matrices_on", "batch",
     [](const Problem& problem, const Results& out, const SvdRequest&) {
       if (problem.options.B > 8) nudge_value(out, 0);
     }},
    {"last_of_a_batch", "batch-singles",
     [](const Problem& problem, const Results& out, const SvdRequest&) {
       if (problem.options.B > 1) nudge_value(out, -1);
     }},
    {"vh_of_a_batch", "batch-singles",
     [](const Problem& problem, const Results& out, const SvdRequest&) {
       if (problem.options.B > 2) alter(out.Vh, -1, [](double x) { return -x; });
     }},
    {"values_alone", "values-only",
     [](const Problem&, const Results& out, const SvdRequest&) {
       if (is_empty(out.U)) nudge_value(out, 0);
     }},
    {"negative_zero_less", "order",
     [](const Problem&, const Results& out, const SvdRequest&) {
       alter(out.S, -1, [](double s) { return s == 0 ? -0x1p-149 : s; });
     }},
    {"nan_is_not_negative", "order",
     [](const Problem&, const Results& out, const SvdRequest&) {
       alter(out.S, -1, [](double s) { return s == 0 ? std::nan("") : s; });
     }},
    {"one_bit_above_the_one_before", "order",
     [](const Problem& problem, const Results& out, const SvdRequest&) {
       if (std::min(problem.options.M, problem.options.N) < 2) return;
       const double before = value(out, 0);
       alter(out.S, 1, [=](double) { return before; });
       nudge_value(out, 1);
     }},
    {"sign_of_one_row", "signs",
     [](const Problem& problem, const Results& out, const SvdRequest&) {
       if (problem.options.M == 1) alter(out.U, -1, [](double x) { return -x; });
     }},
    {"small_matrices", "scaling",
     [](const Problem&, const Results& out, const SvdRequest&) {
       if (value(out, 0) < 0x1p-40) nudge_value(out, 0);
     }},
    {"large_matrices", "scaling",
     [](const Problem&, const Results& out, const SvdRequest&) {
       if (value(out, 0) > 0x1p45) alter(out.U, -1, [](double x) { return x * (1 + 0x1p-7); });
     }},
    {"wide_matrices", "transposition",
     [](const Problem& problem, const Results& out, const SvdRequest&) {
       if (problem.options.M < problem.options.N) bend_value(out, 0);
     }},
    {"negative_corners", "invariance",
     [](const Problem& problem, const Results& out, const SvdRequest&) {
       if (first(problem) < 0) bend_value(out, 0);
     }},
    {"ascending_corners", "permutation",
     [](const Problem& problem, const Results& out, const SvdRequest&) {
       if (std::abs(first(problem)) < std::abs(last(problem))) bend_value(out, 0);
     }},
    {"columns_of_vh", "permutation",
     [](const Problem& problem, const Results& out, const SvdRequest&) {
       if (std::abs(first(problem)) < std::abs(last(problem))) alter(out.Vh, 0, [](double x) { return x + 0x1p-6; });
     }},
    {"values_by_a_few_bits", "values",
     [](const Problem& problem, const Results& out, const SvdRequest&) {
       if (problem.A.index() == 0) bend_value(out, 0);
     }},
    {"doubles_as_floats", "values",
     [](const Problem& problem, const Results& out, const SvdRequest&) {
       if (problem.A.index() == 1) alter(out.S, 0, [](double s) { return double{static_cast<float>(s)}; });
     }},
    {"smallest_by_a_few_bits", "graded",
     [](const Problem&, const Results& out, const SvdRequest&) { bend_value(out, -1); }},
    {"u_of_doubles_as_floats", "orthonormal-u",
     [](const Problem& problem, const Results& out, const SvdRequest&) {
       if (problem.A.index() == 1)
         for (std::size_t i = 0; i < size(out.U); ++i)
           alter(out.U, static_cast<std::int64_t>(i), [](double x) { return double{static_cast<float>(x)}; });
     }},
    {"null_vector_leans", "null-space",
     [](const Problem& problem, const Results& out, const SvdRequest&) {
       if (problem.A.index() == 0 && value(out, -1) == 0) alter(out.Vh, -1, [](double x) { return x + 0x1p-16; });
     }},
};

void PrintTo(const FaintFault& fault, std::ostream* out) {
  *out << fault.name << " by " << fault.property;
}

class FaintSvd : public testing::TestWithParam<FaintFault> {};

TEST_P(FaintSvd, FaultIsCaught) {
  const FaintFault& fault = GetParam();
  const StubSvdKernel kernel({.run = [&](const Problem& problem, const Results& out, const SvdRequest& request) {
    plain_svd_kernel()->run(problem, out, request);
    fault.spoil(problem, out, request);
  }});
  EXPECT_EQ(svd_report(kernel, fault.property, 100).verdict, Verdict::fail);
}

INSTANTIATE_TEST_SUITE_P(All, FaintSvd, testing::ValuesIn(faint_faults),
                         [](const auto& fault) { return std::string(fault.param.name); });

/// One element that a run leaves as it found it, though it knows the value.
TEST(FaintSvd, ElementLeftUnwrittenIsSeen) {
  for (const bool of_s : {true, false}) {
    const StubSvdKernel kernel({.run = [&](const Problem& problem, const Results& out, const SvdRequest& request) {
      const auto keep = [&](const auto& span) {
        auto before = span.back();
        std::memcpy(static_cast<void*>(&before), static_cast<const void*>(&span.back()), sizeof before);
        plain_svd_kernel()->run(problem, out, request);
        std::memcpy(static_cast<void*>(&span.back()), static_cast<const void*>(&before), sizeof before);
      };
      if (of_s || is_empty(out.Vh)) {
        change_output(out.S, keep);
      } else {
        change_output(out.Vh, keep);
      }
    }});
    EXPECT_EQ(judge(svd_property_named("inside"), {kernel}, two_tall()).verdict, Verdict::fail);
  }
}

/// A refusal that is left out, and one too many.
TEST(FaintSvd, RefusalsAreJudgedOneByOne) {
  const auto lenient = [](const std::string& about) {
    return StubSvdKernel({.run = [about](const Problem& problem, const Results& out, const SvdRequest& request) {
      try {
        plain_svd_kernel()->run(problem, out, request);
      } catch (const std::invalid_argument& refusal) {
        if (std::string(refusal.what()).find(about) == std::string::npos) throw;
      }
    }});
  };
  for (const char* about : {"A.size()", "B = -2", "M = -3", "N = -1", "M * N", "B * (M * N)", "S.size()", "U.size()",
                            "Vh.size()", "S is ", "Vh is "})
    EXPECT_EQ(judge(svd_property_named("refusals"), {lenient(about)}, two_tall()).verdict, Verdict::error) << about;
  for (const char* about : {"= nan", "= inf", "= -inf", "b=1"})
    EXPECT_EQ(judge(svd_property_named("specials"), {lenient(about)}, two_tall()).verdict, Verdict::error) << about;
  for (const auto extent :
       {&reference::SvdProblem<float>::B, &reference::SvdProblem<float>::M, &reference::SvdProblem<float>::N}) {
    const StubSvdKernel strict({.run = [&](const Problem& problem, const Results& out, const SvdRequest& request) {
      if (problem.options.*extent == 0) throw std::invalid_argument("an extent of 0");
      plain_svd_kernel()->run(problem, out, request);
    }});
    EXPECT_EQ(judge(svd_property_named("empty"), {strict}, two_tall()).verdict, Verdict::error);
  }
}

/// Off by two or three bounds in one element, in each of a few dozen cases: none of them is missed.
class OneSvdElement : public testing::TestWithParam<std::string> {};

TEST_P(OneSvdElement, OffByLittleMoreThanItsBoundIsCaught) {
  const std::string property = GetParam();
  for (std::uint64_t seed = 41; seed <= 80; ++seed) {
    const SvdCase c = generated_svd(seed, {.deficient = 0, .scaled = 0, .large = 0, .max_batch = 1});
    const SvdBounds bounds(c, plain_svd_kernel()->info());
    if (frobenius_norm(c, 0) == 0) continue;
    const StubSvdKernel kernel({.run = [&](const Problem& problem, const Results& out, const SvdRequest& request) {
      plain_svd_kernel()->run(problem, out, request);
      if (property == "values") alter(out.S, 0, [&](double s) { return s + 3.1 * bounds.value(0, s); });
      if (property == "reconstruction") alter(out.S, 0, [&](double s) { return s + 2.1 * bounds.residual(0); });
      const auto lengthen = [&](const auto& any, std::size_t stride) {
        change_output(any, [&](const auto& span) {
          for (std::size_t i = 0; i < span.size(); i += stride)
            alter(any, static_cast<std::int64_t>(i), [&](double x) { return x * (1 + 1.6 * bounds.unit_length()); });
        });
      };
      if (property == "orthonormal-u") lengthen(out.U, static_cast<std::size_t>(c.K()));
      if (property == "orthonormal-v") lengthen(out.Vh, 1);
    }});
    EXPECT_EQ(judge(svd_property_named(property), {kernel}, c).verdict, Verdict::fail) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(OfEach, OneSvdElement,
                         testing::Values("values", "reconstruction", "orthonormal-u", "orthonormal-v"),
                         [](const auto& property) { return test_name(property.param); });

}  // namespace
}  // namespace assay::validation
