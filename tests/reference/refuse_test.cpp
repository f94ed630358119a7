#include "reference/refuse.h"

#include <limits>
#include <vector>

#include "tests/reference/expect.h"
#include "tests/refusal.h"

namespace assay::reference {
namespace {

TEST(Refusals, NameTheArgumentItsValueAndWhatWasExpected) {
  EXPECT_EQ(refusal_of([] { detail::expect_at_least("T", -1, 0); }), "T = -1: expected at least 0");
  EXPECT_EQ(refusal_of([] { detail::expect_at_least("T", 0, 0); }), "accepted");
  EXPECT_EQ(refusal_of([] { detail::expect_size("A", 3, "M * N", 4); }), "A.size() = 3: expected M * N = 4");
}

TEST(Product, IsRefusedBeyond64Bits) {
  const std::int64_t max = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(detail::product("T * B", max, 1), max);
  EXPECT_EQ(detail::product("T * B", max, 0), 0);
  EXPECT_EQ(refusal_of([] { detail::product("T * B", std::int64_t{1} << 62, 2); }),
            "T * B = 4611686018427387904 * 2: expected a product that fits in 64 bits");
}

TEST(ValidateUpstream, CountsRowsOnlyWithoutReduction) {
  const auto refusal = [](std::vector<float> upstream, Reduction reduction) {
    return refusal_of([&] { detail::validate_upstream<float>(upstream, reduction, "B", 2); });
  };
  EXPECT_EQ(refusal({}, Reduction::none), "accepted");
  EXPECT_EQ(refusal({1, -2}, Reduction::none), "accepted");
  EXPECT_EQ(refusal({1}, Reduction::none), "upstream.size() = 1: expected B for Reduction::none = 2");
  EXPECT_EQ(refusal({1, 2}, Reduction::mean), "upstream.size() = 2: expected 1 for Reduction::sum or mean = 1");
  EXPECT_EQ(refusal({INFINITY}, Reduction::sum), "upstream[0] = inf: expected a finite number");
}

}  // namespace
}  // namespace assay::reference
