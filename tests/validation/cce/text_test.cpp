// A case as a line of text is the case, to the last bit; a line that is not one is refused by the key at fault.
#include "validation/core/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/validation/cce/kernels.h"

namespace assay::validation {
namespace {

using testing::HasSubstr;

constexpr float infinity = std::numeric_limits<float>::infinity();

CceCase read(const std::string& line) {
  return CceOperation::from_words(parse_words(line));
}

TEST(CceText, IsOneReadableLine) {
  EXPECT_EQ(to_text(two_entries()),
            "N=1 H=2 V=2 dtype=float32 ignore_index=-100 logit_softcap=0 label_smoothing=0 z_loss=0 reduction=none "
            "targets=1 upstream= hidden=0,2 weight=3,0,1,0 bias=0,0");
}

TEST(CceText, KeepsEveryOption) {
  CceCase c = two_entries();
  c.ignore_index = std::numeric_limits<std::int64_t>::min();
  c.logit_softcap = 1.0 / 3;
  c.label_smoothing = 0.1;
  c.z_loss = std::nextafter(1e-4, 1.0);
  c.upstream = {-2.5F};
  for (const auto reduction : {Reduction::none, Reduction::sum, Reduction::mean}) {
    for (const auto dtype : {Dtype::float32, Dtype::float16, Dtype::bfloat16}) {
      c.reduction = reduction;
      c.dtype = dtype;
      EXPECT_EQ(read(to_text(c)), c);
    }
  }
  EXPECT_THAT(to_text(c), HasSubstr("dtype=bfloat16 ignore_index=-9223372036854775808 "
                                    "logit_softcap=0.3333333333333333 label_smoothing=0.1 "));
  c.logit_softcap = double{infinity};
  EXPECT_EQ(read(to_text(c)), c);
}

TEST(CceText, KeepsEveryBitOfEveryKindOfNumber) {
  using Limits = std::numeric_limits<float>;
  CceCase c = two_entries();
  c.hidden = {Limits::quiet_NaN(), -Limits::quiet_NaN(), infinity, -infinity, 0.0F, -0.0F};
  c.weight = {Limits::denorm_min(), -Limits::min(), Limits::max(), std::nextafter(1.0F, 2.0F), 0.1F, 16777217.0F};
  c.bias = {-infinity, -3.0e38F, 1e-40F};
  EXPECT_EQ(read(to_text(c)), c);
}

TEST(CceText, KeepsEveryBitOfGeneratedCases) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const CceCase c = generated_cce(seed, {.minus_infinity = 0.5});
    const std::string line = to_text(c);
    ASSERT_EQ(read(line), c) << line;
    ASSERT_EQ(line.find_first_of("'\n"), std::string::npos) << "a shell would not take it as one word: " << line;
  }
}

TEST(CceText, KeepsAnEmptyBatchAndOneThatIsNone) {
  EXPECT_EQ(read(to_text(CceCase{})), CceCase{});
  CceCase c = two_entries();
  c.N = -7;
  c.targets = {99};
  c.bias.pop_back();
  EXPECT_EQ(read(to_text(c)), c);
}

struct Malformed {
  const char* what;
  const char* from;  ///< this part of the good line
  const char* to;    ///< is replaced with this
  const char* says;
};

const Malformed malformed[] = {
    {"no N", "N=1 ", "", "'N=' is missing"},
    {"no bias", " bias=0,0", "", "'bias=' is missing"},
    {"no dtype", "dtype=float32 ", "", "'dtype=' is missing"},
    {"an unknown key", "V=2", "V=2 blank=0", "'blank=' is not part of a case"},
    {"a word without =", "V=2", "V", "'V': expected key=value"},
    {"a key twice", "V=2", "V=2 V=2", "'V' is given twice"},
    {"an unknown type", "dtype=float32", "dtype=half", "dtype=half: expected one of float32, float16, bfloat16"},
    {"an unknown reduction", "reduction=none", "reduction=avg", "reduction=avg: expected one of none, sum, mean"},
    {"a fraction of a word", "targets=1", "targets=0.5", "targets=0.5: expected a number"},
    {"a hole in a list", "hidden=0,2", "hidden=0,,2", "hidden=: expected a number"},
    {"a number with a tail", "z_loss=0", "z_loss=0x", "z_loss=0x: expected a number"},
    {"a float past float32", "weight=3,", "weight=1e39,", "weight=1e39: expected a number"},
    {"a number finer than float16",
     "dtype=float32 ignore_index=-100 logit_softcap=0 label_smoothing=0 z_loss=0 "
     "reduction=none targets=1 upstream= hidden=0,2",
     "dtype=float16 ignore_index=-100 logit_softcap=0 label_smoothing=0 z_loss=0 reduction=none targets=1 upstream= "
     "hidden=0.1,2",
     "hidden: 0.1 is not a number of float16"},
};

TEST(CceText, RefusesMalformedLinesByTheKeyAtFault) {
  const std::string good = to_text(two_entries());
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

TEST(CceText, RefusesElementsThatTheTypeHasNot) {
  CceCase c = two_entries();
  c.dtype = Dtype::bfloat16;
  const std::string line = to_text(c);
  for (const auto& [from, to, says] : {std::array{"weight=3,", "weight=3.01,", "weight: 3.01 is not a number of bf"},
                                       {"bias=0,0", "bias=0,1e-45", "bias: 1e-45 is not a number of bfloat16"}}) {
    std::string bad = line;
    bad.replace(bad.find(from), std::string(from).size(), to);
    try {
      read(bad);
      ADD_FAILURE() << "read: " << bad;
    } catch (const std::invalid_argument& refusal) {
      EXPECT_THAT(refusal.what(), HasSubstr(says));
    }
  }
}

}  // namespace
}  // namespace assay::validation
