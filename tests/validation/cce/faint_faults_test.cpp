// Planted faults are gross; these are faint: errors of a bit, or of little more than a bound allows, each in the one
// situation that its property looks at. A property that got slack somewhere lets one of them through.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "tests/limits.h"
#include "tests/validation/cce/kernels.h"
#include "validation/cce/bounds.h"

namespace assay::validation {
namespace {

using Problem = metal::AnyCceProblem;
using Results = metal::AnyCceOutput;

using tests::infinity;
constexpr float least = std::numeric_limits<float>::denorm_min();

void nudge(float& x) {
  x = std::nextafter(x, infinity);
}

/// Adds `amount` to element `i`, counted from the end where it is negative.
void add(const metal::AnyOutput& any, std::int64_t i, double amount) {
  change_output(any, [=](const auto& span) {
    using Real = typename std::decay_t<decltype(span)>::element_type;
    auto& element = span[i < 0 ? span.size() - 1 : static_cast<std::size_t>(i)];
    element = static_cast<Real>(double{static_cast<float>(element)} + amount);
  });
}

void scale(const metal::AnyOutput& any, double factor) {
  change_output(any, [=](const auto& span) {
    using Real = typename std::decay_t<decltype(span)>::element_type;
    for (auto& element : span) element = static_cast<Real>(double{static_cast<float>(element)} * factor);
  });
}

/// Element `i`, counted as above, by a part in 2^19: a few dozen times what storing it in float32 costs.
void bend(const metal::AnyOutput& any, std::int64_t i) {
  change_output(any, [=](const auto& span) {
    auto& element = span[i < 0 ? span.size() - 1 : static_cast<std::size_t>(i)];
    const double value = double{static_cast<float>(element)};
    add(any, i, value * 0x1p-19);
  });
}

bool is_float(const Problem& problem) {
  return problem.hidden.index() == 0;
}

struct FaintFault {
  const char* name;
  const char* property;
  void (*spoil)(const Problem& problem, const Results& out, const CceRequest& request);
};

const FaintFault faint_faults[] = {
    {"past_the_loss_when_alone", "outside",
     [](const Problem&, const Results& out, const CceRequest&) {
       if (is_empty(out.dweight)) out.loss.data()[out.loss.size()] = 0;
     }},
    {"before_dbias_of_16_bits", "outside",
     [](const Problem&, const Results& out, const CceRequest&) {
       if (out.dbias.index() != 2) return;
       change_output(out.dbias, [](const auto& span) { *(span.data() - 1) = {}; });
     }},
    {"every_second_call", "repeat",
     [](const Problem&, const Results& out, const CceRequest&) {
       static int calls = 0;
       if (++calls % 2 == 0) add(out.dweight, -1, 1e-7);
     }},
    {"seven_threads", "threads",
     [](const Problem&, const Results& out, const CceRequest& request) {
       if (request.threads == 7 && out.dbias.index() == 0) bend(out.dbias, 0);
     }},
    {"one_chunk", "chunks",
     [](const Problem&, const Results& out, const CceRequest& request) {
       if (request.chunk == 256 && out.dhidden.index() == 0) bend(out.dhidden, -1);
     }},
    {"backward_alone", "halves",
     [](const Problem& problem, const Results& out, const CceRequest& request) {
       if (request.in_halves && is_float(problem)) scale(out.dweight, 1 + 0x1p-20);
     }},
    {"dhidden_alone", "outputs",
     [](const Problem&, const Results& out, const CceRequest&) {
       if (is_empty(out.dweight) && is_empty(out.dbias)) scale(out.dhidden, 1.02);
     }},
    {"loss_alone", "outputs",
     [](const Problem&, const Results& out, const CceRequest&) {
       if (is_empty(out.dweight) && is_empty(out.dhidden)) out.loss[0] *= 1 + 0x1p-20F;
     }},
    {"loss_of_an_ignored_token", "ignored",
     [](const Problem& problem, const Results& out, const CceRequest&) {
       if (problem.options.reduction != Reduction::none) return;
       for (std::size_t n = 0; n < out.loss.size(); ++n)
         if (problem.options.is_ignored(static_cast<std::int64_t>(n))) out.loss[n] = least;
     }},
    {"just_below_zero", "nonnegative",
     [](const Problem&, const Results& out, const CceRequest&) {
       for (float& loss : out.loss) loss = loss < 1e-9F ? -1e-6F : loss;
     }},
    {"nan_is_not_negative", "nonnegative",
     [](const Problem&, const Results& out, const CceRequest&) {
       for (float& loss : out.loss) loss = loss == infinity ? std::nanf("") : loss;
     }},
    {"dbias_of_nothing", "empty",
     [](const Problem& problem, const Results& out, const CceRequest&) {
       if (problem.options.N == 0) add(out.dbias, -1, 1e-7);
     }},
    {"one_bit_from_nine_tokens_on", "batch",
     [](const Problem& problem, const Results& out, const CceRequest&) {
       if (problem.options.N > 8) nudge(out.loss[0]);
     }},
    {"more_tokens_than_one", "batch-singles",
     [](const Problem& problem, const Results& out, const CceRequest&) {
       if (problem.options.N > 1 && is_float(problem)) scale(out.dhidden, 1 + 0x1p-20);
     }},
    {"last_word_of_a_batch", "batch-singles",
     [](const Problem& problem, const Results& out, const CceRequest&) {
       if (problem.options.N > 1 && is_float(problem)) bend(out.dweight, -1);
     }},
    {"bias_of_a_batch", "batch-singles",
     [](const Problem& problem, const Results& out, const CceRequest&) {
       if (problem.options.N > 1 && is_float(problem)) bend(out.dbias, -1);
     }},
    {"second_copy", "duplicates",
     [](const Problem& problem, const Results& out, const CceRequest&) {
       if (is_float(problem)) bend(out.dhidden, -1);
     }},
    {"loss_of_a_neighbour", "independence",
     [](const Problem& problem, const Results& out, const CceRequest&) {
       if (problem.options.N > 1 && problem.options.targets[0] == 0) out.loss.back() *= 1 + 0x1p-18F;
     }},
    {"first_word", "permutation",
     [](const Problem& problem, const Results& out, const CceRequest&) {
       if (problem.options.V > 2 && is_float(problem)) bend(out.dweight, 0);
     }},
    {"a_masked_entry", "padding",
     [](const Problem& problem, const Results& out, const CceRequest&) {
       if (problem.options.V > 4 && is_float(problem)) add(out.dbias, 0, 1e-30);
     }},
    {"large_bias", "shift",
     [](const Problem& problem, const Results& out, const CceRequest&) {
       const auto* const bias = std::get_if<0>(&problem.bias);
       if (bias != nullptr && !bias->empty() && std::abs(bias->back()) > 1e4F) scale(out.dbias, 1 + 0x1p-20);
     }},
    {"gradient_with_upstream", "linearity",
     [](const Problem& problem, const Results& out, const CceRequest&) {
       if (!problem.options.upstream.empty() && is_float(problem)) add(out.dbias, 0, 1e-6);
     }},
    {"mean", "reductions",
     [](const Problem& problem, const Results& out, const CceRequest&) {
       if (problem.options.reduction == Reduction::mean) out.loss[0] *= 1 + 0x1p-20F;
     }},
    {"gradient_of_sum", "reductions",
     [](const Problem& problem, const Results& out, const CceRequest&) {
       if (problem.options.reduction == Reduction::sum && is_float(problem)) bend(out.dweight, 0);
     }},
    {"a_cap_of_infinity", "softcap-off",
     [](const Problem& problem, const Results& out, const CceRequest&) {
       if (problem.options.logit_softcap == double{infinity}) nudge(out.loss[0]);
     }},
    {"a_very_large_cap", "softcap-off",
     [](const Problem& problem, const Results& out, const CceRequest&) {
       if (problem.options.logit_softcap == 1e20) out.loss[0] *= 1 + 0x1p-18F;
     }},
    {"one_entry_of_a_sum", "word-sums",
     [](const Problem& problem, const Results& out, const CceRequest&) {
       if (is_float(problem)) bend(out.dbias, 0);
     }},
    {"half_inputs", "images",
     [](const Problem& problem, const Results& out, const CceRequest&) {
       if (problem.hidden.index() == 1) scale(out.dhidden, 1 + 0x1p-8);
     }},
    {"a_bit_of_bfloat16", "images",
     [](const Problem& problem, const Results& out, const CceRequest&) {
       if (problem.hidden.index() == 2) scale(out.dweight, 1 + 0x1p-6);
     }},
    {"loss_by_three_bits", "loss",
     [](const Problem&, const Results& out, const CceRequest&) {
       for (float& loss : out.loss) loss *= 1 + 0x1p-21F;
     }},
    {"dhidden_by_three_bits", "dhidden",
     [](const Problem& problem, const Results& out, const CceRequest&) {
       if (is_float(problem)) scale(out.dhidden, 1 + 0x1p-21);
     }},
    {"dbias_by_three_bits", "dbias",
     [](const Problem& problem, const Results& out, const CceRequest&) {
       if (is_float(problem)) scale(out.dbias, 1 + 0x1p-21);
     }},
    {"dweight_of_16_bits_by_one", "dweight",
     [](const Problem& problem, const Results& out, const CceRequest&) {
       if (problem.hidden.index() == 2) scale(out.dweight, 1 + 0x1p-6);
     }},
};

void PrintTo(const FaintFault& fault, std::ostream* out) {
  *out << fault.name << " by " << fault.property;
}

class FaintCce : public testing::TestWithParam<FaintFault> {};

TEST_P(FaintCce, FaultIsCaught) {
  const FaintFault& fault = GetParam();
  const StubCceKernel kernel([&](const Problem& problem, const Results& out, const CceRequest& request) {
    plain_cce_kernel()->run(problem, out, request);
    fault.spoil(problem, out, request);
  });
  EXPECT_EQ(cce_report(kernel, fault.property, 200).verdict, Verdict::fail);
}

INSTANTIATE_TEST_SUITE_P(All, FaintCce, testing::ValuesIn(faint_faults),
                         [](const auto& fault) { return std::string(fault.param.name); });

/// Off by four bounds in one element of a hundred cases: not seldom enough to be missed.
class OneElement : public testing::TestWithParam<std::string> {};

TEST_P(OneElement, OffByFourBoundsIsCaught) {
  const std::string output = GetParam();
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    const CceCase c = generated_cce(seed + 40, {.bias = 1, .minus_infinity = 0, .many_entries = 0});
    if (c.valid_tokens() == 0) continue;
    const CceBounds bounds(c, plain_cce_kernel()->info());
    const std::size_t entry = static_cast<std::size_t>(seed) % c.bias.size();
    const StubCceKernel kernel([&](const Problem& problem, const Results& out, const CceRequest& request) {
      plain_cce_kernel()->run(problem, out, request);
      const auto off = [&](const metal::AnyOutput& any, std::size_t i, auto bound) {
        std::visit(
            [&](const auto& span) {
              if (span.empty()) return;
              add(any, static_cast<std::int64_t>(i), 4 * bound(i, double{static_cast<float>(span[i])}));
            },
            any);
      };
      if (output == "dweight")
        off(out.dweight, entry * static_cast<std::size_t>(c.H), [&](auto i, double g) { return bounds.dweight(i, g); });
      if (output == "dhidden") off(out.dhidden, 0, [&](auto i, double g) { return bounds.dhidden(i, g); });
      if (output == "dbias") off(out.dbias, entry, [&](auto i, double g) { return bounds.dbias(i, g); });
      if (output == "loss") out.loss[0] += static_cast<float>(4 * bounds.loss(0));
    });
    if (output == "loss" && c.reduction == Reduction::none && c.is_ignored(0)) continue;
    EXPECT_EQ(judge(cce_property_named(output), {kernel}, c).verdict, Verdict::fail) << "seed " << seed + 40;
  }
}

INSTANTIATE_TEST_SUITE_P(OfEach, OneElement, testing::Values("loss", "dhidden", "dweight", "dbias"));

}  // namespace
}  // namespace assay::validation
