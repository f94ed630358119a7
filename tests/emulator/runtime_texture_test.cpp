// Textures: every format and every sampler against formulas in the test, and each misuse beside a twin that is right.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "metal/device/or_throw.h"
#include "metal/emulator/emulator_device.h"
#include "metal/emulator/emulator_encoder.h"
#include "metal/emulator/translate/translate.h"
#include "tests/matchers.h"

namespace assay::metal::emulator::test {
namespace {

using abi::SamplerAddress;
using abi::TexelType;

/// All kernels, since their compilation takes most of the time.
const std::string texture_shader = R"(#include <metal_stdlib>
using namespace metal;
template <typename T> kernel void store(device vec<T, 4>* values, texture2d<T, access::write> to, uint i [[thread_position_in_grid]]) {
  to.write(values[i], uint2(i % to.get_width(), i / to.get_width()));
}
template <typename T> kernel void load(device vec<T, 4>* values, texture2d<T, access::read> from, uint i [[thread_position_in_grid]]) {
  values[i] = from.read(ushort2(i % from.get_width(), i / from.get_width()));  // loaded
}
template [[host_name("store_float")]] kernel void store<float>(device float4*, texture2d<float, access::write>, uint);
template [[host_name("load_float")]] kernel void load<float>(device float4*, texture2d<float, access::read>, uint);
template [[host_name("load_half")]] kernel void load<half>(device half4*, texture2d<half, access::read>, uint);
template [[host_name("store_int")]] kernel void store<int>(device int4*, texture2d<int, access::write>, uint);
template [[host_name("load_short")]] kernel void load<short>(device short4*, texture2d<short, access::read>, uint);
template [[host_name("store_uint")]] kernel void store<uint>(device uint4*, texture2d<uint, access::write>, uint);
template [[host_name("load_ushort")]] kernel void load<ushort>(device ushort4*, texture2d<ushort, access::read>, uint);
kernel void sample1(device float4* out, device const float4* at, texture1d<float> t, sampler s, uint i [[thread_position_in_grid]]) {
  out[i] = t.sample(s, at[i].x);
}
kernel void sample2(device float4* out, device const float4* at, texture2d<float> t, sampler s, uint i [[thread_position_in_grid]]) {
  out[i] = t.sample(s, at[i].xy);
}
kernel void sample3(device float4* out, device const float4* at, texture3d<float> t, sampler s, uint i [[thread_position_in_grid]]) {
  out[i] = t.sample(s, at[i].xyz);
}
kernel void samplers(device float4* out, texture2d<float> t, texture2d_array<float> layers, texture1d_array<float> lines) {
  constexpr sampler linear_pixel(coord::pixel, filter::linear);
  constexpr sampler white(address::clamp_to_border, border_color::opaque_white);
  constexpr sampler two(mag_filter::nearest, min_filter::linear, coord::pixel);
  out[0] = t.sample(linear_pixel, float2(1, 0.5));
  out[1] = t.sample(white, float2(-0.1, 0.5));
  out[2] = t.sample(two, float2(0.75, 0.5), level(0));
  out[3] = t.sample(two, float2(0.75, 0.5), level(1));
  out[4] = t.sample(two, float2(0.5, 0.5), int2(1, 1));
  out[5] = layers.sample(two, float2(0.5, 0.5), 7);
  out[6] = lines.sample(two, 1.5, 1);
}
kernel void depths(device float4* out, texture2d<float> t, depth2d<float> sampled, depth2d<float, access::read> read, sampler s, constant uint& x) {
  constexpr sampler pixel(coord::pixel, filter::linear);
  out[0] = t.gather(pixel, float2(1, 1));
  out[1] = t.gather(pixel, float2(1, 1), int2(1, 0), component::y);
  out[2] = sampled.gather(s, float2(0.5, 0.5));
  out[3] = float4(sampled.sample(pixel, float2(1, 1)), sampled.sample(s, float2(0.1, 0.1), level(0)), read.read(uint2(x, 1)), sampled.get_height());  // deepest
}
kernel void sizes(device uint4* out, texture1d_array<float> a, texture2d_array<float> b, texture3d<float> c, texture_buffer<float> d) {
  out[0] = uint4(a.get_width(), a.get_array_size(), a.get_num_mip_levels(), is_null_texture(a));
  out[1] = uint4(b.get_width(), b.get_height(), b.get_array_size(), 0);
  out[2] = uint4(c.get_width(), c.get_height(), c.get_depth(), 0);
  out[3] = uint4(d.get_width(), 0, 0, is_null_texture(d));
}
kernel void shift(texture2d<float, access::read> in, texture2d<float, access::write> out, uint2 at [[thread_position_in_grid]]) {
  const float4 next = in.read(at + uint2(1, 0));  // shifted
  out.write(next, at);
}
kernel void deep(texture3d<float, access::read_write> t, texture2d_array<float, access::read> a, device float* out, constant uint& which) {
  if (which == 0) t.write(1.0, uint3(1, 1, 2));  // deep
  if (which == 1) out[0] = a.read(uint2(0, 0), 3).x;
  if (which == 2) out[0] = t.read(uint3(0), 1).x;
  out[1] = 1;
}
kernel void turn(texture1d<float, access::read_write> t, constant uint& right, uint i [[thread_position_in_grid]]) {
  t.write(float4(i), i);  // turned
  if (right) threadgroup_barrier(mem_flags::mem_texture);
  else threadgroup_barrier(mem_flags::mem_device);
  const float4 other = t.read(63 - i);  // read back
  threadgroup_barrier(mem_flags::mem_texture);
  t.write(other, i);
}
)";

/// The line of the shader that ends in the comment.
std::uint32_t line_of(const std::string& comment) {
  const auto end = texture_shader.begin() + static_cast<std::ptrdiff_t>(texture_shader.find("// " + comment + "\n"));
  return 1 + static_cast<std::uint32_t>(std::count(texture_shader.begin(), end, '\n'));
}

abi::Texture layout(TexelType type, std::uint32_t channels, std::array<std::uint32_t, 4> extents) {
  return {nullptr, type, channels, extents[0], extents[1], extents[2], extents[3]};
}

class Textures : public testing::Test {
 protected:
  struct Bound {
    std::shared_ptr<Buffer> texels;
    abi::Texture texture;
  };

