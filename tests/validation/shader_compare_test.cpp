// The comparison of arrays: a planted difference of each kind is noticed, where it is and by how much.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "metal/emulator/emulator_device.h"
#include "tests/matchers.h"
#include "tests/refusal.h"
#include "tests/validation/npz_files.h"
#include "validation/shader/compare.h"
#include "validation/shader/run.h"

namespace assay::validation {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity(),
                largest = std::numeric_limits<float>::max();

template <class T>
ShaderArray array(const std::string& scalar, const std::vector<T>& values, std::vector<std::int64_t> shape = {}) {
  if (shape.empty()) shape = {static_cast<std::int64_t>(values.size())};
  const auto bytes = std::as_bytes(std::span(values));
  return {scalar, shape, std::vector<std::byte>(bytes.begin(), bytes.end())};
}

ArrayComparison floats(const std::vector<float>& left, const std::vector<float>& right, std::uint64_t allowed = 0) {
  return compare_arrays("x", array("float", left), array("float", right), allowed);
}

template <class T>
std::uint64_t distance(const std::string& scalar, T left, T right) {
  const auto result = compare_arrays("x", array<T>(scalar, {left}), array<T>(scalar, {right}), 0);
  return result.worst ? result.worst->ulps : 0;
}

TEST(Compare, FindsOneWrongElementOfAMillionWhereverItIs) {
  std::vector<float> left(1'000'000, 1.0F);
  for (const std::size_t at : {std::size_t{0}, std::size_t{499'999}, left.size() - 1}) {
    std::vector<float> right = left;
    right[at] = std::nextafter(1.0F, 2.0F);
    const ArrayComparison result = floats(left, right);
    EXPECT_FALSE(result.passed());
    EXPECT_EQ(result.different, 1U);
    ASSERT_TRUE(result.worst.has_value());
    EXPECT_EQ(result.worst->index, at);
    EXPECT_EQ(result.worst->ulps, 1U);
    EXPECT_TRUE(floats(left, right, 1).passed());
  }
}

TEST(Compare, TakesNoNumberForNaNOrInfinityHoweverMuchIsAllowed) {
  for (const auto& [left, right] : std::vector<std::pair<float, float>>{
           {nan, 1}, {1, nan}, {infinity, 1}, {largest, infinity}, {infinity, -infinity}, {nan, infinity}, {-nan, 0}}) {
    const ArrayComparison result = floats({0, left}, {0, right}, infinite_ulps);
    EXPECT_FALSE(result.passed()) << left << " " << right;
    EXPECT_EQ(result.worst->ulps, infinite_ulps);
  }
}

TEST(Compare, TakesNaNForNaNAndSaysHowMany) {
  const float other = std::bit_cast<float>(0xFFC12345U);
  const ArrayComparison result = floats({nan, infinity, nan}, {other, infinity, 1});
  EXPECT_EQ(result.both_nan, 1U);
  EXPECT_EQ(result.different, 1U);
  EXPECT_EQ(floats({nan, infinity, -infinity}, {other, infinity, -infinity}).different, 0U);
}

TEST(Compare, CountsStepsBetweenNumbersOfEveryType) {
  EXPECT_EQ(distance<float>("float", 1, 1), 0U);
  EXPECT_EQ(distance<float>("float", -0.0F, 0.0F), 1U);
  EXPECT_EQ(distance<float>("float", std::numeric_limits<float>::denorm_min(), -0.0F), 2U);
  EXPECT_EQ(distance<float>("float", 1, -1), 2U * 0x3f800000U + 1);
  EXPECT_EQ(distance<std::uint16_t>("half", 0x3c00, 0x3c02), 2U);
  EXPECT_EQ(distance<std::uint16_t>("half", 0x7c00, 0x7bff), infinite_ulps);
  EXPECT_EQ(distance<std::uint16_t>("bfloat", 0x7c00, 0x7bff), 1U);
  EXPECT_EQ(distance<std::uint16_t>("bfloat", 0x7f81, 0x3f80), infinite_ulps);
  EXPECT_EQ(distance<std::int8_t>("char", -128, 127), 255U);
  EXPECT_EQ(distance<std::uint8_t>("bool", 0, 1), 1U);
  EXPECT_EQ(distance<std::uint32_t>("uint", 0, 0xFFFFFFFF), 0xFFFFFFFFU);
  EXPECT_EQ(distance<std::int64_t>("long", std::numeric_limits<std::int64_t>::min(),
                                   std::numeric_limits<std::int64_t>::max()),
            infinite_ulps);
  EXPECT_EQ(distance<std::uint64_t>("ulong", 1, 0xFFFFFFFFFFFFFFF0U), 0xFFFFFFFFFFFFFFEFU);
}

TEST(Compare, SaysWhereAndByHowMuch) {
  const ShaderArray left = array<float>("float", {1, 2, 3, 4, 5, nan}, {2, 3}),
                    right = array<float>("float", {1, std::nextafter(2.0F, 3.0F), 3, 4, 5.5F, nan}, {2, 3});
  EXPECT_EQ(to_string(compare_arrays("out", left, right, 1), "gpu", "emulator"),
            "out (float32 [2, 3]): 2 of 6 elements differ, 1 by more than 1 ULP; 1 are NaN in both\n"
            "  first at [0, 1]: 1 ULP apart\n"
            "    2 (0x1p+1)  gpu\n"
            "    2.0000002 (0x1.000002p+1)  emulator\n"
            "  worst at [1, 1]: 1048576 ULP apart\n"
            "    5 (0x1.4p+2)  gpu\n"
            "    5.5 (0x1.6p+2)  emulator\n");
  EXPECT_EQ(to_string(compare_arrays("out", left, left, 0), "gpu", "emulator"),
            "out (float32 [2, 3]): all of 6 elements are equal; 1 are NaN in both\n");
  EXPECT_THAT(to_string(floats({nan}, {1}), "gpu", "emulator"), HasSubstr("first at [0]: no number of ULP apart\n"));
}

TEST(Compare, RefusesArraysOfOtherTypesAndShapes) {
  const ShaderArray left = array<float>("float", {1, 2});
  EXPECT_EQ(refusal_of<std::exception>([&] { compare_arrays("x", left, array<float>("float", {1, 2}, {1, 2}), 0); }),
            "x is float32 [1, 2]: expected float32 [2]");
  EXPECT_EQ(refusal_of<std::exception>([&] { compare_arrays("x", left, array<std::uint32_t>("uint", {1, 2}), 0); }),
            "x is uint32 [2]: expected float32 [2]");
}

/// Two devices that compute alike but for what a macro plants.
class TwoDevices : public testing::Test {
 protected:
  TwoDevices() : path_(testing::TempDir() + fmt::format("assay-two-devices-{}.metal", getpid())) {
    std::ofstream(path_) << "#include <metal_stdlib>\nusing namespace metal;\n"
                            "kernel void k(device float* y, uint i [[thread_position_in_grid]]) {\n"
                            "  y[i] = float(i) / 7;\n"
                            "#ifdef PLANTED\n  if (i == 5) y[i] = PLANTED;\n#endif\n}\n";
  }
  ~TwoDevices() override { std::filesystem::remove(path_); }

  ArrayComparison compared(const std::string& planted) const {
    ShaderScript script;
    script.source = path_;
    script.arrays["y"] = "unset:8";
    script.passes = {{.function = "k", .buffers = {{0, {"y"}}}, .grid = {8, 1, 1}, .group = {8, 1, 1}}};
    metal::emulator::EmulatorOptions faulty;
    if (!planted.empty()) faulty.language.macros["PLANTED"] = planted;
    metal::emulator::EmulatorDevice left, right(faulty);
    return compare_arrays("y", run_shader(left, script).arrays.at("y"), run_shader(right, script).arrays.at("y"), 4);
  }

  std::filesystem::path path_;
};

TEST_F(TwoDevices, AreToldApartByOneElement) {
  EXPECT_EQ(compared("").different, 0U);
  EXPECT_TRUE(compared("as_type<float>(as_type<uint>(y[i]) + 4)").passed());
  for (const std::string planted : {"NAN", "INFINITY", "as_type<float>(as_type<uint>(y[i]) + 5)", "-y[i]"}) {
    const ArrayComparison result = compared(planted);
    EXPECT_FALSE(result.passed()) << planted;
    EXPECT_EQ(result.different, 1U) << planted;
    EXPECT_EQ(result.first->index, 5U) << planted;
  }
}

}  // namespace
}  // namespace assay::validation
