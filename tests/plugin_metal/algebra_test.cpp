// The property `algebra` of CTC and cross-entropy: right shaders of several makings have the formula, and faults that the
// bounds hide are named with their element.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/matchers.h"
#include "tests/plugin_metal/shader_folder.h"
#include "validation/algebras.h"
#include "validation/registry.h"
#include "validation/svd/operation.h"

namespace assay::validation::transport::test {
namespace {

template <class O>
Finding finding_on(const std::string& name, const typename O::Case& c) {
  const auto kernel = kernel_called<O>(name);
  return judge(algebra<O>(), Context<O>{.kernel = *kernel, .fresh_kernel = kernel_called<O>}, c);
}

template <class O>
PropertyReport report_of_algebra(const std::string& name, int cases) {
  const auto kernel = kernel_called<O>(name);
  Coverage coverage(class_names<O>());
  const GateOptions options{.cases = cases, .shrink_budget = 0, .given = {}};
  return run_property(algebra<O>(), Context<O>{.kernel = *kernel, .fresh_kernel = kernel_called<O>}, options, coverage);
}

/// Four tokens and an ignored one. Entries 0 and 3 have probabilities near 1e-11; tokens 2, 3 and 4 weigh 1e-9.
CceCase skewed_cce() {
  CceCase c;
  c.N = 5, c.H = 2, c.V = 5;
  c.hidden = {1, 0.25F, 1.125F, -0.375F, 0.875F, 0.5F, 1.25F, 0.125F, 0.75F, -0.625F};
  c.weight = {-20.5F, 0.25F, 5.25F, 0.75F, 4.75F, -0.5F, -21.25F, 1.5F, 5.0F, 0.375F};
  c.targets = {1, 2, 1, 4, c.ignore_index};
  c.upstream = {1, 1.25F, 1e-9F, 3e-9F, 2e-9F};
  return c;
}

/// Row 0 has a path that is nearly certain; row 1 has one path, through a label that is improbable in frame 1.
CtcCase skewed_ctc() {
  CtcCase c;
  c.T = 5, c.B = 2, c.C = 4;
  c.input = CtcInput::log_probs;
  c.input_lengths = {5, 3};
  c.upstream = {1, std::nextafter(1.0F, 2.0F)};
  set_targets(c, {{1, 2}, {3, 1, 2}});
  const std::vector<std::vector<int>> likely = {{1, 0, 2, 0, 0}, {3, 0, 2, 0, 0}};
  for (std::int64_t t = 0; t < c.T; ++t)
    for (std::size_t b = 0; b < 2; ++b)
      for (int k = 0; k < 4; ++k)
        c.activations.push_back(k == likely[b][static_cast<std::size_t>(t)] ? -0.0625F
                                                                            : -20.5F - 0.25F * static_cast<float>(k));
  return c;
}

const std::string online = ASSAY_TEST_SHADERS "/../../right_kernels/metal/online_cce.json";
const std::string full_cce = ASSAY_TEST_SHADERS "/cce.json";
const std::string ctc = ASSAY_TEST_SHADERS "/ctc.json";

/// The hosts of shipped kernels fill in what needs no device: the loss of an ignored token, frames past a row's length.
TEST(AlgebraOfOperations, OfRightKernelsIsEqualOnEveryElement) {
  const std::map<std::string, int> of_cce = {{full_cce, 25}, {online, 25}, {"metal-plain", 24}};
  for (const auto& [name, equal] : of_cce) {
    const Finding finding = finding_on<CceOperation>(name, skewed_cce());
    EXPECT_EQ(finding.verdict, Verdict::pass) << name << finding.explanation;
    EXPECT_EQ(finding.judged.judged, equal) << name;
  }
  const std::map<std::string, int> of_ctc = {{ctc, 42}, {"metal-plain", 30}};
  for (const auto& [name, equal] : of_ctc) {
    const Finding finding = finding_on<CtcOperation>(name, skewed_ctc());
    EXPECT_EQ(finding.verdict, Verdict::pass) << name << finding.explanation;
    EXPECT_EQ(finding.judged.judged, equal) << name;
  }
}

TEST(AlgebraOfOperations, PassesRightKernelsOnGeneratedCases) {
  for (const std::string& name : {full_cce, online, std::string("metal-emulated")}) {
    const auto report = report_of_algebra<CceOperation>(name, 24);
    EXPECT_EQ(report.verdict, Verdict::pass)
        << name << (report.failure ? report.failure->explanation : report.mistrust);
  }
  for (const std::string& name : {ctc, std::string("metal-emulated")}) {
    const auto report = report_of_algebra<CtcOperation>(name, 24);
    EXPECT_EQ(report.verdict, Verdict::pass)
        << name << (report.failure ? report.failure->explanation : report.mistrust);
  }
}

struct Planted {
  const char* fault;
  std::vector<std::pair<std::string, std::string>> edits;
  const char* place;
};

template <class O>
void expect_hidden(const ShaderFolder& folder, const Planted& planted, const typename O::Case& c) {
  for (const auto& [before, after] : planted.edits) folder.edit_source(before, after);
  const Finding finding = finding_on<O>(folder.binding(), c);
  EXPECT_EQ(finding.verdict, Verdict::fail) << planted.fault << finding.explanation;
  EXPECT_THAT(finding.explanation, HasSubstr(std::string(planted.place) + " is not the formula's: the algebra differs"))
      << planted.fault;
  EXPECT_THAT(finding.explanation, HasSubstr("a hidden fault")) << planted.fault << ": the bounds see it too";
}

TEST(AlgebraOfOperations, NamesWhatTheBoundsOfCrossEntropyHide) {
  const std::vector<Planted> of_full = {
      {"a dropped term", {{"sum += exp(row[v] - largest);", "sum += v == 3 ? 0 : exp(row[v] - largest);"}}, "loss[0]"},
      {"a stale maximum",
       {{"sum += exp(row[v] - largest);", "sum += exp(row[v] - (v == 3 ? row[2] : largest));"}},
       "loss[0]"},
      {"a term dropped from a product",
       {{"    sum += dz[at.y * p.dz_row + i * p.dz_term]",
         "    if (!terms_are_tokens && i == 3) continue;\n    sum += dz[at.y * p.dz_row + i * p.dz_term]"}},
       "dhidden[n=0, h=0]"},
  };
  for (const Planted& one : of_full) expect_hidden<CceOperation>(ShaderFolder("cce"), one, skewed_cce());
  const std::string skips = "    if (targets[n] == s.ignore_index) continue;  // whose hidden may be anything\n";
  const std::string slope = "const float dz = slope(hidden, weight, targets, upstream, lse, s, n, v);\n";
  const std::vector<Planted> of_online = {
      {"a running sum that is forgotten at a new maximum",
       {{"if (x > largest) sum *= exp(largest - x);", "if (x > largest) sum = 0;"}},
       "loss[0]"},
      {"p for p - 1",
       {{skips, skips + "    if (n == 2 && v == 1) dweight[v * s.H] += upstream[n] * hidden[n * s.H];\n"}},
       "dweight[v=1, h=0]"},
      {"the upstream gradient of another token",
       {{skips + "    " + slope,
         skips + "    const float dz = slope(hidden, weight, targets, upstream + (n == 2), lse, s, n, v);\n"}},
       "dweight[v=0, h=0]"},
      {"a mask that lets an ignored token in",
       {{skips + "    " + slope,
         "    const float dz = targets[n] == s.ignore_index ? upstream[n] * float(v == 1) : slope(hidden, weight, "
         "targets, "
         "upstream, lse, s, n, v);\n"}},
       "dweight[v=1, h=0]"},
  };
  for (const Planted& one : of_online)
    expect_hidden<CceOperation>(ShaderFolder("online_cce", ASSAY_TEST_SHADERS "/../../right_kernels/metal"), one,
                                skewed_cce());
}

TEST(AlgebraOfOperations, NamesWhatTheBoundsOfCtcHide) {
  const std::vector<Planted> all = {
      {"the upstream gradient of another row",
       {{"g[k] = upstream[b] *", "g[k] = upstream[0] *"}},
       "gradient[t=0, b=1, k=0]"},
      {"a softmax that is forgotten where its probability is small",
       {{"(shape.of_logits ? exp(y[k])", "(shape.of_logits && !(b == 1 && t == 1 && k == 1) ? exp(y[k])"}},
       "gradient[t=1, b=1, k=1]"},
  };
  for (const Planted& one : all) expect_hidden<CtcOperation>(ShaderFolder("ctc"), one, skewed_ctc());
}

TEST(AlgebraOfOperations, FindsOneWrongElementAndCallsNoNanEqual) {
  const auto with_last = [](const std::string& value) {
    const ShaderFolder folder("cce");
    folder.edit_source("loss[n] = lse - row[target];", "loss[n] = n == 3 ? " + value + " : lse - row[target];");
    return finding_on<CceOperation>(folder.binding(), skewed_cce());
  };
  const Finding wrong = with_last("1.5f");
  EXPECT_EQ(wrong.verdict, Verdict::fail);
  EXPECT_THAT(wrong.explanation, AllOf(HasSubstr("loss[3]"), HasSubstr("algebra differs, beyond the bound")));
  for (const char* const value : {"NAN", "INFINITY"}) {
    const Finding finding = with_last(value);
    EXPECT_EQ(finding.judged.judged, 24) << value << finding.explanation;
    EXPECT_EQ(finding.judged.elements, 25) << value;
  }
}

TEST(AlgebraOfOperations, IsJudgedWhereItIsAskedForAndFollowed) {
  const auto last_of = [](bool with_algebra) {
    return subject_called<CceOperation>(full_cce, 50, with_algebra)->properties().back().name;
  };
  EXPECT_NE(last_of(false), algebra_name);
  EXPECT_EQ(last_of(true), algebra_name);
  EXPECT_THROW(subject_called<SvdOperation>("cpu", 50, true), std::invalid_argument);
  const Finding finding = finding_on<CceOperation>("cpu", skewed_cce());
  EXPECT_EQ(finding.verdict, Verdict::skipped);
  EXPECT_EQ(finding.explanation,
            "not judged by the algebra: the kernel is neither a shader nor compiled by `assay instrument`");
}

TEST(AlgebraOfOperations, TellsRoundingFromAnotherFormulaWhereABoundFails) {
  const auto remark_of = [](const std::string& after) {
    const ShaderFolder folder("cce");
    folder.edit_source("loss[n] = lse - row[target];", after);
    const auto subject = subject_called<CceOperation>(folder.binding(), 50, true);
    return subject->remark_on(subject->index_of("loss"), AnyCase(skewed_cce()));
  };
  EXPECT_EQ(remark_of("loss[n] = (lse + 1e5f) - (row[target] + 1e5f);"),
            "\n  algebra equal, beyond the bound: rounding");
  EXPECT_EQ(remark_of("loss[n] = lse;"), "\n  algebra differs, beyond the bound: another formula");
}

}  // namespace
}  // namespace assay::validation::transport::test
