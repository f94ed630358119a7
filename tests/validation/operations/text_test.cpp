// A case as a line of text is the case, to the last bit; a line that is not one is refused by the key at fault.
#include "validation/core/text.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/matchers.h"
#include "tests/validation/operations/operations.h"

namespace assay::validation {
namespace {

template <class O>
class Text : public testing::Test {
 public:
  using Case = typename O::Case;

  static Case read(const std::string& line) { return O::from_words(parse_words(line)); }

  static void expect_kept(const Case& c) { EXPECT_EQ(read(to_text(c)), c) << to_text(c); }

  static std::vector<std::string> words() {
    std::istringstream stream(to_text(with_every_array<O>()));
    return {std::istream_iterator<std::string>(stream), {}};
  }

  /// The line of a small case with the word of `key` replaced is refused in such words.
  static void expect_refused(const std::string& key, const std::string& word, const std::string& says) {
    std::string line;
    for (const std::string& one : words()) line += (one.starts_with(key + "=") ? word : one) + " ";
    EXPECT_THAT([&] { read(line); }, ThrowsMessage<std::invalid_argument>(HasSubstr(says))) << line;
  }

  static void expect_no_number(const std::string& key, const std::vector<std::string>& values) {
    for (const std::string& value : values)
      expect_refused(key, key + "=" + value, key + "=" + value + ": expected a number");
  }
};

TYPED_TEST_SUITE(Text, Operations, OperationName);

TYPED_TEST(Text, IsOneReadableLine) {
  EXPECT_EQ(to_text(Samples<TypeParam>::small()), Samples<TypeParam>::line);
}

TYPED_TEST(Text, KeepsEveryOption) {
  for_each_row(TypeParam::problem(), [&]<class Row>(const Row& row) {
    auto c = with_every_array<TypeParam>();
    if constexpr (IsScalar<Row> || IsDtype<Row>) {
      using Value = std::remove_cvref_t<decltype(c.*row.in_case)>;
      std::vector<Value> values;
      if constexpr (IsDtype<Row>) {
        values = row.all;
      } else if constexpr (IsChoice<Row>) {
        for (std::size_t i = 0; i < row.values.size(); ++i) values.push_back(static_cast<Value>(i));
      } else if constexpr (std::is_same_v<Value, bool>) {
        values = {false, true};
      } else if constexpr (std::is_same_v<Value, double>) {
        values = {1.0 / 3, std::nextafter(1e-4, 1.0), 0x1p-1074, -0.0, std::numeric_limits<double>::infinity()};
      } else {
        values = {-7, std::numeric_limits<Value>::min(), std::numeric_limits<Value>::max()};
      }
      for (const Value value : values) {
        c.*row.in_case = value;
        this->expect_kept(c);
      }
    }
  });
}

TYPED_TEST(Text, KeepsEveryBitOfEveryKindOfNumberOfEachType) {
  for (const Dtype dtype : dtypes_of<TypeParam>()) {
    const double min = format_of(dtype).smallest, max = format_of(dtype).largest, u = format_of(dtype).roundoff;
    const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
    auto c = with_every_array<TypeParam>();
    c.dtype = dtype;
    for_each_row(TypeParam::problem(), [&]<class Row>(const Row& row) {
      if constexpr (IsArray<Row> && is_of_dtype<Row>) {
        using Image = typename TypeParam::Image;
        (c.*row.in_case).clear();
        for (const double value :
             {0.0, -0.0, 1 + 2 * u, u - 1, max, -max, min, 3 * min, nan, -nan, infinity, -infinity})
          (c.*row.in_case).push_back(static_cast<Image>(value));
      }
    });
    this->expect_kept(c);
  }
}

TYPED_TEST(Text, KeepsEveryBitOfGeneratedCases) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const auto c = generated<TypeParam>(seed);
    this->expect_kept(c);
    ASSERT_EQ(to_text(c).find_first_of("'\n"), std::string::npos) << "a shell would not take it as one word";
    ASSERT_FALSE(this->HasFailure());
  }
}

