#include "reference/number/residue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "reference/number/residue_functions.h"
#include "tests/reference/number/residues.h"

namespace assay::reference {
namespace {

static_assert(std::is_trivially_copyable_v<Residue> && sizeof(Residue) == 32);

TEST(Residue, IsExactOfEveryBinaryNumber) {
  for (const double x : {1.0, -3.0, 0x1p-149, 0x1.fffffep127, 5e-324, 0.1, -1e300}) {
    EXPECT_EQ(Residue::of(x) + Residue::of(x), Residue::of(x) * whole(2)) << x;
    EXPECT_EQ(Residue::of(x) - Residue::of(x), whole(0)) << x;
  }
  EXPECT_EQ(Residue::of(0.75), whole(3) / whole(4));
  EXPECT_EQ(Residue::of(-7.0), whole(-7));
  EXPECT_OTHER(Residue::of(1.0), Residue::of(1 + 0x1p-52));
}

TEST(Residue, CommutesAssociatesDistributes) {
  Numbers xs = drawn(1000);
  const Residue total = sum(xs), scaled = sum(each(xs, [](auto x) { return x * Residue::of(0.3); }));
  std::ranges::reverse(xs);
  EXPECT_EQ(sum(xs), total);
  EXPECT_EQ(total * Residue::of(0.3), scaled);
  EXPECT_SAME(xs[0] / xs[1] / xs[2], xs[0] / (xs[1] * xs[2]));
}

TEST(Residue, NoticesOneTermOfMany) {
  Numbers xs = drawn(std::size_t{1} << 17);
  const Residue total = sum(xs);
  for (const std::size_t v : {std::size_t{0}, std::size_t{65'536}, xs.size() - 1}) {
    EXPECT_OTHER(total - xs[v], total);
    EXPECT_OTHER(total + xs[v], total);
  }
  EXPECT_OTHER(total - xs[3] + xs[4], total);
  EXPECT_OTHER(total + Residue::of(5e-324), total);
}

TEST(Residue, KeepsInfinitiesAndWhatIsUnknown) {
  const Residue minus = Residue::infinity(false), x = drawn(1)[0];
  EXPECT_EQ(exp(minus), whole(0));
  EXPECT_EQ(log(whole(0)), minus);
  EXPECT_SAME(minus + x, minus);
  EXPECT_OTHER(minus, -minus);
  EXPECT_OTHER(minus, x);
  EXPECT_SAME(x / minus, whole(0));
  EXPECT_EQ((minus - minus).reason, Residue::Reason::not_a_number);
  EXPECT_EQ((x / whole(0)).reason, Residue::Reason::division_by_zero);
  EXPECT_EQ(Residue::of(std::nan("")).kind, Residue::Kind::unknown);
  const Residue lost = Residue::unknown(Residue::Reason::left_the_algebra);
  for (const Residue& one : {lost + x, x * lost, x / lost, exp(lost), log(lost), sqrt(lost), -lost, sin(lost)})
    EXPECT_EQ(one.reason, Residue::Reason::left_the_algebra);
  EXPECT_EQ(compare(lost, lost), Comparison::undecided);
}

}  // namespace
}  // namespace assay::reference
