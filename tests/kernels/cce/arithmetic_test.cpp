// exp, exp - 1, ln, tanh and 1 - tanh^2 as the kernels of cross-entropy have them, against long double: errors in units
// of 2^-24 of the result. metal/kernels/cce/README.md rests on these figures.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <random>
#include <span>
#include <vector>

#include "metal/device/or_throw.h"
#include "metal/emulator/emulator_device.h"

namespace assay::metal::test {
namespace {

struct Two {
  float first, second;
};

/// `expression`: of float2 x, a float2.
std::vector<Two> run(const char* expression, const std::vector<Two>& in) {
  emulator::EmulatorOptions options;
  options.is_checked = false;
  emulator::EmulatorDevice device(options);
  const auto library = or_throw(device.new_library(fmt::format(
      "#include <metal_stdlib>\n#include \"{}/cce/exponential.h\"\nusing namespace assay; using namespace assay::cce;\n"
      "kernel void f(device const float2* in [[buffer(0)]], device float2* out [[buffer(1)]],\n"
      "              uint i [[thread_position_in_grid]]) {{ const float2 x = in[i]; out[i] = {}; }}\n",
      ASSAY_KERNELS, expression)));
  const auto pipeline = or_throw(device.new_pipeline(or_throw(library->new_function("f"))));
  const auto input = or_throw(device.new_buffer(std::as_bytes(std::span(in)), "in"));
  const auto output = or_throw(device.new_buffer(in.size() * sizeof(Two), "out"));
  const auto commands = device.new_command_queue()->command_buffer();
  const auto encoder = or_throw(commands->compute_encoder());
  encoder->set_pipeline(pipeline);
  encoder->set_buffer(input, 0, 0);
  encoder->set_buffer(output, 0, 1);
  encoder->dispatch_threads({in.size()}, {32});
  or_throw(encoder->end_encoding());
  or_throw(commands->commit());
  or_throw(commands->wait_until_completed());
  std::vector<Two> out(in.size());
  std::memcpy(out.data(), output->contents(), in.size() * sizeof(Two));
  return out;
}

/// Pairs: numbers of all sizes between 2^from and 2^to, of either sign where `is_signed`, each with a rest below its
/// last digit.
std::vector<Two> samples(int from, int to, bool is_signed) {
  std::mt19937_64 bits(3);
  std::uniform_real_distribution<double> exponent(from, to), rest(-0x1p-25, 0x1p-25);
  std::vector<Two> values;
  for (int i = 0; i < 100'000; ++i) {
    const auto size = static_cast<float>(std::exp2(exponent(bits)));
    const float value = is_signed && bits() % 2 == 0 ? -size : size;
    values.push_back({value, static_cast<float>(double{size} * rest(bits))});
  }
  return values;
}

using Exact = std::function<long double(long double, long double)>;

/// The largest error of first + second, in units of 2^-24 of the exact value.
double worst_of(const char* expression, const std::vector<Two>& in, const Exact& exact) {
  const std::vector<Two> out = run(expression, in);
  double worst = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const long double value = exact(in[i].first, in[i].second);
    const long double got = static_cast<long double>(out[i].first) + static_cast<long double>(out[i].second);
    const auto error = static_cast<double>(std::fabs(got - value) / std::fabs(value) * 0x1p24L);
    worst = error <= worst ? worst : error;
  }
  testing::Test::RecordProperty(expression, fmt::format("{:.3f}", worst));
  return worst;
}

TEST(CceArithmetic, OfExp) {
  const auto exp = [](long double high, long double low) { return std::exp(high + low); };
  EXPECT_LE(worst_of("float2(exponential(Pair{x.x, x.y}), 0.0f)", samples(-30, 6, true), exp), 2.0);
}

TEST(CceArithmetic, OfExpLessOne) {
  const auto exact = [](long double high, long double low) { return std::expm1(high + low); };
  EXPECT_LE(worst_of("float2(exponential_less_one(Pair{x.x, x.y}), 0.0f)", samples(-60, 6, true), exact), 5.0);
}

/// Of a sum that is near 1 as well.
TEST(CceArithmetic, OfLn) {
  const auto ln = [](long double high, long double low) { return std::log(high + low); };
  const auto ln1p = [](long double ratio, long double) { return std::log1p(ratio); };
  const char* const pair = "float2(logarithm(Pair{x.x, x.y}).high, logarithm(Pair{x.x, x.y}).low)";
  EXPECT_LE(worst_of(pair, samples(-100, 100, false), ln), 2.0);
  EXPECT_LE(worst_of("float2(logarithm(two_sum(1.0f, x.x)).high, 0.0f)", samples(-100, 0, false), ln1p), 4.0);
}

TEST(CceArithmetic, OfTanhAndItsSlope) {
  const auto tanh = [](long double y, long double) { return std::tanh(y); };
  const auto slope = [](long double y, long double) { return 1 / (std::cosh(y) * std::cosh(y)); };
  EXPECT_LE(worst_of("float2(hyperbolic(x.x).tanh, 0.0f)", samples(-60, 5, true), tanh), 5.0);
  EXPECT_LE(worst_of("float2(hyperbolic(x.x).slope, 0.0f)", samples(-60, 5, true), slope), 6.0);
}

TEST(CceArithmetic, EndsWhereFloatDoes) {
  const float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<Two> in = {{-infinity, 0}, {-1e6F, 0}, {1e6F, 0}, {nan, 0}};
  const std::vector<Two> exp = run("float2(exponential(Pair{x.x, x.y}), hyperbolic(x.x).tanh)", in);
  EXPECT_EQ(exp[0].first, 0.0F);
  EXPECT_EQ(exp[1].first, 0.0F);
  EXPECT_EQ(exp[2].first, infinity);
  EXPECT_TRUE(std::isnan(exp[3].first));
  EXPECT_EQ(exp[0].second, -1.0F);
  EXPECT_EQ(exp[2].second, 1.0F);
  EXPECT_TRUE(std::isnan(exp[3].second));
}

}  // namespace
}  // namespace assay::metal::test