TYPED_TEST(Text, KeepsAnEmptyBatchAndArraysOfNoSizeOfTheProblem) {
  this->expect_kept(typename TypeParam::Case());
  auto c = with_every_array<TypeParam>();
  for_each_row(TypeParam::problem(), [&]<class Row>(const Row& row) {
    if constexpr (IsArray<Row>) (c.*row.in_case).pop_back();
  });
  this->expect_kept(c);
}

TYPED_TEST(Text, IsReadInAnyOrder) {
  std::string line;
  for (const std::string& word : this->words()) line = word + "  " + line;
  EXPECT_EQ(this->read(line), with_every_array<TypeParam>());
}

TYPED_TEST(Text, RefusesWordsThatAreNone) {
  for_each_row(TypeParam::problem(), [&]<class Row>(const Row& row) {
    if constexpr (IsScalar<Row> || IsArray<Row>) {
      const std::string key = row.name;
      this->expect_refused(key, "", "'" + key + "=' is missing");
      this->expect_refused(key, key, "'" + key + "': expected key=value");
      this->expect_refused(key, key + "=1 " + key + "=1", "'" + key + "' is given twice");
      this->expect_refused(key, key + "=1 un" + key + "=1", "'un" + key + "=' is not part of a case");
    }
  });
}

TYPED_TEST(Text, RefusesValuesThatAreNone) {
  typename TypeParam::Case c;
  for_each_row(TypeParam::problem(), [&]<class Row>(const Row& row) {
    if constexpr (IsDtype<Row>) {
      const std::string key = row.name, said = row.said_always ? "" : this->words()[0] + " ";
      this->expect_refused(row.said_always ? key : this->words()[0].substr(0, 1), said + key + "=half",
                           fmt::format("dtype=half: expected one of {}", fmt::join(dtype_names_of(row), ", ")));
    } else if constexpr (IsChoice<Row>) {
      this->expect_refused(row.name, row.name + std::string("=avg"),
                           fmt::format("{}=avg: expected one of {}", row.name, fmt::join(row.values, ", ")));
    } else if constexpr (IsScalar<Row>) {
      using Value = std::remove_cvref_t<decltype(c.*row.in_case)>;
      if constexpr (std::is_same_v<Value, bool>) {
        this->expect_refused(row.name, row.name + std::string("=2"), "=2: expected one of 0, 1");
      } else {
        this->expect_no_number(row.name, {"", "two", "2x"});
        if constexpr (std::is_same_v<Value, std::int64_t>)
          this->expect_no_number(row.name, {"0.5", "9223372036854775808"});
      }
    }
  });
}

TYPED_TEST(Text, RefusesElementsThatAreNone) {
  typename TypeParam::Case c;
  for_each_row(TypeParam::problem(), [&]<class Row>(const Row& row) {
    if constexpr (IsArray<Row>) {
      using Element = typename std::remove_cvref_t<decltype(c.*row.in_case)>::value_type;
      const std::string key = row.name;
      for (const char* hole : {"1,,1", "1,", ","}) this->expect_refused(key, key + "=" + hole, key + "=: expected a");
      this->expect_no_number(key, {"two", "1x"});
      if constexpr (std::is_same_v<Element, std::int64_t>) this->expect_no_number(key, {"0.5"});
      if constexpr (std::is_same_v<Element, float>) this->expect_no_number(key, {"1e39"});
      if constexpr (std::is_same_v<Element, double>) this->expect_no_number(key, {"1e999"});
    }
  });
}

TYPED_TEST(Text, RefusesElementsThatTheTypeHasNot) {
  for (const auto& [dtype, element] : {std::pair{Dtype::float16, "2049"}, {Dtype::bfloat16, "3.01"}}) {
    for_each_row(TypeParam::problem(), [&]<class Row>(const Row& row) {
      if constexpr (IsArray<Row> && is_of_dtype<Row>) {
        auto c = with_every_array<TypeParam>();
        c.dtype = dtype;
        std::string line = to_text(c);
        const std::string key = std::string(" ") + row.name + "=";
        line.insert(line.find(key) + key.size(), element + std::string(","));
        EXPECT_THAT([&] { this->read(line); }, ThrowsMessage<std::invalid_argument>(HasSubstr(fmt::format(
                                                   "{}: {} is not a number of {}", row.name, element, name_of(dtype)))))
            << line;
      }
    });
  }
}

}  // namespace
}  // namespace assay::validation