  template <class T>
  std::shared_ptr<Buffer> buffer(const std::vector<T>& values) {
    return or_throw(device().new_buffer(std::as_bytes(std::span(values)), ""));
  }
  std::shared_ptr<Buffer> unwritten(std::size_t bytes) { return or_throw(device().new_buffer(bytes, "")); }

  /// The error of encoding.
  std::optional<Error> run(const std::string& kernel, const std::vector<std::shared_ptr<Buffer>>& buffers,
                           const std::vector<Bound>& textures, Size grid, abi::Sampler sampler = {}) {
    device().clear_reports();
    const auto pipeline = or_throw(device().new_pipeline(or_throw(library()->new_function(kernel))));
    const auto commands = device().new_command_queue()->command_buffer();
    const auto encoder = or_throw(commands->compute_encoder(DispatchType::serial));
    auto& emulated = dynamic_cast<EmulatorEncoder&>(*encoder);
    encoder->set_pipeline(pipeline);
    for (std::uint32_t index = 0; index < buffers.size(); ++index) encoder->set_buffer(buffers[index], 0, index);
    for (std::uint32_t index = 0; index < textures.size(); ++index)
      if (textures[index].texels) emulated.set_texture(textures[index].texels, textures[index].texture, index);
    emulated.set_sampler(sampler, 0);
    encoder->dispatch_threads(grid, grid);
    if (const auto end = encoder->end_encoding(); !end) return end.error();
    EXPECT_TRUE(commands->commit() && commands->wait_until_completed());
    return std::nullopt;
  }

