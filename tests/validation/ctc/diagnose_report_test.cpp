// The page that a diagnosis prints.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>

#include "tests/validation/ctc/diagnose_faults.h"
#include "validation/ctc/diagnosis/report.h"

namespace assay::validation {
namespace {

std::string page_of(const CtcCase& c, int digits, bool colour) {
  std::ostringstream out;
  print_diagnosis(out, c, diagnose(c, digits), colour);
  return out.str();
}

/// `text` without ANSI escapes.
std::string plain(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\x1b') {
      i = text.find('m', i);
    } else {
      out += text[i];
    }
  return out;
}

TEST(Report, FitsThePageAndColoursOnlyWhenAsked) {
  for (const Fault& fault : faults())
    for (const int digits : {1, 30, 300}) {
      const std::string page = page_of(fault.batch, digits, false);
      EXPECT_EQ(page.find('\x1b'), std::string::npos);
      std::istringstream lines(page);
      for (std::string line; std::getline(lines, line);)
        EXPECT_LE(line.size() - static_cast<std::size_t>(std::count(line.begin(), line.end(), '\xc2')), 100U) << line;
      const std::string coloured = page_of(fault.batch, digits, true);
      EXPECT_NE(coloured, page);
      EXPECT_EQ(plain(coloured), page);
    }
}

TEST(Report, CutsALongLossBetweenCharacters) {
  for (int digits = 28; digits < 45; ++digits) {
    const std::string page = page_of(healthy(), digits, false);
    for (std::size_t i = page.find('\xc2'); i != page.npos; i = page.find('\xc2', i + 1)) {
      ASSERT_EQ(page.substr(i, 2), "±") << page;
      ASSERT_EQ(page.substr(i - 1, 4), " ± ") << page;
    }
    EXPECT_NE(page.find(" healthy\n"), std::string::npos) << page;
  }
}

TEST(Report, KeepsItsColumnsWhateverTheLengths) {
  CtcCase c = healthy();
  c.input_lengths = {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
  c.target_lengths = c.input_lengths;
  const std::string page = page_of(c, 10, false);
  EXPECT_NE(page.find("\n    0    < 0    < 0       -      -  undefined "), std::string::npos) << page;
  EXPECT_NE(page.find("\n    1 > 10^6 > 10^6       -      -  undefined "), std::string::npos) << page;
  EXPECT_NE(page.find("input length 9223372036854775807: expected a length in [0, T=6]"), std::string::npos) << page;
}

TEST(Report, GivesTheLossOfTheBatch) {
  CtcCase c = row_of(CtcInput::logits, {{0, 0}, {0, 0}}, {1});
  c.reduction = Reduction::sum;
  const std::string page = page_of(c, 10, false);
  EXPECT_NE(page.find("0.2876820725 ± 1e-10"), std::string::npos) << page;
  EXPECT_NE(page.find("1 row, nothing wrong. The loss of the batch, their sum, is 0.287682072."), std::string::npos)
      << page;
}

TEST(Report, SaysOnceWhatIsTrueOfManyRows) {
  CtcCase c = healthy();
  c.blank = -1;
  const std::string page = page_of(c, 10, false);
  EXPECT_NE(page.find("  rows 0, 1   blank = -1: expected a class in [0, C=4)\n"), std::string::npos) << page;
}

}  // namespace
}  // namespace assay::validation
