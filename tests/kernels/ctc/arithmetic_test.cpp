// exp and ln as the kernels have them, against long double, wherever the domain of the kernels reaches.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <stdexcept>
#include <vector>

#include "metal/emulator/emulator_device.h"
#include "metal/kernels/ctc/interface.h"
#include "validation/core/random.h"

namespace assay::metal::test {
namespace {

template <class T>
T given(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().text);
  return std::move(*result);
}

constexpr const char* kernels = R"(
kernel void exponentials(device const float2* x [[buffer(0)]], device assay::ctc::Scaled* y [[buffer(1)]],
                         uint i [[thread_position_in_grid]]) {
  y[i] = assay::ctc::exponential(x[i].x, x[i].y);
}
kernel void exponentials_below(device const float2* x [[buffer(0)]], device float2* y [[buffer(1)]],
                               uint i [[thread_position_in_grid]]) {
  y[i] = float2(assay::ctc::exponential_below(x[i].x, x[i].y), 0.0f);
}
kernel void logarithms(device const assay::ctc::Scaled* x [[buffer(0)]], device float2* y [[buffer(1)]],
                       uint i [[thread_position_in_grid]]) {
  const assay::Pair pair = assay::ctc::logarithm(assay::ctc::normalized(x[i].mantissa, x[i].exponent));
  y[i] = float2(pair.high, pair.low);
}
)";

/// One kernel of the above, a thread for each of `in`; both kinds of element have two words.
template <class Out, class In>
std::vector<Out> run(const char* kernel, const std::vector<In>& in) {
  static_assert(sizeof(In) == 8 && sizeof(Out) == 8);
  emulator::EmulatorDevice device;
  const auto library = given(device.new_library(
      fmt::format("#include <metal_stdlib>\n#include \"{}/ctc/exponential.h\"\n{}", ASSAY_KERNELS, kernels)));
  const auto pipeline = given(device.new_pipeline(given(library->new_function(kernel))));
  const auto input = given(device.new_buffer(std::as_bytes(std::span(in)), "in"));
  const auto output = given(device.new_buffer(in.size() * 8, "out"));
  const auto commands = device.new_command_queue()->command_buffer();
  const auto encoder = given(commands->compute_encoder());
  encoder->set_pipeline(pipeline);
  encoder->set_buffer(input, 0, 0);
  encoder->set_buffer(output, 0, 1);
  encoder->dispatch_threads({in.size()}, {32});
  EXPECT_TRUE(encoder->end_encoding() && commands->commit() && commands->wait_until_completed());
  EXPECT_TRUE(device.reports().empty());
  std::vector<Out> out(in.size());
  std::memcpy(out.data(), output->contents(), in.size() * 8);
  return out;
}

struct Two {
  float first, second;
};

/// Of y = mantissa * 2^exponent as an approximation of exp(x), in units of 2^-24.
long double error_of_exponential(ctc::Scaled y, long double x) {
  const long double ln2 = std::log(2.0L);
  const long double rest = x - static_cast<long double>(y.exponent) * ln2;
  return std::abs(static_cast<long double>(y.mantissa) / std::exp(rest) - 1) * 0x1p24L;
}

TEST(CtcArithmetic, ExponentialsAreRightHoweverSmall) {
  validation::Random random(1);
  std::vector<Two> in;
  for (const double scale : {1e-6, 0.1, 1.0, 10.0, 300.0, 30000.0, 4e5})
    for (int i = 0; i < 2000; ++i)
      in.push_back({static_cast<float>(scale * random.gaussian()), static_cast<float>(scale * random.gaussian())});
  const auto out = run<ctc::Scaled>("exponentials", in);
  long double worst = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const long double x = static_cast<long double>(in[i].first) - static_cast<long double>(in[i].second);
    if (std::abs(x) > 0x1p20L) continue;
    EXPECT_GE(out[i].mantissa, 1.0F);
    EXPECT_LT(out[i].mantissa, 2.0F);
    worst = std::max(worst, error_of_exponential(out[i], x));
  }
  RecordProperty("units", fmt::format("{:.3f}", static_cast<double>(worst)));
  EXPECT_LE(worst, 2.0L);
}