  template <class T>
  static std::vector<T> values(Buffer& buffer) {
    std::vector<T> result(buffer.length() / sizeof(T));
    std::memcpy(result.data(), buffer.contents(), result.size() * sizeof(T));
    return result;
  }
  static EmulatorDevice& device() {
    static EmulatorDevice shared;
    return shared;
  }
  static std::shared_ptr<Library> library() {
    static const auto shared = or_throw(device().new_library(texture_shader));
    return shared;
  }

  /// `numbers` after they were stored as one-channel texels by kernel `store` and loaded by kernel `load`.
  template <class To, class From>
  std::vector<To> through(const std::string& store, const std::string& load, TexelType type,
                          const std::vector<From>& numbers) {
    std::vector<From> fours;
    for (const From number : numbers) fours.insert(fours.end(), 4, number);
    const auto count = static_cast<std::uint32_t>(numbers.size());
    const Bound texture{unwritten(count * std::size_t{component_bytes(type)}), layout(type, 1, {count, 1, 1, 1})};
    const auto out = unwritten(count * 4 * sizeof(To));
    EXPECT_FALSE(run(store, {buffer(fours)}, {texture}, {count}));
    EXPECT_FALSE(run(load, {out}, {texture}, {count}));
    EXPECT_THAT(device().reports(), IsEmpty());
    std::vector<To> loaded, all = values<To>(*out);
    for (std::size_t n = 0; n < all.size(); n += 4) loaded.push_back(all[n]);
    return loaded;
  }
};

TEST_F(Textures, OfFloatsHoldFloatsAndFractions) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> numbers = {0, 1, -1, 0.5F, -0.25F, 2, -2, 1e-3F};
  const auto loaded = [&](TexelType type) { return through<float>("store_float", "load_float", type, numbers); };
  EXPECT_EQ(loaded(TexelType::float32), numbers);
  for (const auto& [type, largest, least] : {std::tuple{TexelType::uint8, 255.0F, 0.0F},
                                             {TexelType::sint8, 127.0F, -1.0F},
                                             {TexelType::uint16, 65535.0F, 0.0F},
                                             {TexelType::sint16, 32767.0F, -1.0F}}) {
    std::vector<float> expected;
    for (const float number : numbers)
      expected.push_back(std::nearbyint(std::clamp(number, least, 1.0F) * largest) / largest);
    EXPECT_EQ(loaded(type), expected) << largest;
  }
  EXPECT_EQ(through<float>("store_float", "load_float", TexelType::uint8, std::vector<float>{nan, INFINITY, -INFINITY}),
            (std::vector<float>{0, 1, 0}));
  EXPECT_TRUE(
      std::isnan(through<float>("store_float", "load_float", TexelType::float16, std::vector<float>{nan, 1}).front()));
  EXPECT_EQ(through<std::uint16_t>("store_float", "load_half", TexelType::float16, std::vector<float>{1, -2}),
            (std::vector<std::uint16_t>{0x3C00, 0xC000}));
}

TEST_F(Textures, OfIntegersHoldIntegers) {
  const std::vector<std::int32_t> numbers = {0, 5, -5, 127, 128, -128, -129, 40000, -40000};
  EXPECT_THAT(through<std::int16_t>("store_int", "load_short", TexelType::sint8, numbers),
              ElementsAre(0, 5, -5, 127, 127, -128, -128, 127, -128));
  EXPECT_THAT(through<std::int16_t>("store_int", "load_short", TexelType::sint16, numbers),
              ElementsAre(0, 5, -5, 127, 128, -128, -129, 32767, -32768));
  EXPECT_THAT(through<std::uint16_t>("store_uint", "load_ushort", TexelType::uint8,
                                     std::vector<std::uint32_t>{0, 255, 256, 4294967295U}),
              ElementsAre(0, 255, 255, 255));
}

