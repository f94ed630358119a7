// A case as a line of text is the case, to the last bit; a line that is not one is refused by the key at fault.
#include "validation/core/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/validation/ctc/stub_kernel.h"
#include "validation/ctc/generate.h"

namespace assay::validation {
namespace {

using testing::HasSubstr;

constexpr float infinity = std::numeric_limits<float>::infinity();

CtcCase read(const std::string& line) {
  return CtcOperation::from_words(parse_words(line));
}

TEST(CtcText, IsOneReadableLine) {
  EXPECT_EQ(to_text(three_of_four_paths()),
            "T=2 B=1 C=2 S=1 blank=0 input=logits variable=logits layout=padded reduction=none zero_infinity=0 "
            "input_lengths=2 target_lengths=1 targets=1 upstream= activations=0,0,0,0");
}

TEST(CtcText, KeepsEveryOption) {
  CtcCase c = three_of_four_paths();
  c.blank = 1;
  set_targets(c, {{0}});
  c.input = CtcInput::log_probs;
  c.variable = CtcVariable::log_probs;
  c.layout = CtcTargets::concatenated;
  c.zero_infinity = true;
  c.upstream = {-2.5F};
  for (const auto reduction : {Reduction::none, Reduction::sum, Reduction::mean}) {
    c.reduction = reduction;
    EXPECT_EQ(read(to_text(c)), c);
  }
  EXPECT_THAT(to_text(c), HasSubstr("input=log_probs variable=log_probs layout=concatenated reduction=mean "
                                    "zero_infinity=1"));
}

TEST(CtcText, KeepsEveryBitOfEveryKindOfNumber) {
  using Limits = std::numeric_limits<float>;
  CtcCase c = three_of_four_paths();
  c.activations = {-infinity,
                   infinity,
                   Limits::quiet_NaN(),
                   -Limits::quiet_NaN(),
                   0.0F,
                   -0.0F,
                   Limits::denorm_min(),
                   -Limits::denorm_min(),
                   Limits::min(),
                   Limits::max(),
                   std::nextafter(1.0F, 2.0F),
                   0.1F,
                   0x1.fffffcp-127F,
                   -3.0e38F,
                   1e-40F,
                   16777217.0F};
  EXPECT_EQ(read(to_text(c)), c);
}

TEST(CtcText, KeepsEveryBitOfGeneratedCases) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Random random(seed);
    const CtcCase c = generate_ctc(random, static_cast<int>(seed % 101), {.minus_infinity = 0.5});
    const std::string line = to_text(c);
    ASSERT_EQ(read(line), c) << line;
    ASSERT_EQ(line.find_first_of("'\n"), std::string::npos) << "a shell would not take it as one word: " << line;
  }
}

TEST(CtcText, KeepsAnEmptyBatch) {
  CtcCase c;
  EXPECT_EQ(read(to_text(c)), c);
}

TEST(CtcText, TakesWordsInAnyOrderAndAnySpacing) {
  const auto words = parse_words("  b=2\ta=  c=x=y ");
  EXPECT_EQ(words, (std::map<std::string, std::string>{{"a", ""}, {"b", "2"}, {"c", "x=y"}}));
}

struct Malformed {
  const char* what;
  const char* from;  ///< this part of the good line
  const char* to;    ///< is replaced with this
  const char* says;
};

const Malformed malformed[] = {
    {"a word without =", "B=1", "B", "'B': expected key=value"},
    {"a key twice", "B=1", "B=1 B=1", "'B' is given twice"},
    {"no T", "T=2 ", "", "'T=' is missing"},
    {"no activations", "activations=0,0,0,0", "", "'activations=' is missing"},
    {"no upstream", "upstream=", "", "'upstream=' is missing"},
    {"an unknown key", "B=1", "B=1 kernal=cpu", "'kernal=' is not part of a case"},
    {"a key in lower case", "T=2", "t=2", "'t=' is not part of a case"},
    {"an empty number", "C=2", "C=", "C=: expected a number"},
    {"a number with a tail", "C=2", "C=2x", "C=2x: expected a number"},
    {"a fraction where a whole number is due", "blank=0", "blank=0.5", "blank=0.5: expected a number"},
    {"a number past 64 bits", "S=1", "S=9223372036854775808", "S=9223372036854775808: expected a number"},
    {"a float past float32", "activations=0,", "activations=1e39,", "activations=1e39: expected a number"},
    {"a hole in a list", "activations=0,0,", "activations=0,,", "activations=: expected a number"},
    {"a comma at the end of a list", "targets=1", "targets=1,", "targets=: expected a number"},
    {"a comma alone", "upstream=", "upstream=,", "upstream=: expected a number"},
    {"a word in a list", "input_lengths=2", "input_lengths=two", "input_lengths=two: expected a number"},
    {"an unknown input", "input=logits", "input=probs", "input=probs: expected one of logits, log_probs"},
    {"an unknown variable", "variable=logits", "variable=", "variable=: expected one of logits, log_probs"},
    {"an unknown layout", "layout=padded", "layout=packed", "layout=packed: expected one of padded, concatenated"},
    {"an unknown reduction", "reduction=none", "reduction=max", "reduction=max: expected one of none, sum, mean"},
    {"a flag that is none", "zero_infinity=0", "zero_infinity=2", "zero_infinity=2: expected one of 0, 1"},
};

TEST(CtcText, RefusesMalformedLinesByTheKeyAtFault) {
  const std::string good = to_text(three_of_four_paths());
  for (const Malformed& bad : malformed) {
    std::string line = good;
    const auto at = line.find(bad.from);
    ASSERT_NE(at, std::string::npos) << bad.what;
    line.replace(at, std::string(bad.from).size(), bad.to);
    try {
      read(line);
      ADD_FAILURE() << bad.what << " was read: " << line;
    } catch (const std::invalid_argument& refusal) {
      EXPECT_THAT(refusal.what(), HasSubstr(bad.says)) << bad.what;
    }
  }
}

}  // namespace
}  // namespace assay::validation
