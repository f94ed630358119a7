// The shaders of the emulator's tests on a GPU against the emulator, element by element.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <numeric>

#include "metal/device/or_throw.h"
#include "metal/device/read_file.h"
#include "metal/emulator/emulator_device.h"
#include "metal/nvidia/nvidia_device.h"
#include "tests/emulator/metallib.h"

namespace assay::metal::nvidia::test {
namespace {

struct Dispatch {
  std::string source = {}, file = {}, kernel = {};
  Size grid{1}, group{1};
  std::size_t results = 1024;
  std::vector<std::vector<float>> inputs = {};  ///< bound behind or before the results
  bool results_first = true;
};

/// The elements that the kernel writes; -12345 where it writes none.
template <class T>
std::vector<T> results_on(Device& device, const Dispatch& dispatch) {
  const auto library =
      dispatch.file.empty()
          ? or_throw(device.new_library(dispatch.source))
          : or_throw(device.new_library_from_file(std::filesystem::path(ASSAY_TEST_SHADERS) / dispatch.file));
  const auto pipeline = or_throw(device.new_pipeline(or_throw(library->new_function(dispatch.kernel))));
  const std::vector<T> untouched(dispatch.results, T(-12345));
  const auto out = or_throw(device.new_buffer(std::as_bytes(std::span(untouched)), ""));
  std::vector<std::shared_ptr<Buffer>> buffers;
  for (const auto& input : dispatch.inputs)
    buffers.push_back(or_throw(device.new_buffer(std::as_bytes(std::span(input)), "")));
  buffers.insert(dispatch.results_first ? buffers.begin() : buffers.end(), out);
  const auto commands = device.new_command_queue()->command_buffer();
  const auto encoder = or_throw(commands->compute_encoder());
  encoder->set_pipeline(pipeline);
  for (std::uint32_t n = 0; n < buffers.size(); ++n) encoder->set_buffer(buffers[n], 0, n);
  encoder->dispatch_threads(dispatch.grid, dispatch.group);
  or_throw(encoder->end_encoding());
  or_throw(commands->commit());
  or_throw(commands->wait_until_completed());
  if (const auto problem = commands->error()) throw std::runtime_error(problem->text);
  const T* const first = reinterpret_cast<const T*>(out->contents());
  return {first, first + dispatch.results};
}

class OnGpu : public testing::Test {
 protected:
  void SetUp() override {
    auto gpu = system_device();
    if (!gpu) GTEST_SKIP() << gpu.error().text;
    gpu_ = *gpu;
    emulator::EmulatorOptions options;
    options.is_checked = false;
    emulated_ = std::make_shared<emulator::EmulatorDevice>(options);
  }

  /// `units`: units in the last place by which floats may differ.
  template <class T = float>
  void expect_as_emulated(const Dispatch& dispatch, double units = 0) {
    const auto here = results_on<T>(*gpu_, dispatch), there = results_on<T>(*emulated_, dispatch);
    for (std::size_t n = 0; n < here.size(); ++n) {
      const double a = static_cast<double>(here[n]), b = static_cast<double>(there[n]);
      const double unit = std::abs(b) * std::ldexp(1.0, -23) + 1e-45;
      const bool is_equal = a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= units * unit;
      EXPECT_TRUE(is_equal) << dispatch.kernel << "[" << n << "]: " << a << " on the GPU, " << b << " emulated";
    }
  }