TEST_F(Textures, GiveWhatAFormatLacksAsBlackAndOpaque) {
  const auto out = unwritten(2 * 4 * sizeof(float));
  const Bound two{buffer(std::vector<float>{1, 2, 3, 4}), layout(TexelType::float32, 2, {2, 1, 1, 1})};
  EXPECT_FALSE(run("load_float", {out}, {two}, {2}));
  EXPECT_THAT(values<float>(*out), ElementsAre(1, 2, 0, 1, 3, 4, 0, 1));
}

/// What a sampler gives, in double, of a texture of one channel whose texel (x, y, z) is 1 + x + 10 y + 100 z.
class Expected {
 public:
  Expected(const abi::Sampler& sampler, int axes, std::array<int, 3> size)
      : sampler_(sampler), axes_(axes), size_(size) {}

  double at(const std::array<float, 3>& coordinates, int axis = 0, double value = 1) const {
    if (axis == axes_) return value;
    const auto n = static_cast<std::size_t>(axis);
    const float scaled = sampler_.is_pixel ? coordinates[n] : coordinates[n] * static_cast<float>(size_[n]);
    const double step = std::pow(10, axis), place = sampler_.magnifies_linear ? scaled - 0.5F : scaled;
    const double low = std::floor(place), share = place - low;
    const auto one = [&](double number) {
      const int texel = inside(static_cast<int>(number), size_[n]);
      return texel < 0 ? 0 : at(coordinates, axis + 1, value + step * texel);
    };
    return sampler_.magnifies_linear ? (1 - share) * one(low) + share * one(low + 1) : one(low);
  }

 private:
  int inside(int number, int size) const {
    switch (sampler_.address[0]) {
      case SamplerAddress::clamp_to_edge:
        return std::clamp(number, 0, size - 1);
      case SamplerAddress::repeat:
        while (number < 0) number += size;
        return number % size;
      case SamplerAddress::mirrored_repeat:
        while (number < 0) number += 2 * size;
        return std::min(number % (2 * size), 2 * size - 1 - number % (2 * size));
      default:
        return number < 0 || number >= size ? -1 : number;
    }
  }

  abi::Sampler sampler_;
  int axes_;
  std::array<int, 3> size_;
};

TEST_F(Textures, AreSampledAsTheSamplerSays) {
  std::vector<float> places;
  for (int n = 0; n < 24; ++n)
    for (const float part : {0.213F, 0.117F, 0.171F, 0.0F}) places.push_back(static_cast<float>(n) * part - 1.3F);
  const auto at = buffer(places);
  for (int axes = 1; axes <= 3; ++axes)
    for (const bool linear : {false, true})
      for (const SamplerAddress mode : {SamplerAddress::clamp_to_edge, SamplerAddress::clamp_to_zero,
                                        SamplerAddress::repeat, SamplerAddress::mirrored_repeat})
        for (const bool is_pixel : {false, true}) {
          const std::array<int, 3> size = {4, axes > 1 ? 3 : 1, axes > 2 ? 2 : 1};
          std::vector<float> texels;
          for (int z = 0; z < size[2]; ++z)
            for (int y = 0; y < size[1]; ++y)
              for (int x = 0; x < size[0]; ++x) texels.push_back(static_cast<float>(1 + x + 10 * y + 100 * z));
          const Bound texture{buffer(texels),
                              layout(TexelType::float32, 1,
                                     {4, static_cast<std::uint32_t>(size[1]), static_cast<std::uint32_t>(size[2]), 1})};
          const abi::Sampler sampler{is_pixel, linear, linear, {mode, mode, mode}, {}};
          const auto out = unwritten(places.size() * sizeof(float));
          ASSERT_FALSE(run(fmt::format("sample{}", axes), {out, at}, {texture}, {24}, sampler));
          EXPECT_THAT(device().reports(), IsEmpty());
          const auto results = values<float>(*out);
          for (std::size_t n = 0; n < places.size(); n += 4) {
            const double expected = Expected(sampler, axes, size).at({places[n], places[n + 1], places[n + 2]});
            EXPECT_NEAR(results[n], expected, 1e-3)
                << axes << linear << static_cast<int>(mode) << is_pixel << ": " << places[n];
          }
        }
}

