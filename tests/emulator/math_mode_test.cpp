// Kernels under the roundings that Metal's compiler may choose: each fails in the modes in which it may, and in no
// other.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <memory>

#include "metal/emulator/emulator_device.h"
#include "tests/emulator/bench.h"
#include "tests/matchers.h"

namespace assay::metal::emulator::test {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
constexpr std::array all_modes = {MathMode::ieee, MathMode::safe, MathMode::relaxed, MathMode::fast};

struct ArithmeticKernels {
  explicit ArithmeticKernels(MathMode mode, std::uint64_t seed = 1, const char* file = "arithmetic.metal")
      : device(options(mode, seed)) {
    library = or_throw(device.new_library_from_file(fmt::format("{}/{}", ASSAY_TEST_SHADERS, file)));
  }

  static EmulatorOptions options(MathMode mode, std::uint64_t seed) {
    EmulatorOptions options;
    options.math_mode = mode;
    options.seed = seed;
    return options;
  }

  /// `each` results of a thread for each four values of x.
  std::vector<float> run(const std::string& kernel, std::vector<float> x, std::size_t each = 1) {
    const auto pipeline = or_throw(device.new_pipeline(or_throw(library->new_function(kernel))));
    const auto in = or_throw(device.new_buffer(std::as_bytes(std::span(x)), "x"));
    const auto out = or_throw(device.new_buffer(x.size() / 4 * each * sizeof(float), "y"));
    const auto commands = device.new_command_queue()->command_buffer();
    const auto encoder = or_throw(commands->compute_encoder());
    encoder->set_pipeline(pipeline);
    encoder->set_buffer(in, 0, 0);
    encoder->set_buffer(out, 0, 1);
    encoder->dispatch_threads({x.size() / 4}, {x.size() / 4});
    EXPECT_TRUE(encoder->end_encoding() && commands->commit() && commands->wait_until_completed()) << kernel;
    EXPECT_EQ(kinds(device.reports()), "") << kernel;
    const auto* const y = reinterpret_cast<const float*>(out->contents());
    return {y, y + x.size() / 4 * each};
  }

