// Cases as .npz files: what was written reads back bit for bit, and what is no batch is not written.
#include "validation/core/npz.h"

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "tests/matchers.h"
#include "tests/refusal.h"
#include "tests/validation/npz_files.h"
#include "tests/validation/operations/operations.h"

namespace assay::validation {
namespace {

template <class O>
class Npz : public testing::Test {
 public:
  static void expect_kept(const typename O::Case& c) {
    const ScratchFile file;
    write_npz(file.path(), c);
    std::vector<std::string> notes;
    EXPECT_EQ(O::read(file.path(), notes), c) << to_text(c);
    EXPECT_THAT(notes, IsEmpty());
  }
};
TYPED_TEST_SUITE(Npz, Operations, OperationName);

TYPED_TEST(Npz, KeepsEveryOption) {
  for_each_row(TypeParam::problem(), [&]<class Row>(const Row& row) {
    auto c = with_every_array<TypeParam>();
    if constexpr (IsDtype<Row>) {
      for (const Dtype dtype : row.all) {
        c.dtype = dtype;
        this->expect_kept(c);
      }
    } else if constexpr (IsOption<Row>) {
      using Value = std::remove_cvref_t<decltype(c.*row.in_case)>;
      std::vector<Value> values = {std::numeric_limits<Value>::lowest(), std::numeric_limits<Value>::max()};
      if constexpr (std::is_same_v<Value, double>)
        values = {0.1, 0x1p-1074, -0.0, -3, std::numeric_limits<double>::infinity()};
      for (const Value value : values) {
        c.*row.in_case = value;
        this->expect_kept(c);
      }
    }
  });
}

TYPED_TEST(Npz, KeepsEveryBitOfEveryKindOfNumberOfEachType) {
  for (const Dtype dtype : dtypes_of<TypeParam>()) {
    const double min = format_of(dtype).smallest, max = format_of(dtype).largest, u = format_of(dtype).roundoff;
    const double infinity = std::numeric_limits<double>::infinity();
    for (const double value :
         {-0.0, 1 + 2 * u, max, -min, 3 * min, infinity, -std::numeric_limits<double>::quiet_NaN()}) {
      auto c = with_every_array<TypeParam>();
      c.dtype = dtype;
      for_each_row(TypeParam::problem(), [&]<class Row>(const Row& row) {
        if constexpr (IsArray<Row> && is_of_dtype<Row>)
          (c.*row.in_case).back() = static_cast<typename TypeParam::Image>(value);
      });
      this->expect_kept(c);
    }
  }
}

TYPED_TEST(Npz, KeepsIndicesAndLengthsThatAreNone) {
  for_each_row(TypeParam::problem(), [&]<class Row>(const Row& row) {
    if constexpr (IsArray<Row> && !is_of_dtype<Row>) {
      using Element = typename std::remove_cvref_t<decltype(typename TypeParam::Case().*row.in_case)>::value_type;
      for (const Element value : {std::numeric_limits<Element>::lowest(), std::numeric_limits<Element>::max()}) {
        auto c = with_every_array<TypeParam>();
        (c.*row.in_case).back() = value;
        this->expect_kept(c);
      }
    }
  });
}

TYPED_TEST(Npz, KeepsAnExtentOfNothingWhereThatMayBe) {
  for_each_row(TypeParam::problem(), [&]<class Extent>(const Extent& extent) {
    if constexpr (IsExtent<Extent>) {
      auto c = with_every_array<TypeParam>();
      c.*extent.in_case = 0;
      for_each_row(TypeParam::problem(), [&]<class Row>(const Row& row) {
        if constexpr (IsArray<Row>) (c.*row.in_case).resize(elements_due<TypeParam>(row, c), 1);
      });
      const std::string refusal = refusal_of<std::exception>([&] { this->expect_kept(c); });
      EXPECT_TRUE(refusal == "accepted" || refusal.ends_with(" = 0: expected at least 1")) << refusal;
    }
  });
}

TYPED_TEST(Npz, KeepsGeneratedCases) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    this->expect_kept(generated<TypeParam>(seed));
    ASSERT_FALSE(this->HasFailure()) << "seed " << seed;
  }
}

TYPED_TEST(Npz, WritesNoBatchWhoseSizesDisagree) {
  for_each_row(TypeParam::problem(), [&]<class Row>(const Row& row) {
    if constexpr (IsArray<Row>) {
      const ScratchFile file;
      auto c = with_every_array<TypeParam>();
      (c.*row.in_case).push_back(1);
      EXPECT_THAT(refusal_of<std::exception>([&] { write_npz(file.path(), c); }),
                  testing::HasSubstr("bytes of elements, found "))
          << row.name;
      EXPECT_FALSE(std::filesystem::exists(file.path()));
    }
  });
  EXPECT_NE(refusal_of<std::exception>([] { write_npz("/no/such/folder/batch.npz", Samples<TypeParam>::small()); }),
            "accepted");
}

TYPED_TEST(Npz, OfEqualBatchesAreEqual) {
  const ScratchFile file;
  write_npz(file.path(), with_every_array<TypeParam>());
  const std::string first = file.bytes();
  write_npz(file.path(), with_every_array<TypeParam>());
  EXPECT_EQ(file.bytes(), first);
  EXPECT_EQ(first.substr(10, 4), std::string("\0\0\x21\0", 4)) << "of the year 1980, whenever it was written";
}

TYPED_TEST(Npz, ThatIsNotThereIsNamed) {
  EXPECT_TRUE(refusal_of<std::exception>([] { TypeParam::read("nowhere.npz"); }).starts_with("nowhere.npz: "));
}

}  // namespace
}  // namespace assay::validation