TEST_F(Textures, TakeCoordinatesThatAreNoNumbers) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Bound texture{buffer(std::vector<float>{1, 2, 3, 4}), layout(TexelType::float32, 1, {2, 2, 1, 1})};
  const auto out = unwritten(2 * 4 * sizeof(float));
  EXPECT_FALSE(run("sample2", {out, buffer(std::vector<float>{nan, nan, 0, 0, INFINITY, -INFINITY, 0, 0})}, {texture},
                   {2}, {false, true, true}));
  EXPECT_THAT(device().reports(), IsEmpty());
  EXPECT_EQ(values<float>(*out)[4], 2);
}

TEST_F(Textures, AreSampledBySamplersOfTheShader) {
  const Bound texture{buffer(std::vector<float>{1, 2, 3, 4}), layout(TexelType::float32, 1, {2, 2, 1, 1})};
  const Bound layers{texture.texels, layout(TexelType::float32, 1, {2, 1, 1, 2})};
  const auto out = unwritten(7 * 4 * sizeof(float));
  EXPECT_FALSE(run("samplers", {out}, {texture, layers, layers}, {1}));
  std::vector<float> first;
  for (std::size_t n = 0; n < 7; ++n) first.push_back(values<float>(*out)[4 * n]);
  EXPECT_THAT(first, ElementsAre(1.5F, 1, 1, 1.25F, 4, 3, 4));
}

/// Texels (1, -1), (2, -2), ... of three in a row.
TEST_F(Textures, OfDepthsAndFourAtOnce) {
  const Bound pairs{buffer(std::vector<float>{1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6}),
                    layout(TexelType::float32, 2, {3, 2, 1, 1})};
  const Bound depths{buffer(std::vector<float>{1, 2, 3, 4}), layout(TexelType::float32, 1, {2, 2, 1, 1})};
  const auto out = unwritten(4 * 4 * sizeof(float));
  EXPECT_FALSE(run("depths", {out, buffer(std::vector<std::uint32_t>{1})}, {pairs, depths, depths}, {1}));
  EXPECT_THAT(values<float>(*out), ElementsAre(4, 5, 2, 1, -5, -6, -3, -2, 3, 4, 2, 1, 2.5F, 1, 4, 2));
  EXPECT_THAT(device().reports(), IsEmpty());
  EXPECT_FALSE(run("depths", {out, buffer(std::vector<std::uint32_t>{2})}, {pairs, depths, depths}, {1}));
  ASSERT_EQ(device().reports().size(), 1U);
  EXPECT_EQ(device().reports()[0].event.position.line, line_of("deepest"));
  EXPECT_FALSE(run("depths", {out, buffer(std::vector<std::uint32_t>{1})},
                   {pairs, {unwritten(16), depths.texture}, depths}, {1}));
  EXPECT_EQ(device().reports().at(0).check, Check::initcheck);
}

TEST_F(Textures, SayTheirSizes) {
  const auto texels = unwritten(1024);
  const auto of = [&](std::array<std::uint32_t, 4> extents) {
    return Bound{texels, layout(TexelType::float32, 1, extents)};
  };
  const auto out = unwritten(4 * 4 * sizeof(std::uint32_t));
  EXPECT_FALSE(run("sizes", {out}, {of({5, 1, 1, 3}), of({4, 3, 1, 2}), of({4, 3, 2, 1})}, {1}));
  EXPECT_THAT(values<std::uint32_t>(*out), ElementsAre(5, 3, 1, 0, 4, 3, 2, 0, 4, 3, 2, 0, 0, 0, 0, 1));
}

