// Buffers from words: every type of Metal, vectors and their padding, files, and what has no meaning.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "metal/cpu/half.h"
#include "tests/refusal.h"
#include "validation/core/random.h"
#include "validation/shader/contents.h"
#include "validation/shader/scalar.h"

namespace assay::validation {
namespace {

metal::Argument argument(const std::string& type, std::uint64_t size) {
  metal::Argument argument;
  argument.name = "x", argument.type = "device " + type + "*", argument.index = 3;
  argument.element_type = type, argument.element_size = size;
  return argument;
}

template <class T>
std::vector<T> elements(const std::string& type, std::uint64_t size, const std::string& words) {
  const ShaderArray contents = buffer_contents(argument(type, size), "--buffer 3", words, 1);
  std::vector<T> values(contents.length() / sizeof(T));
  if (contents.fill) return contents.fill(std::as_writable_bytes(std::span(values))), values;
  EXPECT_EQ(contents.bytes->size(), contents.length());
  std::memcpy(values.data(), contents.bytes->data(), contents.length());
  return values;
}

TEST(Contents, AreNumbersOfTheArgumentsType) {
  EXPECT_EQ(elements<float>("float", 4, "1,-2.5,1e3"), (std::vector<float>{1.0F, -2.5F, 1000.0F}));
  EXPECT_EQ(elements<std::uint32_t>("uint", 4, "4294967295"), (std::vector<std::uint32_t>{4294967295U}));
  EXPECT_EQ(elements<std::uint32_t>("uint", 4, "4e9,2.0"), (std::vector<std::uint32_t>{4000000000U, 2U}));
  EXPECT_EQ(elements<std::uint64_t>("ulong", 8, "18446744073709551615"),
            (std::vector<std::uint64_t>{~std::uint64_t{0}}));
  EXPECT_EQ(elements<std::int8_t>("char", 1, "-128,127"), (std::vector<std::int8_t>{-128, 127}));
  EXPECT_EQ(elements<std::uint8_t>("bool", 1, "true,0"), (std::vector<std::uint8_t>{1, 0}));
  EXPECT_EQ(elements<std::uint16_t>("half", 2, "1,65504"), (std::vector<std::uint16_t>{0x3c00, 0x7bff}));
  EXPECT_EQ(elements<std::uint16_t>("bfloat", 2, "1"), (std::vector<std::uint16_t>{0x3f80}));
}

TEST(Contents, PadVectorsOfThreeUnlessTheyArePacked) {
  EXPECT_EQ(elements<float>("float3", 16, "1,2,3,4,5,6"), (std::vector<float>{1, 2, 3, 0, 4, 5, 6, 0}));
  EXPECT_EQ(elements<float>("packed_float3", 12, "1,2,3"), (std::vector<float>{1, 2, 3}));
  EXPECT_THROW(elements<float>("float2", 8, "1,2,3"), std::invalid_argument);
}

TEST(Contents, OfRandomNumbersAreNormalAndTheSameForASeed) {
  const auto once = elements<float>("float", 4, "random:10000"), twice = elements<float>("float", 4, "random:10000");
  EXPECT_EQ(once, twice);
  double sum = 0.0, squares = 0.0;
  for (const float x : once) sum += x, squares += double{x} * x;
  EXPECT_NEAR(sum / 1e4, 0.0, 0.05);
  EXPECT_NEAR(squares / 1e4, 1.0, 0.05);
  for (const auto x : elements<std::int32_t>("int", 4, "random:100")) EXPECT_TRUE(x >= 0 && x <= 127) << x;
}

/// Threads make 65536 of them at a time.
TEST(Contents, OfRandomNumbersAreThoseOfOneSequence) {
  const auto made = elements<float>("float", 4, "random:150000");
  const auto integers = elements<std::int32_t>("int", 4, "random:150000");
  Random random(1 + argument("float", 4).index);
  Random of_integers = random;
  for (std::size_t n = 0; n < made.size(); ++n) {
    ASSERT_EQ(made[n], static_cast<float>(random.gaussian())) << n;
    ASSERT_EQ(integers[n], of_integers.integer(0, 127)) << n;
  }
}

TEST(Contents, MayBeZeroOrUnset) {
  EXPECT_EQ(elements<float>("float", 4, "zero:2"), (std::vector<float>{0, 0}));
  const ShaderArray unset = buffer_contents(argument("MyStruct", 24), "--buffer 3", "unset:5", 1);
  EXPECT_EQ(unset.length(), 120U);
  EXPECT_FALSE(unset.is_written());
}

std::string summary(const std::string& type, std::uint64_t size, const std::string& words) {
  return buffer_contents(argument(type, size), "--buffer 3", words, 1).summary();
}

TEST(Contents, HaveTheShapeThatIsAskedForAndTheArgumentsType) {
  EXPECT_EQ(summary("float", 4, "unset:8x3"), "float32 [8, 3]");
  EXPECT_EQ(summary("half4", 8, "zero:8"), "float16 [8, 4]");
  EXPECT_EQ(summary("float3", 16, "random:5"), "float32 [5, 4]");
  EXPECT_EQ(summary("packed_float3", 12, "1,2,3,4,5,6"), "float32 [2, 3]");
  EXPECT_EQ(summary("atomic_uint", 4, "7"), "uint32 [1]");
  EXPECT_EQ(summary("atomic<int>", 4, "zero:2x2"), "int32 [2, 2]");
  EXPECT_EQ(summary("MyStruct", 24, "unset:5"), "uint8 [5, 24]");
  EXPECT_EQ(summary("void", 0, "unset:5"), "uint8 [5]");
}

TEST(Contents, MayStateTheTypeThatTheArgumentDoesNot) {
  EXPECT_EQ(summary("char", 1, "unset:2x5:bfloat16"), "bfloat16 [2, 5]");
  EXPECT_EQ(buffer_contents(argument("char", 1), "--buffer 3", "random:10:float32", 1).length(), 40U);
}

TEST(Contents, RefuseWhatHasNoMeaningAndNameIt) {
  for (const std::string words :
       {"", "1.5", "-1", "4294967296", "5e9", "inf", "1,,2", "1,", ",", "nan", "zero:", "zero:-1", "zero:1x",
        "zero:2xx2", "zero:x", "zero:2:float", "zero:2:float64", "zero:99999999999x99999999999", "what:1"})
    EXPECT_THAT(refusal_of([&] { buffer_contents(argument("uint", 4), "--buffer 3", words, 1); }),
                testing::HasSubstr("--buffer 3=" + words + " (device uint* x): "));
  for (const std::string words : {"random:5", "1,2"})
    EXPECT_THROW(buffer_contents(argument("MyStruct", 24), "--buffer 3", words, 1), std::invalid_argument) << words;
}

}  // namespace
}  // namespace assay::validation