  EmulatorDevice device;
  std::shared_ptr<Library> library;
};

/// With seed 1. Compiled once.
ArithmeticKernels& kernels_in(MathMode mode) {
  static std::map<MathMode, std::unique_ptr<ArithmeticKernels>> all;
  std::unique_ptr<ArithmeticKernels>& kernels = all[mode];
  if (!kernels) kernels = std::make_unique<ArithmeticKernels>(mode);
  return *kernels;
}

/// The first result in each mode.
std::vector<float> in_all_modes(const std::string& kernel, const std::vector<float>& x) {
  std::vector<float> results;
  for (const MathMode mode : all_modes) results.push_back(kernels_in(mode).run(kernel, x).at(0));
  return results;
}

using testing::IsNan;

TEST(MathModes, TanhOfLargeNumbersIsNanAsTheFastFunction) {
  const std::vector<float> large = {50, 0, 0, 0};
  EXPECT_THAT(in_all_modes("tanh_of_x", large), ElementsAre(1, testing::FloatNear(1, 6e-7F), IsNan(), IsNan()));
  EXPECT_THAT(in_all_modes("tanh_of_half", large), ElementsAre(1, 1, 1, 1));
}

TEST(MathModes, ExpOfMinusInfinityIsZeroExceptInFastMode) {
  EXPECT_THAT(in_all_modes("exp_of_minus_x", {infinity, 0, 0, 0}),
              ElementsAre(0.0F, 0.0F, 0.0F, testing::AnyOf(IsNan(), Ne(0.0F))));
}

TEST(MathModes, ContractionMakesADifferenceOfEqualProducts) {
  const std::vector<float> x = {1.1F, 1.3F, 1.3F, 1.1F};
  EXPECT_THAT(in_all_modes("difference", x), ElementsAre(0, 0, Ne(0), Ne(0)));
  EXPECT_THAT(in_all_modes("difference_in_one_statement", x), ElementsAre(0, Ne(0), Ne(0), Ne(0)));
  EXPECT_THAT(in_all_modes("uncontracted_difference", x), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(in_all_modes("difference_in_safe_section", x), ElementsAre(0, 0, 0, 0));
}

TEST(MathModes, AFileThatAsksForSafeArithmeticHasItInFastMode) {
  ArithmeticKernels kernels(MathMode::fast, 1, "safe_arithmetic.metal");
  EXPECT_EQ(kernels.run("infinite_argument", {infinity, 0, 0, 0}).at(0), 1);
  EXPECT_EQ(kernels.run("largest_of_infinities", {-infinity, -infinity, 0, 0}).at(0), -infinity);
  EXPECT_EQ(kernels.run("difference_of_vectors", {1.1F, 1.3F, 1.3F, 1.1F}).at(0), 0);
}

TEST(MathModes, ReassociationLosesACompensation) {
  EXPECT_THAT(in_all_modes("lost_part_of_sum", {0x1p24F, 1.25F, 0, 0}), ElementsAre(0.75F, 0.75F, 0, 0));
}

TEST(MathModes, FastModeHasNoNan) {
  EXPECT_THAT(in_all_modes("is_nan", {nan, 0, 0, 0}), ElementsAre(1, 1, 1, 0));
}

TEST(MathModes, SubnormalsMayBeFlushed) {
  EXPECT_THAT(in_all_modes("half_of_x", {0x1p-126F, 0, 0, 0}), ElementsAre(0x1p-127F, 0, 0, 0));
}

/// 1000 numbers from 0.1 to 3.1, each where a thread reads it first.
std::vector<float> samples() {
  std::vector<float> x(4000, 3);
  for (std::size_t n = 0; n < 1000; ++n) x[4 * n] = 0.1F + 0.003F * static_cast<float>(n);
  return x;
}

double ulp_of(double x) {
  return std::ldexp(1.0, std::max(std::ilogb(x), -126) - 23);
}

/// The largest error, in units in the last place.
double worst(const std::vector<float>& results, const std::function<double(double)>& exactly, std::size_t first = 0,
             std::size_t step = 1) {
  const std::vector<float> x = samples();
  double worst = 0;
  for (std::size_t n = 0; n < x.size() / 4; ++n) {
    const double exact = exactly(x[4 * n]);
    worst = std::max(worst, std::fabs(double{results[first + step * n]} - exact) / ulp_of(exact));
  }
  return worst;
}

TEST(MathModes, DivisionIsInexactExceptInSafeMode) {
  const auto error_in = [](MathMode mode, const char* kernel) {
    return worst(kernels_in(mode).run(kernel, samples()), [](double x) { return x / 3; });
  };
  EXPECT_LE(error_in(MathMode::safe, "quotient"), 0.5);
  for (const MathMode mode : {MathMode::relaxed, MathMode::fast}) {
    EXPECT_LE(error_in(mode, "quotient"), 2.5);
    EXPECT_GT(error_in(mode, "quotient"), 2);
    EXPECT_LE(error_in(mode, "quotient_in_safe_section"), 0.5);
  }
}

struct StatedError {
  const char* function;
  double precise, fast;  ///< in units in the last place, for arguments up to 3.1
  double (*exactly)(double);
};

/// 3 + floor(2 * 3.1) units for exp. Those of compositions follow from their parts, and are not stated.
constexpr double composed = std::numeric_limits<double>::infinity();
const std::vector<StatedError> stated_errors = {
    {"exp", 4, 9, [](double x) { return std::exp(x); }},
    {"exp2", 4, 9, [](double x) { return std::exp2(x); }},
    {"log", 4, composed, [](double x) { return std::log(x); }},
    {"log2", 4, composed, [](double x) { return std::log2(x); }},
    {"sin", 4, composed, [](double x) { return std::sin(x); }},
    {"cos", 4, composed, [](double x) { return std::cos(x); }},
    {"rsqrt", 0.5, 2, [](double x) { return 1 / std::sqrt(x); }},
    {"sqrt", 0.5, 4.5, [](double x) { return std::sqrt(x); }},
    {"tanh", 5, composed, [](double x) { return std::tanh(x); }},
    {"pow", 16, composed, [](double x) { return std::pow(x, 1.5); }},
    {"atan2", 6, composed, [](double x) { return std::atan2(x, 2.0); }},
    {"divide", 0.5, 2.5, [](double x) { return x / 3; }},
};

TEST(MathModes, FunctionsAreAtTheEdgeOfTheirStatedErrors) {
  for (const MathMode mode : {MathMode::safe, MathMode::relaxed, MathMode::fast}) {
    const std::size_t each = 2 * stated_errors.size();
    const auto results = kernels_in(mode).run("functions", samples(), each);
    for (std::size_t n = 0; n < stated_errors.size(); ++n) {
      const auto& [function, precise, fast, exactly] = stated_errors[n];
      const double precise_error = worst(results, exactly, 2 * n, each),
                   fast_error = worst(results, exactly, 2 * n + 1, each);
      EXPECT_LE(precise_error, precise) << function;
      EXPECT_GT(precise_error, 0.6 * precise) << function;
      EXPECT_LE(fast_error, fast) << function;
      EXPECT_GT(fast_error, 0.7 * (fast == composed ? precise : fast)) << function;
    }
  }
}

TEST(MathModes, SinesHaveTheStatedAbsoluteError) {
  const auto results = kernels_in(MathMode::fast).run("functions", samples(), 24);
  double worst = 0;
  for (std::size_t n = 0; n < 1000; ++n)
    worst = std::max(worst, std::fabs(results[24 * n + 9] - std::sin(double{samples()[4 * n]})));
  EXPECT_LE(worst, 0x1p-13);
  EXPECT_GT(worst, 0x1p-14);
}

TEST(MathModes, AnExactZeroKeepsItsSign) {
  const auto results = kernels_in(MathMode::safe).run("functions", {-0.0F, 0, 0, 0}, 2 * stated_errors.size());
  for (const std::size_t n : {4U, 7U, 8U, 10U, 11U})  // sin, sqrt, tanh, atan2, divide
    EXPECT_TRUE(std::signbit(results[2 * n])) << stated_errors[n].function;
}

TEST(MathModes, ASeedHasItsOwnRoundings) {
  const auto results = kernels_in(MathMode::fast).run("exp_of_minus_x", samples());
  EXPECT_EQ(results, ArithmeticKernels(MathMode::fast, 1).run("exp_of_minus_x", samples()));
  EXPECT_NE(results, ArithmeticKernels(MathMode::fast, 2).run("exp_of_minus_x", samples()));
}

}  // namespace
}  // namespace assay::metal::emulator::test