TEST(CtcArithmetic, ExponentialsSaturate) {
  const float infinity = std::numeric_limits<float>::infinity();
  const auto out = run<ctc::Scaled>(
      "exponentials",
      std::vector<Two>{{-infinity, 3}, {0, 0}, {-1e8F, 1e8F}, {-3e38F, 3e38F}, {3e38F, 0}, {-0x1p24F, 0}});
  EXPECT_EQ(out[0].mantissa, 0.0F);
  EXPECT_EQ(out[1].mantissa, 1.0F);
  EXPECT_EQ(out[1].exponent, 0);
  EXPECT_NEAR(out[2].exponent, -2e8 / std::log(2.0), 64);
  EXPECT_EQ(out[3].mantissa, 1.0F);
  EXPECT_NEAR(out[3].exponent, -0x1p28 / std::log(2.0), 64);
  EXPECT_NEAR(out[4].exponent, 0x1p28 / std::log(2.0), 64);
  EXPECT_NEAR(out[5].exponent, -0x1p24 / std::log(2.0), 1);
}

/// Two units of a normal result, one of the smallest subnormal number below.
TEST(CtcArithmetic, ExponentialsBelowTheShiftAreRightDownToSubnormalNumbers) {
  validation::Random random(1);
  std::vector<Two> in;
  for (const double shift : {0.0, 3.7, -80.0, 3e4, 5e5})
    for (const double width : {1e-6, 1.0, 30.0, 86.0, 104.0, 200.0})
      for (int i = 0; i < 500; ++i)
        in.push_back({static_cast<float>(shift - width * random.real(0.0, 1.0)), static_cast<float>(shift)});
  const auto out = run<Two>("exponentials_below", in);
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (in[i].first > in[i].second) continue;
    const long double exact = std::exp(static_cast<long double>(in[i].first) - static_cast<long double>(in[i].second));
    EXPECT_LE(std::abs(static_cast<long double>(out[i].first) - exact), 2 * 0x1p-24L * exact + 0x1p-149L)
        << in[i].first << " - " << in[i].second;
  }
}

TEST(CtcArithmetic, ExponentialsFarBelowTheShiftAreZero) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float shift :
       {0.0F, -5.0F, 100.0F, 0x1p19F, -0x1p19F, 0x1p30F, -0x1p30F, 0x1p33F, -0x1p33F, 0x1p100F, -0x1p126F}) {
    const float below = shift - std::max(512.0F, std::abs(shift) * 0x1p-20F);
    const auto out = run<Two>("exponentials_below",
                              std::vector<Two>{{-infinity, shift}, {below, shift}, {-3e38F, shift}, {shift, shift}});
    for (int i = 0; i < 3; ++i) EXPECT_EQ(out[static_cast<std::size_t>(i)].first, 0.0F) << shift;
    EXPECT_EQ(out[3].first, 1.0F) << shift;
  }
}

TEST(CtcArithmetic, LogarithmsAreRightNearOneToo) {
  validation::Random random(1);
  std::vector<ctc::Scaled> in = {{1.0F, 0}, {1.0F, 1}, {1.0F, -1}, {1.99999988F, -1}, {1.00000012F, 0}};
  for (const double scale : {1.0, 30.0, 1e5, 1e9})
    for (int i = 0; i < 2000; ++i)
      in.push_back({static_cast<float>(random.real(1.0, 2.0)), static_cast<std::int32_t>(random.real(-scale, scale))});
  const auto out = run<Two>("logarithms", in);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const long double exact =
        std::log(static_cast<long double>(in[i].mantissa)) + static_cast<long double>(in[i].exponent) * std::log(2.0L);
    const long double got = static_cast<long double>(out[i].first) + static_cast<long double>(out[i].second);
    // ln of the mantissa to 2 units; what an exponent adds is good to 40 bits
    EXPECT_LE(std::abs(got - exact), 2 * 0x1p-24L * std::min(std::abs(exact), 1.0L) + std::abs(exact) * 0x1p-40L)
        << in[i].mantissa << " * 2^" << in[i].exponent;
  }
}

}  // namespace
}  // namespace assay::metal::test