TEST_F(Textures, AccessesOutOfRangeAreReportedWithTheirCoordinates) {
  const Bound in{buffer(std::vector<float>(15, 7)), layout(TexelType::float32, 1, {5, 3, 1, 1})};
  const Bound out{unwritten(60), layout(TexelType::float32, 1, {5, 3, 1, 1})};
  EXPECT_FALSE(run("shift", {}, {in, out}, {4, 3}));
  EXPECT_THAT(device().reports(), IsEmpty());
  EXPECT_FALSE(run("shift", {}, {in, out}, {5, 3}));
  const auto reports = device().reports();
  ASSERT_EQ(reports.size(), 1U);
  EXPECT_EQ(reports[0].check, Check::memcheck);
  EXPECT_EQ(reports[0].address, "texture(0) `in` at (5, 0): its size is 5 x 3");
  EXPECT_EQ(reports[0].event.action, "read of a texel");
  EXPECT_EQ(reports[0].event.position.line, line_of("shifted"));
  EXPECT_EQ(reports[0].event.thread.in_grid, (Size{4, 0, 0}));
  EXPECT_EQ(reports[0].count, 3U);
}

TEST_F(Textures, DepthLayersAndLevelsHaveBoundsToo) {
  const Bound deep{buffer(std::vector<float>(8)), layout(TexelType::float32, 1, {2, 2, 2, 1})};
  const Bound layers{deep.texels, layout(TexelType::float32, 1, {2, 2, 1, 2})};
  const std::vector<std::string> expected = {"texture(0) `t` at (1, 1, 2): its size is 2 x 2 x 2",
                                             "texture(1) `a` at (0, 0) of layer 3: its size is 2 x 2 in 2 layers",
                                             "texture(0) `t` at (0, 0, 0) of level 1: its size is 2 x 2 x 2", ""};
  const Bound other{buffer(std::vector<float>(8)), layers.texture};
  for (std::uint32_t which = 0; which < expected.size(); ++which) {
    EXPECT_FALSE(run("deep", {unwritten(8), buffer(std::vector<std::uint32_t>{which})}, {deep, other}, {1}));
    const auto reports = device().reports();
    ASSERT_EQ(reports.size(), expected[which].empty() ? 0U : 1U);
    if (reports.empty()) continue;
    EXPECT_EQ(reports[0].address, expected[which]);
    EXPECT_EQ(reports[0].event.position.line, line_of("deep") + which);
  }
}

TEST_F(Textures, RacesAreFoundUnlessABarrierCoversTextures) {
  for (const std::uint32_t right : {0U, 1U}) {
    const Bound texture{unwritten(256), layout(TexelType::float32, 1, {64, 1, 1, 1})};
    EXPECT_FALSE(run("turn", {buffer(std::vector<std::uint32_t>{right})}, {texture}, {64}));
    const auto reports = device().reports();
    ASSERT_EQ(reports.size(), right == 0 ? 1U : 0U);
    if (reports.empty()) continue;
    EXPECT_EQ(reports[0].check, Check::racecheck);
    EXPECT_THAT(reports[0].message, HasSubstr("mem_flags::mem_device, which does not cover texture memory"));
    EXPECT_THAT(reports[0].address, HasSubstr("texture(0) `t` at ("));
    EXPECT_EQ(reports[0].event.position.line, line_of("read back"));
    EXPECT_EQ(reports[0].other->position.line, line_of("turned"));
  }
}

TEST_F(Textures, TexelsThatNobodyWroteAreReported) {
  const Bound in{unwritten(4), layout(TexelType::uint8, 4, {1, 1, 1, 1})};
  EXPECT_FALSE(run("load_float", {unwritten(16)}, {in}, {1}));
  ASSERT_EQ(device().reports().size(), 1U);
  EXPECT_EQ(device().reports()[0].check, Check::initcheck);
  EXPECT_EQ(device().reports()[0].event.position.line, line_of("loaded"));
}

