// Each pattern is seen where it is planted, and not where it is not.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "tests/limits.h"
#include "tests/matchers.h"
#include "validation/gradcheck/pattern.h"
#include "validation/gradcheck/record.h"
#include "validation/gradcheck/sizes.h"
#include "validation/gradcheck/sums.h"

namespace assay::validation {
namespace {

using tests::doubles::nan;

/// A [3, 2, 4] of numbers that all differ, as [T, B, C], and what `plant` makes of it.
GradientArray planted(const std::function<void(GradientArray&)>& plant) {
  GradientArray g;
  g.name = "gradient";
  g.axes = {"t", "b", "k"};
  g.nouns = {"frame", "row", "class"};
  g.sizes = {"T", "B", "C"};
  g.extents = {3, 2, 4};
  for (std::size_t i = 0; i < 24; ++i) g.expected.push_back(std::sin(static_cast<double>(7 * i + 1)));
  g.got = g.expected;
  g.bound.assign(24, 1e-7);
  plant(g);
  for (std::size_t i = 0; i < 24; ++i) g.wrong.push_back(!(std::abs(g.got[i] - g.expected[i]) <= g.bound[i]));
  return g;
}

std::vector<std::string> sentences(const std::function<void(GradientArray&)>& plant, const PatternHints& hints = {}) {
  std::vector<std::string> all;
  for (const Pattern& pattern : patterns_of(planted(plant), hints)) all.push_back(pattern.sentence);
  return all;
}

void multiply(GradientArray& g, const std::function<double(std::size_t)>& factor) {
  for (std::size_t i = 0; i < g.size(); ++i) g.got[i] *= factor(i);
}

TEST(GradcheckPatterns, AreNoneWhereNothingIsWrong) {
  EXPECT_THAT(sentences([](auto&) {}), IsEmpty());
  EXPECT_THAT(sentences([](auto& g) { g.got[3] += 1e-8; }), IsEmpty());
}

TEST(GradcheckPatterns, AreFewWhereElementsAreWrongAtRandom) {
  EXPECT_THAT(sentences([](auto& g) { multiply(g, [](std::size_t i) { return 1 + std::cos(i * i); }); }), IsEmpty());
}

TEST(GradcheckPatterns, SeeAFactorAndItsReason) {
  PatternHints hints;
  hints.factor_axis = 1;
  hints.factors = {{"1 / B", {0.5, 0.5}}, {"T", {3, 3}}, {"one row's", {0.5, 1}}};
  const auto half = sentences([](auto& g) { multiply(g, [](auto) { return 0.5; }); }, hints);
  EXPECT_THAT(half, Contains(HasSubstr("got = 0.5 x expected")));
  EXPECT_THAT(half, Contains(HasSubstr("that factor is 1 / B")));
  EXPECT_THAT(half, Not(Contains(HasSubstr("factor is T"))));
  EXPECT_THAT(half, Not(Contains(HasSubstr("one row's"))));
}

TEST(GradcheckPatterns, SeeAFactorOfEachRow) {
  PatternHints hints;
  hints.factor_axis = 1;
  hints.factors = {{"its length", {2, 3}}, {"2", {2, 2}}};
  const auto rows =
      sentences([](auto& g) { multiply(g, [](std::size_t i) { return i / 4 % 2 == 0 ? 2.0 : 3.0; }); }, hints);
  EXPECT_THAT(rows, Contains(HasSubstr("a factor of its own in each row: got = 2, 3 x expected")));
  EXPECT_THAT(rows, Contains(HasSubstr("that factor is its length")));
  EXPECT_THAT(rows, Not(Contains(HasSubstr("that factor is 2"))));
}

TEST(GradcheckPatterns, SeeASign) {
  EXPECT_THAT(sentences([](auto& g) { multiply(g, [](auto) { return -1.0; }); }),
              Contains(HasSubstr("got = -expected")));
}

TEST(GradcheckPatterns, SeeZerosAndNumbersThatAreNone) {
  EXPECT_THAT(sentences([](auto& g) { g.got.assign(24, 0.0); }), Contains(HasSubstr("is 0 everywhere")));
  EXPECT_THAT(sentences([](auto& g) { g.got[4] = g.got[9] = 0; }), Contains(HasSubstr("is 0 where it is wrong")));
  EXPECT_THAT(sentences([](auto& g) { g.got.assign(24, nan); }), Contains(HasSubstr("is NaN everywhere")));
  EXPECT_THAT(sentences([](auto& g) { g.got[4] = g.got[9] = nan; }), Contains(HasSubstr("NaN in 2 of 2 wrong")));
  EXPECT_THAT(sentences([](auto& g) { g.got[4] = HUGE_VAL; }), Contains(HasSubstr("infinite in 1 of 1 wrong")));
}

TEST(GradcheckPatterns, SeeAxesInAnotherOrder) {
  const auto rows_first = [](auto& g) {
    for (std::size_t t = 0; t < 3; ++t)
      for (std::size_t b = 0; b < 2; ++b)
        for (std::size_t k = 0; k < 4; ++k) g.got[(b * 3 + t) * 4 + k] = g.expected[(t * 2 + b) * 4 + k];
  };
  EXPECT_THAT(sentences(rows_first), Contains(HasSubstr("laid out as [B, T, C] where [T, B, C] is due")));
}

TEST(GradcheckPatterns, SeeAShift) {
  const auto by = [](std::ptrdiff_t step) {
    return [step](auto& g) {
      for (std::ptrdiff_t i = 0; i < 24; ++i)
        if (i - step >= 0 && i - step < 24)
          g.got[static_cast<std::size_t>(i)] = g.expected[static_cast<std::size_t>(i - step)];
    };
  };
  EXPECT_THAT(sentences(by(8)), Contains(HasSubstr("shifted by one frame: got at t is what is due at t - 1")));
  EXPECT_THAT(sentences(by(-8)), Contains(HasSubstr("got at t is what is due at t + 1")));
  EXPECT_THAT(sentences(by(1)), Contains(HasSubstr("shifted by one class")));
}

TEST(GradcheckPatterns, SeeOneFrameOneRowOneClassOneElement) {
  const auto where = [](const auto& chosen) {
    return sentences([&](auto& g) {
      for (std::size_t i = 0; i < 24; ++i)
        if (chosen(i)) g.got[i] += 1 + std::sin(i);
    });
  };
  EXPECT_THAT(where([](std::size_t i) { return i / 8 == 1; }),
              Contains(HasSubstr("wrong only at t=1: a whole frame, all 8 elements")));
  EXPECT_THAT(where([](std::size_t i) { return i / 4 % 2 == 1; }), Contains(HasSubstr("only at b=1: a whole row")));
  EXPECT_THAT(where([](std::size_t i) { return i % 4 == 2; }), Contains(HasSubstr("only at k=2: a whole class")));
  EXPECT_THAT(where([](std::size_t i) { return i == 5; }), Contains(HasSubstr("t=0, b=1, k=1: one element")));
  EXPECT_THAT(where([](std::size_t i) { return i == 5 || i == 6; }), Contains(HasSubstr("2 of 4 elements there")));
}

TEST(GradcheckPatterns, SeeTheSmallestRegionThatHoldsAll) {
  PatternHints hints;
  hints.regions = {{"in the first half", std::vector<bool>(24)},
                   {"in the first two", std::vector<bool>(24)},
                   {"at the end", std::vector<bool>(24)}};
  for (std::size_t i = 0; i < 12; ++i) hints.regions[0].in[i] = true;
  hints.regions[1].in[0] = hints.regions[1].in[1] = hints.regions[2].in[23] = true;
  const auto found = sentences([](auto& g) { g.got[0] = g.got[1] = 5; }, hints);
  EXPECT_THAT(found, Contains(HasSubstr("wrong only in the first two: in 2 of 2 elements there")));
  EXPECT_THAT(found, Not(Contains(HasSubstr("half"))));
  EXPECT_THAT(found, Not(Contains(HasSubstr("the end"))));
}

TEST(GradcheckPatterns, TellLostDigitsFromAFormula) {
  EXPECT_THAT(sentences([](auto& g) { multiply(g, [](std::size_t i) { return 1 + 1e-4 * std::sin(i); }); }),
              Contains(HasSubstr("digits are lost")));
  EXPECT_THAT(sentences([](auto& g) { multiply(g, [](std::size_t i) { return 1 + std::sin(i); }); }),
              Not(Contains(HasSubstr("digits are lost"))));
}

/// [40, 8] of numbers of both signs, with `error` added to each.
std::vector<std::string> with_errors(const std::function<double(std::size_t)>& error) {
  GradientArray g;
  g.name = "gradient";
  g.axes = {"n", "h"};
  g.nouns = {"token", "column"};
  g.sizes = {"N", "H"};
  g.extents = {40, 8};
  for (std::size_t i = 0; i < 320; ++i) {
    g.expected.push_back(std::sin(static_cast<double>(7 * i + 1)));
    g.got.push_back(g.expected[i] + error(i));
    g.bound.push_back(1e-9);
    g.wrong.push_back(!(std::abs(g.got[i] - g.expected[i]) <= 1e-9));
  }
  std::vector<std::string> all;
  for (const Pattern& pattern : small_errors(g)) all.push_back(pattern.sentence);
  return all;
}

TEST(GradcheckPatterns, TellRoundingFromATermBySigns) {
  const auto random = [](std::size_t i) { return 1e-4 * std::sin(static_cast<double>(i * i)); };
  EXPECT_THAT(with_errors(random), Contains(HasSubstr("the formula is about right")));
  EXPECT_THAT(with_errors([](std::size_t) { return 1e-4; }), Contains(HasSubstr("alike in sign")));
  EXPECT_THAT(with_errors([](std::size_t i) { return 1e-3 * std::sin(static_cast<double>(7 * i + 1)); }),
              Contains(HasSubstr("alike in sign")));
  EXPECT_THAT(with_errors([](std::size_t i) { return i == 5 ? 1e-4 : 0; }), Contains(HasSubstr("or a small term")));
  EXPECT_THAT(with_errors([](std::size_t i) { return i % 16 < 8 ? 1e-4 : -1e-4; }),
              Contains(HasSubstr("or a small term is missing")));
  for (const double large : {nan, -std::numeric_limits<double>::infinity(), 0.5})
    EXPECT_THAT(with_errors([&](std::size_t i) { return i == 5 ? large : random(i); }), IsEmpty()) << large;
}

TEST(GradcheckPatterns, SeeWhereWrongIndicesBegin) {
  const auto from = [](std::size_t first, std::size_t skipped) {
    std::vector<std::string> all;
    for (const Pattern& pattern : wrong_tails(planted([&](auto& g) {
           for (std::size_t i = 0; i < 24; ++i)
             if (i % 4 >= first && i % 4 != skipped) g.got[i] = i % 8 < 4 ? nan : 3;
         })))
      all.push_back(pattern.sentence);
    return all;
  };
  EXPECT_THAT(from(2, 9), Contains(HasSubstr("wrong from k = 2 to the end, C = 4, and right before")));
  EXPECT_THAT(from(0, 9), IsEmpty());
  EXPECT_THAT(from(3, 9), IsEmpty()) << "one index has a name of its own";
  EXPECT_THAT(from(1, 2), IsEmpty());
}

/// A softmax over the four classes of each slice, of which `plant` sees the wrong one without the last class.
std::vector<std::string> softmax_sentences(const std::function<void(GradientArray&)>& plant) {
  NamedSum sum{"the softmax's sum", "class", std::vector<double>(24), std::vector<std::vector<double>>(6)};
  const GradientArray wrong = planted([&](GradientArray& g) {
    for (std::size_t slice = 0; slice < 6; ++slice) {
      double all = 0;
      for (std::size_t k = 0; k < 4; ++k) all += std::exp(std::sin(static_cast<double>(5 * slice + k)));
      for (std::size_t k = 0; k < 4; ++k)
        sum.shares[slice].push_back(std::exp(std::sin(static_cast<double>(5 * slice + k))) / all);
      for (std::size_t k = 0; k < 4; ++k) {
        sum.part[4 * slice + k] = sum.shares[slice][k];
        g.got[4 * slice + k] += sum.shares[slice][k] / (1 - sum.shares[slice][3]) - sum.shares[slice][k];
      }
    }
    plant(g);
  });
  std::vector<std::string> all;
  for (const Pattern& pattern : missing_summands(wrong, sum)) all.push_back(pattern.sentence);
  return all;
}

TEST(GradcheckPatterns, SeeWhatASumLacks) {
  EXPECT_THAT(softmax_sentences([](auto&) {}), Contains(HasSubstr("lacks its last summand, class 3")));
  EXPECT_THAT(softmax_sentences([](auto& g) { g.got[9] = nan; }), Contains(HasSubstr("last summand, class 3")));
  EXPECT_THAT(softmax_sentences([](auto& g) { g.got[9] = HUGE_VAL; }), Contains(HasSubstr("last summand, class 3")));
  EXPECT_THAT(softmax_sentences([](auto& g) { g.got[9] += 0.25; }), IsEmpty());
  EXPECT_THAT(softmax_sentences([](auto& g) { g.got = g.expected; }), IsEmpty());
  EXPECT_THAT(softmax_sentences([](auto& g) { multiply(g, [](std::size_t) { return 0.5; }); }), IsEmpty());
}

TEST(GradcheckRecord, PutsNumbersThatAreNoneIntoJsonAsTexts) {
  GradcheckRecord record;
  record.subject = "ctc kernel \"x\"";
  record.verdict = Verdict::fail;
  record.worst = {nan, "gradient[0]"};
  record.worst_elements = {{"gradient[0]", "0.5", 0.5, nan, nan, 0, HUGE_VAL}};
  record.patterns = {"a", "b"};
  const std::string json = to_json(record);
  for (const char* const text : {"\"verdict\": \"fail\"", "\"got\": \"nan\"", "\"share\": \"inf\"",
                                 "\"expected_hex\": \"0x1p-1\"", "\"worst_share\": \"nan\"", "\\\"x\\\""})
    EXPECT_THAT(json, HasSubstr(text));
}

TEST(GradcheckRecord, FitsAHundredColumns) {
  GradcheckRecord record;
  record.verdict = Verdict::fail;
  record.wrong = record.elements = 1000000;
  record.wrong_cases = record.cases = 100000;
  record.worst = {1e300, "gradient[t=10000, b=10000, k=10000] of generated case 100 (T=10000 B=100 C=100 S=100)"};
  record.worst_elements = {{"gradient[t=10000, b=10000, k=10000]", "-1.234567890123456789012345e-300", -1e-300, 1 / 3.,
                            1e300, 1e-300, 1e300}};
  record.variable = std::string(30, 'x') + " " + std::string(69, 'y') + " z";
  record.patterns = {std::string(99, 'p') + " " + std::string(60, 'q') + " " + std::string(60, 'r')};
  record.notes = {std::string(80, 'n') + " " + std::string(80, 'm')};
  record.explanation = std::string(80, 'e') + " " + std::string(80, 'e');
  const std::string text = to_text(record);
  EXPECT_THAT(text, AllOf(HasSubstr("fail"), HasSubstr("-1.234567890123456789012345e-300"), HasSubstr("0x1.5555")));
  std::size_t from = 0;
  while (from < text.size()) {
    const std::size_t to = text.find('\n', from);
    const std::string line = text.substr(from, to - from);
    EXPECT_TRUE(line.size() <= 100 || line.find(std::string(99, 'p')) != std::string::npos) << line;
    from = to + 1;
  }
}

}  // namespace
}  // namespace assay::validation