  std::shared_ptr<NvidiaDevice> gpu_;
  std::shared_ptr<emulator::EmulatorDevice> emulated_;
};

TEST_F(OnGpu, SimdgroupOperations) {
  expect_as_emulated({.file = "simd.metal", .kernel = "simd_operations", .grid = {32}, .group = {32}});
}

TEST_F(OnGpu, VectorsAndIntegers) {
  const std::vector<float> zeros(64);
  expect_as_emulated<int>({.file = "vectors.metal", .kernel = "vectors", .results = 64, .inputs = {zeros, zeros}});
  expect_as_emulated<int>({.file = "integers.metal", .kernel = "integers", .results = 64, .inputs = {zeros, zeros}});
}

/// Both round a result of at least 0.51 units once. fast:: functions are FastFunctions' business.
TEST_F(OnGpu, MathematicalFunctions) {
  std::string source = or_throw(read_file(std::filesystem::path(ASSAY_TEST_SHADERS) / "math.metal"));
  source.replace(source.find("fast::call"), 10, "call");
  for (const float x : {0.3F, 0.9F, 1e-3F, 1e-30F, 1e-40F, 0.0F, 1.0F, 0.7071F, -0.3F, 5.0F, 80.0F, 1e4F, 3e9F, 1e30F})
    for (const float y : {1.7F, -2.0F, 0.0F})
      expect_as_emulated(
          {.source = source, .kernel = "functions", .results = 180, .inputs = {{x}, {y}}, .results_first = false}, 2);
}

std::vector<float> numbers(std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t n = 0; n < count; ++n) values[n] = static_cast<float>((n * 2654435761U) % 1000) / 16.0F - 20.0F;
  return values;
}

/// Neighbours swap by threadgroup memory and by a shuffle; half of the lanes of each simdgroup then sum what they have.
TEST_F(OnGpu, KernelsOfCompiledLibraries) {
  using namespace emulator::test;
  const LibraryFile file(metallib({{"k", assembled(air_module(R"(
  %x = load float, ptr addrspace(1) %at.in
  store float %x, ptr addrspace(3) %at.shared
  call void @air.wg.barrier(i32 2, i32 1)
  %swap = xor i32 %tid, 63
  %other = getelementptr inbounds [64 x float], ptr addrspace(3) @_ZZ1kE6shared, i64 0, i32 %swap
  %y = load float, ptr addrspace(3) %other
  %z = call float @air.simd_shuffle_xor.f32(float %y, i16 5)
  %lane = and i32 %tid, 31
  %c = icmp ult i32 %lane, 13
  br i1 %c, label %few, label %join
few:
  %sum = call float @air.simd_sum.f32(float %z)
  br label %join
join:
  %p = phi float [ %z, %0 ], [ %sum, %few ]
  %q = call float @air.log.f32(float %p)
  store float %q, ptr addrspace(1) %at.out)"))}}));
  expect_as_emulated({.file = file.path().string(),
                      .kernel = "k",
                      .grid = {128},
                      .group = {64},
                      .results = 128,
                      .inputs = {numbers(128)},
                      .results_first = false},
                     2);
}

TEST_F(OnGpu, SumsOfThoseLanesThatAreActive) {
  constexpr const char* source = R"(
#include <metal_stdlib>
using namespace metal;
float inner(float x) { return simd_sum(x); }
kernel void f(device float* out, device const float* in, uint i [[thread_position_in_grid]],
              uint lane [[thread_index_in_simdgroup]]) {
  float x = in[i], sum = -1;
  if (lane % 3 == 0) sum = simd_sum(x); else if (lane < 20) sum = inner(2 * x);
  if (lane == 31) return;
  out[2 * i] = sum + simd_max(x);
  out[2 * i + 1] = simd_prefix_inclusive_sum(lane < 16 ? x : 0) + float(quad_active_threads_mask().all());
})";
  expect_as_emulated({.source = source, .kernel = "f", .grid = {75}, .group = {75}, .inputs = {numbers(75)}});
}

TEST_F(OnGpu, GridsWithEdgesInThreeDimensions) {
  constexpr const char* source = R"(
#include <metal_stdlib>
using namespace metal;
kernel void f(device int* out, uint3 at [[thread_position_in_grid]], uint3 grid [[threads_per_grid]],
              uint3 in [[thread_position_in_threadgroup]], uint3 size [[threads_per_threadgroup]],
              uint index [[thread_index_in_threadgroup]], uint3 group [[threadgroup_position_in_grid]],
              uint simds [[simdgroups_per_threadgroup]]) {
  threadgroup uint sum[256];
  sum[index] = index + in.y;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  uint all = 0;
  for (uint n = 0; n < size.x * size.y * size.z; ++n) all += sum[n];
  out[(at.z * grid.y + at.y) * grid.x + at.x] = int(all + 1000 * (group.x + group.y + group.z) + simds);
})";
  expect_as_emulated<int>({.source = source, .kernel = "f", .grid = {10, 7, 5}, .group = {4, 3, 2}, .results = 350});
  expect_as_emulated<int>({.source = source, .kernel = "f", .grid = {2, 1, 130}, .group = {2, 1, 100}, .results = 260});
}

TEST_F(OnGpu, AtomicsHalvesAndBfloats) {
  constexpr const char* source = R"(
#include <metal_stdlib>
using namespace metal;
kernel void f(device float* out, device const float* in, uint i [[thread_position_in_grid]]) {
  const half h = half(in[i]) * half(1.5h) + half(in[i + 1]);
  const bfloat b = bfloat(in[i]) / bfloat(3.0f) + bfloat(float(h));
  out[i] = float(h);
  out[256 + i] = float(b);
  atomic_fetch_add_explicit((device atomic_float*)(out + 512), 0.5f, memory_order_relaxed);
  atomic_fetch_max_explicit((device atomic_int*)(out + 513), int(i), memory_order_relaxed);
})";
  expect_as_emulated({.source = source, .kernel = "f", .grid = {256}, .group = {64}, .inputs = {numbers(257)}});
}

TEST_F(OnGpu, MatricesOfASimdgroup) {
  constexpr const char* source = R"(
#include <metal_stdlib>
using namespace metal;
kernel void f(device float* out, device const float* in) {
  simdgroup_float8x8 a, b, c(0.5f);
  simdgroup_load(a, in, 8);
  simdgroup_load(b, in + 64, 8, ulong2(0), true);
  simdgroup_multiply_accumulate(c, a, b, c);
  simdgroup_store(c, out, 8);
})";
  expect_as_emulated({.source = source, .kernel = "f", .grid = {32}, .group = {32}, .inputs = {numbers(128)}});
  std::vector<float> thirds = numbers(128);
  for (float& x : thirds) x = std::abs(x) / 3;
  expect_as_emulated({.source = source, .kernel = "f", .grid = {32}, .group = {32}, .inputs = {thirds}}, 8);
}

/// Near to the results of the precise functions. That they are other functions is in the PTX.
TEST_F(OnGpu, FastFunctions) {
  constexpr const char* source = R"(
#include <metal_stdlib>
using namespace metal;
kernel void f(device float* out, device const float* in, uint i [[thread_position_in_grid]]) {
  const float x = in[i];
  const float all[] = {fast::exp(x), fast::exp2(x), fast::log(x), fast::log2(x), fast::log10(x), fast::sin(x),
                       fast::cos(x), fast::tan(x), fast::sqrt(x), fast::rsqrt(x), fast::divide(x, 3.0f),
                       fast::powr(x, 2.5f), fast::length(float2(x)), float(fast::exp(half(x)))};
  for (int n = 0; n < 14; ++n) out[14 * i + n] = all[n];
})";
  const std::vector<float> values = {0.1F, 0.3F, 0.45F, 2.2F, 2.7F, 1.2F};
  expect_as_emulated({.source = source, .kernel = "f", .grid = {6}, .group = {6}, .results = 84, .inputs = {values}},
                     64);
}

TEST_F(OnGpu, AnAccessOutsideOfMemoryIsAnError) {
  constexpr const char* source = R"(
#include <metal_stdlib>
kernel void f(device float* out) { *(device float*)(ulong(out) + (1ul << 44)) = 1; })";
  EXPECT_THROW(results_on<float>(*gpu_, {.source = source, .kernel = "f"}), std::runtime_error);
}

}  // namespace
}  // namespace assay::metal::nvidia::test