TEST_F(Textures, ThatDoNotFitAreRefused) {
  const auto text = [&](const Bound& texture) {
    const auto refused = run("load_float", {unwritten(16)}, {texture}, {1});
    return refused ? refused->text : "";
  };
  const auto texels = buffer(std::vector<float>(4));
  EXPECT_EQ(text({texels, layout(TexelType::float32, 1, {2, 2, 1, 1})}), "");
  EXPECT_THAT(
      text({texels, layout(TexelType::sint32, 1, {2, 2, 1, 1})}),
      HasSubstr("load_float: texture(0) `from` is texture2d<float, access::read>: it cannot hold numbers of type "
                "int32"));
  EXPECT_THAT(text({texels, layout(TexelType::float32, 3, {1, 1, 1, 1})}), HasSubstr("1, 2 or 4 channels"));
  EXPECT_THAT(text({texels, layout(TexelType::float32, 1, {2, 0, 1, 1})}), HasSubstr("1 to 16384 texels"));
  EXPECT_THAT(text({texels, layout(TexelType::float32, 1, {5, 1, 1, 1})}),
              HasSubstr("20 bytes, and the buffer has 16"));
}

TEST(TextureTypes, ThatAreNotSupportedAreRefusedByNameAndLine) {
  const auto refusal = [](const std::string& parameter) {
    const auto text = translate("# 1 \"t.metal\"\nkernel void k(" + parameter + ") {}\n");
    return text ? "" : text.error().text;
  };
  EXPECT_EQ(refusal("texture2d<float> t [[texture(127)]], sampler s [[sampler(15)]]"), "");
  EXPECT_THAT(refusal("depth2d_ms<float> t"),
              HasSubstr("t.metal:1:15: error: parameter 't' of the kernel is a depth2d_ms, which is not supported"));
  EXPECT_THAT(refusal("texture2d_ms<float> t"), HasSubstr("; make each sample a layer of an array"));
  EXPECT_THAT(refusal("depthcube_array<float> t [[texture(0)]]"), HasSubstr("a depthcube_array"));
  EXPECT_EQ(refusal("array<texture2d<float>, 2> t [[texture(0)]], texture2d<float> u [[texture(2)]]"), "");
  EXPECT_THAT(refusal("array<texture2d<float>, 2> t [[texture(0)]], texture2d<float> u [[texture(1)]]"),
              HasSubstr("parameter 'u' of the kernel has index 1, which another one has"));
  EXPECT_THAT(refusal("array<texture2d<float>, n> t [[texture(0)]]"), HasSubstr("with a constant N from 1 to 128"));
  EXPECT_THAT(refusal("texture2d<float> t [[texture(128)]]"), HasSubstr("expected a constant from 0 to 127"));
  EXPECT_THAT(refusal("texture2d<float> t [[buffer(0)]]"), HasSubstr("does not go with [[buffer]]"));
  const auto gpu = translate_for_ptx("# 1 \"t.metal\"\nkernel void k(texture2d<float> t [[texture(0)]]) {}\n");
  ASSERT_FALSE(gpu);
  EXPECT_THAT(gpu.error().text, HasSubstr("t.metal:1:13: error: kernel 'k' takes texture 't'"));
}

TEST_F(Textures, AreReadAndWrittenAsTheirAccessSays) {
  const auto made = device().new_library(
      "#include <metal_stdlib>\nusing namespace metal;\n"
      "kernel void k(texture2d<half, access::read> t) { t.write(half4(0), uint2(1)); }\n"
      "kernel void m(texture2d<half, access::write> t, device half4* x) { x[0] = t.read(uint2(1)); }\n");
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().text, HasSubstr("write: the texture needs access::write or access::read_write"));
  EXPECT_THAT(made.error().text, HasSubstr("read: the texture has access::write"));
}

}  // namespace
}  // namespace assay::metal::emulator::test
