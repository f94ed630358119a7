// The error contract of a linear cross-entropy problem: each kind of bad argument, with the whole message.
#include "reference/cce/validate.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "reference/cce/outcome.h"

namespace assay::reference {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr std::int64_t huge = std::int64_t{1} << 62;

CceProblem<float> shape(std::int64_t N, std::int64_t H, std::int64_t V) {
  CceProblem<float> problem;
  problem.N = N, problem.H = H, problem.V = V;
  return problem;
}

/// A well-posed problem that each test spoils in one place: N=3, H=2, V=4, the middle token ignored.
struct Tokens {
  std::vector<float> hidden = {1, 2, nan, infinity, -1, 0.5F};
  std::vector<float> weight = std::vector<float>(4 * 2, 0.25F);
  std::vector<float> bias = {0, -infinity, 1, 2};
  std::vector<std::int64_t> targets = {3, -100, 0};
  std::vector<float> upstream = {1.0F, -2.0F, 0.0F};
  CceProblem<float> options = shape(3, 2, 4);

  CceProblem<float> problem() const {
    CceProblem<float> problem = options;
    problem.hidden = hidden;
    problem.weight = weight;
    problem.bias = bias;
    problem.targets = targets;
    problem.upstream = upstream;
    return problem;
  }

  /// What is said against the problem, or "accepted".
  std::string complaint() const {
    try {
      validate(problem());
      validate_values(problem());
    } catch (const std::invalid_argument& refusal) {
      return refusal.what();
    }
    return "accepted";
  }
};

TEST(CceValidate, AcceptsAWellPosedProblemWithAndWithoutWhatIsOptional) {
  Tokens tokens;
  EXPECT_EQ(tokens.complaint(), "accepted");
  tokens.bias.clear();
  tokens.upstream.clear();
  EXPECT_EQ(tokens.complaint(), "accepted");
  tokens.options.logit_softcap = std::numeric_limits<double>::infinity();
  tokens.options.label_smoothing = 1;
  EXPECT_EQ(tokens.complaint(), "accepted");
}

TEST(CceValidate, AcceptsNoTokensAtAll) {
  const std::vector<float> weight(1, 0.0F);
  CceProblem<float> empty = shape(0, 1, 1);
  empty.weight = weight;
  EXPECT_NO_THROW(validate(empty));
  EXPECT_NO_THROW(validate_values(empty));
}

TEST(CceValidate, RefusesBadShapes) {
  Tokens tokens;
  tokens.options.N = -1;
  EXPECT_EQ(tokens.complaint(), "N = -1: expected at least 0");
  tokens = {};
  tokens.options.H = 0;
  EXPECT_EQ(tokens.complaint(), "H = 0: expected at least 1");
  tokens = {};
  tokens.options.V = 0;
  EXPECT_EQ(tokens.complaint(), "V = 0: expected at least 1");
}

TEST(CceValidate, RefusesProductsBeyond64Bits) {
  Tokens tokens;
  tokens.options.N = huge;
  EXPECT_EQ(tokens.complaint(), "N * H = 4611686018427387904 * 2: expected a product that fits in 64 bits");
  tokens = {};
  tokens.options.V = huge;
  EXPECT_EQ(tokens.complaint(), "V * H = 4611686018427387904 * 2: expected a product that fits in 64 bits");
}

TEST(CceValidate, RefusesMoreLogitsThan64BitsCount) {
  const float element = 0;
  CceProblem<float> problem = shape(std::int64_t{1} << 32, 1, std::int64_t{1} << 32);
  problem.hidden = problem.weight = {&element, std::size_t{1} << 32};  // only its size is read
  try {
    validate(problem);
    ADD_FAILURE() << "accepted";
  } catch (const std::invalid_argument& refusal) {
    EXPECT_STREQ(refusal.what(), "N * V = 4294967296 * 4294967296: expected a product that fits in 64 bits");
  }
}

TEST(CceValidate, RefusesSpansOfAnotherSize) {
  Tokens tokens;
  tokens.hidden.pop_back();
  EXPECT_EQ(tokens.complaint(), "hidden.size() = 5: expected N * H = 6");
  tokens = {};
  tokens.weight.push_back(0);
  EXPECT_EQ(tokens.complaint(), "weight.size() = 9: expected V * H = 8");
  tokens = {};
  tokens.bias.pop_back();
  EXPECT_EQ(tokens.complaint(), "bias.size() = 3: expected V, or empty = 4");
  tokens = {};
  tokens.targets.pop_back();
  EXPECT_EQ(tokens.complaint(), "targets.size() = 2: expected N = 3");
  tokens = {};
  tokens.upstream = {1.0F};
  EXPECT_EQ(tokens.complaint(), "upstream.size() = 1: expected N for Reduction::none = 3");
  tokens = {};
  for (const Reduction reduction : {Reduction::sum, Reduction::mean}) {
    tokens.options.reduction = reduction;
    EXPECT_EQ(tokens.complaint(), "upstream.size() = 3: expected 1 for Reduction::sum or mean = 1");
  }
}

TEST(CceValidate, RefusesOptionsOutOfRange) {
  Tokens tokens;
  tokens.options.logit_softcap = -0.5;
  EXPECT_EQ(tokens.complaint(), "logit_softcap = -0.5: expected a positive number, or 0 for none");
  tokens.options.logit_softcap = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(tokens.complaint(), "logit_softcap = nan: expected a positive number, or 0 for none");
  tokens = {};
  tokens.options.label_smoothing = 1.5;
  EXPECT_EQ(tokens.complaint(), "label_smoothing = 1.5: expected a number in [0, 1]");
  tokens.options.label_smoothing = -0.25;
  EXPECT_EQ(tokens.complaint(), "label_smoothing = -0.25: expected a number in [0, 1]");
  tokens.options.label_smoothing = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(tokens.complaint(), "label_smoothing = nan: expected a number in [0, 1]");
  tokens = {};
  tokens.options.z_loss = -1;
  EXPECT_EQ(tokens.complaint(), "z_loss = -1: expected a finite number, at least 0");
  tokens.options.z_loss = std::numeric_limits<double>::infinity();
  EXPECT_EQ(tokens.complaint(), "z_loss = inf: expected a finite number, at least 0");
  tokens.options.z_loss = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(tokens.complaint(), "z_loss = nan: expected a finite number, at least 0");
}

TEST(CceValidate, RefusesTargetsThatAreNoWords) {
  Tokens tokens;
  tokens.targets[2] = 4;
  EXPECT_EQ(tokens.complaint(), "targets[n=2] = 4: expected an index in [0, V=4) or ignore_index=-100");
  tokens.targets[2] = -1;
  EXPECT_EQ(tokens.complaint(), "targets[n=2] = -1: expected an index in [0, V=4) or ignore_index=-100");
  tokens = {};
  tokens.options.ignore_index = 3;  // then -100 is none, and 3 is no entry
  EXPECT_EQ(tokens.complaint(), "targets[n=1] = -100: expected an index in [0, V=4) or ignore_index=3");
}

TEST(CceValidate, RefusesAnUpstreamThatIsNotFinite) {
  Tokens tokens;
  tokens.upstream[1] = nan;
  EXPECT_EQ(tokens.complaint(), "upstream[1] = nan: expected a finite number");
  tokens.upstream[1] = -infinity;
  EXPECT_EQ(tokens.complaint(), "upstream[1] = -inf: expected a finite number");
}

TEST(CceValidateValues, RefusesElementsThatAreNotFiniteByPosition) {
  Tokens tokens;
  tokens.hidden[5] = nan;
  EXPECT_EQ(tokens.complaint(), "hidden[n=2, h=1] = nan: expected a finite number");
  tokens.hidden[4] = infinity;
  EXPECT_EQ(tokens.complaint(), "hidden[n=2, h=0] = inf: expected a finite number");
  tokens = {};
  tokens.weight[6] = -infinity;
  EXPECT_EQ(tokens.complaint(), "weight[v=3, h=0] = -inf: expected a finite number");
}

TEST(CceValidateValues, RefusesABiasThatLeavesNoSoftmax) {
  Tokens tokens;
  tokens.bias[2] = infinity;
  EXPECT_EQ(tokens.complaint(), "bias[v=2] = inf: expected a finite number or -inf");
  tokens.bias[2] = nan;
  EXPECT_EQ(tokens.complaint(), "bias[v=2] = nan: expected a finite number or -inf");
  tokens.bias.assign(4, -infinity);
  EXPECT_EQ(tokens.complaint(), "bias = -inf for every entry: expected a finite one, for the softmax of none is 0/0");
}

TEST(CceValidateValues, DoesNotReadTokensThatAreIgnored) {
  Tokens tokens;
  tokens.targets[1] = 0;
  EXPECT_EQ(tokens.complaint(), "hidden[n=1, h=0] = nan: expected a finite number");
}

/// What `call` says against its argument, or "accepted".
template <class Call>
std::string complaint_of(Call call) {
  try {
    call();
  } catch (const std::invalid_argument& refusal) {
    return refusal.what();
  }
  return "accepted";
}

TEST(CceOutcome, RefusesWhatIsNotWellPosed) {
  Tokens tokens;
  EXPECT_EQ(complaint_of([&] { cce_outcome<double>(tokens.problem()); }), "accepted");
  tokens.options.z_loss = -1;
  EXPECT_THROW(cce_outcome<double>(tokens.problem()), std::invalid_argument);
  tokens = {};
  tokens.weight[0] = nan;
  EXPECT_THROW(cce_outcome<double>(tokens.problem()), std::invalid_argument);
}

TEST(CceRow, RefusesATokenThatIsNone) {
  const Tokens tokens;
  EXPECT_EQ(complaint_of([&] { cce_row<double>(tokens.problem(), 2); }), "accepted");
  EXPECT_EQ(complaint_of([&] { cce_row<double>(tokens.problem(), 3); }), "n = 3: expected a token in [0, N=3)");
  EXPECT_EQ(complaint_of([&] { cce_row<double>(tokens.problem(), -1); }), "n = -1: expected a token in [0, N=3)");
  EXPECT_EQ(complaint_of([&] { cce_row<double>(tokens.problem(), 1); }), "n = 1: expected a token that is not ignored");
}

}  // namespace
}  // namespace assay::reference
