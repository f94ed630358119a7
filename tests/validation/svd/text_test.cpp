// A case as a line of text is the case, to the last bit; a line that is not one is refused by the key at fault.
#include "validation/core/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "tests/validation/svd/kernels.h"

namespace assay::validation {
namespace {

using testing::HasSubstr;

SvdCase read(const std::string& line) {
  return SvdOperation::from_words(parse_words(line));
}

TEST(SvdText, IsOneReadableLine) {
  EXPECT_EQ(to_text(exchange()), "B=1 M=2 N=2 dtype=float32 A=0,2,1,0");
  EXPECT_EQ(to_text(SvdCase{0, 3, 0, Dtype::float64, {}}), "B=0 M=3 N=0 dtype=float64 A=");
  EXPECT_EQ(read("dtype=float64 A=0.1,-1e-320 N=2 M=1 B=1"), (SvdCase{1, 1, 2, Dtype::float64, {0.1, -1e-320}}))
      << "in any order";
}

TEST(SvdText, KeepsEveryBitOfEveryKindOfNumberOfEachType) {
  using Limits = std::numeric_limits<double>;
  for (const Dtype dtype : all_dtypes()) {
    const double least = format_of(dtype).smallest, most = format_of(dtype).largest, u = format_of(dtype).roundoff;
    SvdCase c{1,
              2,
              6,
              dtype,
              {0.0, -0.0, 1 + 2 * u, -(1 - u), most, -most, least, -least, 3 * least, Limits::quiet_NaN(),
               Limits::infinity(), -Limits::infinity()}};
    EXPECT_EQ(read(to_text(c)), c) << to_text(c);
    c.A[9] = -Limits::quiet_NaN();
    EXPECT_EQ(read(to_text(c)), c) << to_text(c);
  }
  const SvdCase tenth{1, 1, 1, Dtype::float64, {0.1}};
  EXPECT_EQ(read(to_text(tenth)).A[0], 0.1) << "not the float next to it";
}

TEST(SvdText, KeepsEveryBitOfGeneratedCases) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const SvdCase c = generated_svd(seed, {.doubles = 0.4});
    const std::string line = to_text(c);
    ASSERT_EQ(read(line), c) << line;
    ASSERT_EQ(line.find_first_of("'\n"), std::string::npos) << "a shell would not take it as one word: " << line;
  }
}

TEST(SvdText, KeepsAnEmptyBatchAndOneThatIsNone) {
  EXPECT_EQ(read(to_text(SvdCase{})), SvdCase{});
  SvdCase c = two_tall();
  c.B = -7;
  c.A.pop_back();
  EXPECT_EQ(read(to_text(c)), c);
}

struct Malformed {
  const char* what;
  const char* from;  ///< this part of the good line
  const char* to;    ///< is replaced with this
  const char* says;
};

const Malformed malformed[] = {
    {"no B", "B=1 ", "", "'B=' is missing"},
    {"no M", "M=2 ", "", "'M=' is missing"},
    {"no A", " A=0,2,1,0", "", "'A=' is missing"},
    {"no dtype", "dtype=float32 ", "", "'dtype=' is missing"},
    {"an unknown key", "N=2", "N=2 K=2", "'K=' is not part of a case"},
    {"a word without =", "N=2", "N", "'N': expected key=value"},
    {"a key twice", "N=2", "N=2 N=2", "'N' is given twice"},
    {"an unknown type", "=float32", "=half", "dtype=half: expected one of float32, float16, bfloat16, float64"},
    {"a fraction of a row", "M=2", "M=2.5", "M=2.5: expected a number"},
    {"a hole in a list", "0,2,", "0,,2,", "A=: expected a number"},
    {"a number with a tail", "0,2,", "0,2x,", "A=2x: expected a number"},
    {"a number past float64", "0,2,", "0,1e999,", "A=1e999: expected a number"},
    {"a number past float32", "0,2,", "0,1e39,", "A: 1e+39 is not a number of float32"},
    {"a number finer than float32", "0,2,", "0,0.1,", "A: 0.1 is not a number of float32"},
    {"a number finer than float16", "float32 A=0,2,", "float16 A=0,2049,", "A: 2049 is not a number of float16"},
    {"a number below bfloat16", "float32 A=0,2,", "bfloat16 A=0,1e-45,", "A: 1e-45 is not a number of bfloat16"},
};

TEST(SvdText, RefusesMalformedLinesByTheKeyAtFault) {
  const std::string good = to_text(exchange());
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
