// Values that people have: right kernels pass all of them, and a kernel that is wrong for one kind of values alone
// fails on a case whose name tells which.
#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "tests/matchers.h"
#include "tests/validation/operations/operations.h"
#include "validation/core/reach_faults.h"

namespace assay::validation {
namespace {

/// The names of the cases on which a kernel fails a property.
template <class O>
std::set<std::string> failing(const typename O::Kernel& kernel, const std::string& property, std::uint64_t seed) {
  std::set<std::string> names;
  const Context<O> context{kernel};
  for (NamedCase<O>& one : O::pattern_cases(seed)) {
    fit_to_claims<O>(kernel, one.problem);
    if (is_failure(judge(named(O::properties(), property), context, one.problem).verdict)) names.insert(one.name);
  }
  return names;
}

template <class O>
class PatternCases : public testing::Test {};
TYPED_TEST_SUITE(PatternCases, Operations, OperationName);

TYPED_TEST(PatternCases, AreValidAndRightKernelsPassThem) {
  const auto cpu = TypeParam::shipped_kernel("cpu");
  for (const std::uint64_t seed : {1U, 2U}) {
    for (const auto& one : TypeParam::pattern_cases(seed)) EXPECT_NO_THROW(require_valid(one.problem)) << one.name;
    for (const auto& property : TypeParam::properties()) {
      if (!property.against_reference) continue;
      EXPECT_THAT(failing<TypeParam>(*cpu, property.name, seed), testing::IsEmpty()) << property.name;
    }
  }
}

TYPED_TEST(PatternCases, AreOtherOnesWithAnotherSeed) {
  EXPECT_EQ(TypeParam::pattern_cases(1).front().problem, TypeParam::pattern_cases(1).front().problem);
  EXPECT_NE(TypeParam::pattern_cases(1).front().problem, TypeParam::pattern_cases(2).front().problem);
}

/// A kernel whose result is 0 for the problems of a kind.
template <class O>
struct WrongFor {
  const char* name;  ///< how the names of the failing cases begin
  std::function<bool(const typename O::Problem&)> is_of_kind;
};

template <class O>
void expect_named(const char* property, const char* result, const std::vector<WrongFor<O>>& kinds) {
  for (const WrongFor<O>& kind : kinds) {
    const Fault<O> fault =
        reach_fault<O>("kind", kind.name, property,
                       [&](const auto& healthy, const auto& problem, const auto& out, const auto& request) {
                         healthy.run(problem, out, request);
                         if (kind.is_of_kind(problem)) zero_from<O>(result, 0, 0, problem, out, request);
                       });
    EXPECT_THAT(failing<O>(*fault.kernel, property, 1), testing::Contains(testing::StartsWith(kind.name)));
  }
}

std::span<const float> floats(const auto& view) {
  const auto* const given = std::get_if<std::span<const float>>(&view);
  return given == nullptr ? std::span<const float>() : *given;
}

template <class T, class Order>
bool is_in_order(const std::vector<T>& all, const Order& order) {
  return all.size() > 3 && std::ranges::adjacent_find(all, std::not_fn(order)) == all.end();
}

/// Whether all upstream gradients are one number, for which holds(number).
template <class Holds>
bool is_constant(std::span<const float> upstream, const Holds& holds) {
  return !upstream.empty() && holds(upstream[0]) &&
         std::ranges::all_of(upstream, [&](float x) { return x == upstream[0]; });
}

bool is_one_of_all(const std::vector<std::int64_t>& targets) {
  return targets.size() > 3 && is_in_order(targets, std::equal_to());
}

/// Tokens are ignored by an index for which holds(index, V).
template <class Holds>
bool ignores_by(const CceProblem<float>& o, const Holds& holds) {
  return holds(o.ignore_index, o.V) && std::ranges::count(o.targets, o.ignore_index) > 0;
}

TEST(PatternCases, NameWhatACrossEntropyIsWrongFor) {
  using P = CceOperation::Problem;
  const auto targets = [](const P& p) { return std::vector(p.options.targets.begin(), p.options.targets.end()); };
  const auto bias = [](const P& p) {
    const auto given = floats(p.bias);
    return std::vector(given.begin(), given.end());
  };
  const auto ignoring = [](auto holds) { return [=](const P& p) { return ignores_by(p.options, holds); }; };
  const auto scaled = [](auto holds) { return [=](const P& p) { return is_constant(p.options.upstream, holds); }; };
  expect_named<CceOperation>(
      "dhidden", "dhidden",
      {{"an ignore_index of V,", ignoring([](auto i, auto V) { return i == V; })},
       {"an ignore_index of 255", ignoring([](auto i, auto V) { return i == 255 && V < 255; })},
       {"an ignore_index of 2^63 - 1", ignoring([](auto i, auto) { return i > 1 << 30; })},
       {"an ignore_index of -2 to -99", ignoring([](auto i, auto) { return -99 <= i && i <= -2; })},
       {"an ignore_index below -100", ignoring([](auto i, auto) { return i < -100; })},
       {"an upstream of 1024", scaled([](float x) { return x == 1024; })},
       {"an upstream of 65536", scaled([](float x) { return x == 65'536; })},
       {"an upstream of -1", scaled([](float x) { return x < 0; })},
       {"an upstream of 1e-07", scaled([](float x) { return std::abs(x) < 1e-6F; })},
       {"all options,",
        [](const P& p) {
          const auto& o = p.options;
          return o.logit_softcap != 0 && o.label_smoothing != 0 && o.z_loss != 0 && !o.upstream.empty() &&
                 o.reduction == Reduction::mean && std::ranges::count(o.targets, o.ignore_index) > 0;
        }},
       {"all options but z_loss",
        [](const P& p) {
          const auto& o = p.options;
          return o.logit_softcap != 0 && o.label_smoothing != 0 && !o.upstream.empty();
        }},
       {"targets that ascend", [=](const P& p) { return is_in_order(targets(p), std::less()); }},
       {"targets that descend", [=](const P& p) { return is_in_order(targets(p), std::greater()); }},
       {"one target of all tokens", [=](const P& p) { return is_one_of_all(targets(p)); }},
       {"a bias that descends", [=](const P& p) { return is_in_order(bias(p), std::greater()); }},
       {"a bias that ascends", [=](const P& p) { return is_in_order(bias(p), std::less()); }},
       {"nearly equal logits",
        [](const P& p) { return std::ranges::all_of(floats(p.hidden), [](float x) { return std::abs(x) < 0.03F; }); }},
       {"hidden states of a relu",
        [](const P& p) { return std::ranges::all_of(floats(p.hidden), [](float x) { return x >= 0; }); }},
       {"equal hidden states", [](const P& p) {
          const auto x = floats(p.hidden);
          const auto H = static_cast<std::size_t>(p.options.H);
          return x.size() > H && std::equal(x.begin() + p.options.H, x.end(), x.begin());
        }}});
}

TEST(PatternCases, NameWhatACtcIsWrongFor) {
  using P = CtcOperation::Problem;
  const auto lengths = [](const P& p) {
    return std::vector(p.options.input_lengths.begin(), p.options.input_lengths.end());
  };
  const auto first_row = [](const P& p) {
    const auto count = p.options.target_lengths.empty() ? 0 : p.options.target_lengths[0];
    return std::vector(p.options.targets.begin(), p.options.targets.begin() + count);
  };
  const auto scaled = [](auto holds) { return [=](const P& p) { return is_constant(p.options.upstream, holds); }; };
  expect_named<CtcOperation>(
      "gradient", "gradient",
      {{"labels that ascend", [=](const P& p) { return is_in_order(first_row(p), std::less()); }},
       {"labels that descend", [=](const P& p) { return is_in_order(first_row(p), std::greater()); }},
       {"one label again and again", [=](const P& p) { return is_in_order(first_row(p), std::equal_to()); }},
       {"lengths that descend", [=](const P& p) { return is_in_order(lengths(p), std::greater()); }},
       {"lengths that ascend", [=](const P& p) { return is_in_order(lengths(p), std::less()); }},
       {"nearly equal logits",
        [](const P& p) {
          return std::ranges::all_of(floats(p.activations), [](float x) { return std::abs(x) < 0.03F; });
        }},
       {"equal logits",
        [](const P& p) { return std::ranges::all_of(floats(p.activations), [](float x) { return x == 0; }); }},
       {"log_probs whose probabilities sum to less than 1",
        [](const P& p) {
          const auto x = floats(p.activations);
          double sum = 0;
          for (std::int64_t k = 0; k < p.options.C && !x.empty(); ++k) sum += std::exp(x[static_cast<std::size_t>(k)]);
          return p.options.input == CtcInput::log_probs && sum < 0.9;
        }},
       {"an upstream of 1024", scaled([](float x) { return x == 1024; })},
       {"an upstream of -1", scaled([](float x) { return x < 0; })},
       {"all options,", [](const P& p) {
          const auto& o = p.options;
          return o.blank != 0 && o.layout == CtcTargets::concatenated && o.reduction == Reduction::mean &&
                 !o.upstream.empty() && o.zero_infinity;
        }}});
}

TEST(PatternCases, NameWhatAnSvdIsWrongFor) {
  using P = SvdOperation::Problem;
  const auto all = [](auto holds) {
    return [=](const P& p) { return !floats(p.A).empty() && std::ranges::all_of(floats(p.A), holds); };
  };
  const auto below_diagonal = [](auto holds) {
    return [=](const P& p) {
      const auto A = floats(p.A);
      const auto n = static_cast<std::size_t>(p.options.N);
      if (A.empty() || p.options.B != 1 || p.options.M != p.options.N) return false;
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < i; ++j)
          if (!holds(A[i * n + j], A[j * n + i])) return false;
      return true;
    };
  };
  expect_named<SvdOperation>("values", "S",
                             {{"positive elements", all([](float x) { return x > 0; })},
                              {"negative elements", all([](float x) { return x < 0; })},
                              {"counts", all([](float x) { return x >= 0 && x == std::round(x); })},
                              {"symmetric", below_diagonal([](float low, float high) { return low == high; })},
                              {"antisymmetric", below_diagonal([](float low, float high) { return low == -high; })},
                              {"upper triangular", below_diagonal([](float low, float) { return low == 0; })},
                              {"lower triangular", below_diagonal([](float, float high) { return high == 0; })},
                              {"matrices of very different scales", [](const P& p) { return p.options.B == 5; }}});
}

}  // namespace
}  // namespace assay::validation
