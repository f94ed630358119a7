// Forms that published shaders have: names of Apple's own headers, include paths, overloads, instantiations; and that
// one kernel of many is compiled alone.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "metal/emulator/compile/files.h"
#include "shader_stand_in.h"
#include "tests/matchers.h"

namespace assay::metal::emulator::test {
namespace {

namespace fs = std::filesystem;

const std::string prelude = "#include <metal_stdlib>\nusing namespace metal;\n";

TEST(Strangers, KnowTheInternalNamesOfApplesHeaders) {
  const auto shader = compile(R"(
constexpr constant metal::thread_scope everywhere = static_cast<metal::thread_scope>(3);
#include <metal_stdlib>
using namespace metal;
namespace detail { constant int mine = 3; }
#ifndef __HAVE_BFLOAT__
#error "bfloat"
#endif
kernel void f(device float* out, device uint* bits) {
  out[0] = __metal_fabs(-2.0f, __METAL_MAYBE_FAST_MATH__) + __metal_fmax(1.0f, 3.0f, __METAL_FAST_MATH__);
  out[1] = __metal_fma(2.0f, 3.0f, 4.0f, __METAL_PRECISE_MATH__) + detail::mine;
  int exponent = 0;
  out[2] = __metal_frexp(8.0f, &exponent) + exponent + __metal_get_simdgroup_size(ushort());
  bits[0] = _fp_encoding_traits<float>::inf_mask;
  bits[1] = _fp_encoding_traits<half>::sign_mask;
  atomic_thread_fence(mem_flags::mem_device);
  atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, everywhere);
})");
  std::array<float, 3> out{};
  std::array<std::uint32_t, 2> bits{};
  run(*shader, "f", {out.data(), bits.data()});
  EXPECT_EQ(out, (std::array{5.0F, 13.0F, 36.5F}));
  EXPECT_EQ(bits, (std::array{0x7f800000U, 0x8000U}));
}

TEST(Strangers, HaveFunctionsOfTheirOwnAndNamesThatNoDocumentHas) {
  const auto shader = compile(prelude + R"(
template <typename T> inline float dot(T a, T b) { return sizeof(T) == 4 ? -1 : -2; }
template <typename T, typename U> inline float pow(T a, U b) { return -3; }
template <typename T> struct Indexed { T value; };
template <typename T> struct _numeric_limits_impl<Indexed<T>> {
  static constexpr Indexed<T> max() { return {numeric_limits<T>::max()}; }
};
static_assert(numeric_limits<Indexed<int>>::max().value == 2147483647, "");
static_assert(__is_valid_simdgroup_type<half4>::value && !__is_valid_simdgroup_type<long>::value, "");
kernel void f(device float* out, device packed_float3* p) {
  assert(out[0] > 0);
  const float3 a = p[0];
  out[0] = dot(a, a);
  out[1] = metal::dot(a, p[0]);
  out[2] = dot(2.0f, 3.0f);
  out[3] = vec_elements<float3>::value + vec_elements<half>::value;
  out[4] = pow(2.0f, 3.0f) + pow(2.0h, 3.0h);
})");
  std::array<float, 5> out{};
  std::array<float, 3> p = {1, 2, 3};
  run(*shader, "f", {out.data(), p.data()});
  EXPECT_EQ(out, (std::array{14.0F, 14.0F, -1.0F, 4.0F, 16.0F}));
}

TEST(Strangers, CallCollectivesByTheirInternalNames) {
  const auto shader = compile(prelude + R"(
kernel void f(device uint* out, uint lane [[thread_index_in_simdgroup]]) {
  out[lane] = __metal_simd_sum(lane) + __metal_simd_shuffle_xor(lane, ushort(1));
})",
                              options(false));
  std::array<std::uint32_t, 32> out{};
  run_simdgroup(*shader, "f", {out.data()});
  for (std::uint32_t lane = 0; lane < 32; ++lane) EXPECT_EQ(out[lane], 496 + (lane ^ 1U));
}

/// A project names its headers from its own root, which holds the shader's folder.
TEST(Strangers, MultiplyMatricesByTheirInternalName) {
  const auto shader = compile(prelude + R"(
#ifndef __HAVE_SIMDGROUP_MATRIX__
#error "matrices"
#endif
template <typename T> struct Matrix { vec<T, 64> t; thread vec<T, 2>* mine() thread { return (thread vec<T, 2>*)&t; } };
kernel void f(device float2* out, uint lane [[thread_index_in_simdgroup]]) {
  Matrix<half> a;
  Matrix<float> b, c;
  *a.mine() = half2(2.0h);
  *b.mine() = float2(lane);
  *c.mine() = float2(0.5f, 1.0f);
  c.t = __metal_simdgroup_matrix_8x8_multiply_accumulate(a.t, b.t, c.t, vec<float, 64>());
  out[lane] = *c.mine();
})",
                              options(false));
  std::array<float, 64> out{};
  run_simdgroup(*shader, "f", {out.data()});
  for (std::size_t lane = 0; lane < 32; ++lane) {
    // The lanes that hold this lane's columns differ in bits 1, 2 and 4.
    float sum = 0;
    for (const std::size_t row : {0U, 2U, 4U, 6U, 16U, 18U, 20U, 22U})
      sum += 2.0F * static_cast<float>((lane & 9U) + row);
    EXPECT_EQ(out[2 * lane], sum + 0.5F) << lane;
    EXPECT_EQ(out[2 * lane + 1], sum + 1.0F) << lane;
  }
}

TEST(Strangers, IncludeFromTheRootOfTheirProject) {
  const auto folder = TemporaryFolder::make(fs::temp_directory_path()).value();
  const fs::path kernels = folder.path() / "project" / "kernels";
  fs::create_directories(kernels);
  ASSERT_TRUE(
      write_file(kernels / "utils.h",
                 "#pragma GCC system_header\ntemplate <typename T>\nkernel void k(device T* x) { x[0] = 7; }\n"));
  ASSERT_TRUE(write_file(kernels / "k.metal",
                         "#include \"project/kernels/utils.h\"\n"
                         "template [[host_name(\"k_int\")]] kernel void k<int>(device int*);\n"));
  const auto shader = compile_file(kernels / "k.metal", options());
  ASSERT_TRUE(shader) << shader.error().text;
  EXPECT_STREQ((*shader)->shader().functions[0].name, "k_int");
}

/// Clang takes folders that the environment names for the system's. The translator must not.
TEST(Strangers, IncludeFromFoldersThatTheEnvironmentNames) {
  const auto folder = TemporaryFolder::make(fs::temp_directory_path()).value();
  ASSERT_TRUE(write_file(folder.path() / "table.h", "constant int table[2] = {3, 5};\n"));
  setenv("CPLUS_INCLUDE_PATH", folder.path().c_str(), 1);
  const std::string message = refusal("#include <table.h>\nkernel void f(device int* x) { x[0] = table[1]; }");
  unsetenv("CPLUS_INCLUDE_PATH");
  EXPECT_EQ(message, "");
}

TEST(Strangers, TakeArraysInThreadgroupMemoryAsParameters) {
  const auto shader = compile(R"(
template <typename T, int n> struct Reducer {
  threadgroup T* shared;
  Reducer(threadgroup T shared[n]) { this->shared = shared; }
  T first() { return shared[0]; }
};
float of(threadgroup float values[4]) { return values[1]; }
kernel void f(device float* x, threadgroup float own[4]) {
  threadgroup float values[4];
  values[0] = 2;
  values[1] = 3;
  x[0] = Reducer<float, 4>(values).first() + of(values) + (x[1] > 0 ? own[0] : 4);
})");
  std::array<float, 2> x{};
  run(*shader, "f", {x.data()});
  EXPECT_EQ(x[0], 9.0F);
  EXPECT_THAT(refusal("struct S { threadgroup float x[4]; };"),
              HasSubstr("'x' in threadgroup memory has to be declared within a function"));
}

TEST(Strangers, OverloadByAddressSpaceWithConstInAnyPlace) {
  EXPECT_EQ(refusal("template <typename S> S at(device const S* p) { return p[0]; }\n"
                    "template <typename S> S at(constant const S* p) { return p[0]; }\n"
                    "template <typename S> S at(const constant S* p, int n) { return p[n]; }\n"
                    "template <typename S> S at(const device S* p, int n) { return p[n]; }\n"
                    "kernel void f(device int* x, constant int* y) { x[0] = at(x) + at(y) + at(x, 1) + at(y, 1); }"),
            "");
}

TEST(Strangers, ReturnFromConstructorsAndInFrontOfElse) {
  const auto shader = compile(R"(
struct Sign { int value; Sign(int x) { if (x < 0) { value = -1; return; } value = 1; } };
void set(device int* x, int n) { if (n > 5) return; else x[1] = n; }
kernel void f(device int* x) { x[0] = Sign(-3).value; set(x, 4); set(x, 6); })");
  std::array<int, 2> x{};
  run(*shader, "f", {x.data()});
  EXPECT_EQ(x, (std::array{-1, 4}));
}

TEST(Strangers, HaveSeveralKernelTemplatesOfOneName) {
  const auto shader = compile(R"(
template <typename T, typename M, int n>
[[kernel, max_total_threads_per_threadgroup(n)]] void gemm(device T* x [[buffer(0)]], device M* mask [[buffer(1)]]) { x[0] = 1; }
template <typename T, int n, bool flag = false>
[[kernel, max_total_threads_per_threadgroup(n * 2)]] void gemm(device T* x [[buffer(0)]], device bool* mask [[buffer(1)]]) { x[0] = 2; }
template [[host_name("masked")]] [[kernel]] decltype(gemm<int, half, 32>) gemm<int, half, 32>;
template [[host_name("plain")]] [[kernel]] decltype(gemm<int, 32>) gemm<int, 32>;
template [[host_name("flagged")]] [[kernel]] decltype(gemm<int, 64, true>) gemm<int, 64, true>;
)");
  EXPECT_EQ(function(*shader, "masked").max_total_threads_per_threadgroup, 32U);
  EXPECT_EQ(function(*shader, "plain").max_total_threads_per_threadgroup, 64U);
  EXPECT_STREQ(function(*shader, "flagged").arguments[1].type, "device bool*");
  EXPECT_STREQ(function(*shader, "masked").arguments[1].type, "device half*");
  int x = 0;
  run(*shader, "flagged", {&x, nullptr});
  EXPECT_EQ(x, 2);
}

/// The second kernel cannot be instantiated: only for the first one is there a type.
const std::string four_kernels = R"(
template <typename T> kernel void k(device T* x) { x[0] = T::number; }
struct One { int value; static constexpr constant int number = 1; One(int v) : value(v) {} };
template [[host_name("o" "ne")]] kernel void k<One>(device One*);
template [[host_name("two")]] kernel void k<float>(device float*);
kernel void plain(device int* x) { x[0] = 3; }
template [[host_name("deduced")]] kernel void k(device One*);
)";

TEST(Strangers, AreCompiledKernelByKernel) {
  CompileOptions with = options();
  EXPECT_THAT(refusal(four_kernels, with), HasSubstr("error: type 'float' cannot be used prior to '::'"));
  with.kernels = {"one"};
  const auto one = compile(four_kernels, with);
  ASSERT_EQ(one->shader().function_count, 1U);
  int x = 0;
  run(*one, "one", {&x});
  EXPECT_EQ(x, 1);
  with.kernels = {"plain"};
  EXPECT_STREQ(compile(four_kernels, with)->shader().functions[0].name, "plain");
  with.kernels = {"deduced"};
  EXPECT_EQ(compile(four_kernels, with)->shader().function_count, 1U);
  with.kernels = {"one", "plain"};
  EXPECT_EQ(compile(four_kernels, with)->shader().function_count, 2U);
  with.kernels = {"two", "plain"};
  EXPECT_THAT(refusal(four_kernels, with), HasSubstr("error: type 'float' cannot be used prior to '::'"));
}

TEST(Strangers, DeclareSingleThingsWithTheLinkageOfC) {
  const auto shader = compile(R"(
extern "C" struct Pair { int first; int second; };
extern "C" int sum(Pair p) { int all = p.first + p.second; return all; }
extern "C" { int twice(int x) { return 2 * x; } }
kernel void k(device int* x) { x[0] = twice(sum({x[0], 3})); }
)",
                              options());
  int x = 4;
  run(*shader, "k", {&x});
  EXPECT_EQ(x, 14);
}

TEST(Strangers, AreListedWithoutACompilation) {
  const auto folder = TemporaryFolder::make(fs::temp_directory_path()).value();
  ASSERT_TRUE(write_file(folder.path() / "k.metal", R"(
constant bool has_bias [[function_constant(2 + 3)]];
template <typename T, int n> kernel void k(device const T* x, constant float& scale [[function_constant(has_bias)]],
                                           uint i [[thread_position_in_grid]]) { undeclared(x); }
template [[host_name("k_half")]] kernel void k<half, 3>(device const half*, constant float&, uint);
)"));
  CompileOptions with = options();
  with.cache = folder.path() / "cache";
  const auto listing = list_file(folder.path() / "k.metal", with);
  ASSERT_TRUE(listing) << listing.error().text;
  ASSERT_EQ(listing->kernels.size(), 1U);
  EXPECT_EQ(listing->kernels[0].name, "k_half");
  EXPECT_EQ(listing->kernels[0].line, 5U);
  ASSERT_EQ(listing->kernels[0].arguments.size(), 3U);
  EXPECT_EQ(listing->kernels[0].arguments[0].type, "device const half*");
  EXPECT_EQ(listing->kernels[0].arguments[1].condition, "has_bias");
  EXPECT_EQ(listing->kernels[0].arguments[2].place, "thread_position_in_grid");
  ASSERT_EQ(listing->constants.size(), 1U);
  EXPECT_EQ(listing->constants[0].index, "2 + 3");
  for (const auto& entry : fs::directory_iterator(with.cache))
    EXPECT_EQ(entry.path().extension(), ".preprocessed") << "left behind: " << entry.path();
}

TEST(Strangers, GetAMessageOfTheirOwnForAKernelThatReturnsSomething) {
  EXPECT_THAT(refusal("\nkernel int f(device int* x) { return x[0]; }"),
              HasSubstr("test.metal:2:12: error: kernel 'f' has to return void"));
}

TEST(Cache, LosesWhatWasNotUsedForLongest) {
  const auto folder = TemporaryFolder::make(fs::temp_directory_path()).value();
  const auto now = fs::file_time_type::clock::now();
  for (int n = 0; n < 4; ++n) {
    const fs::path file = folder.path() / std::to_string(n);
    ASSERT_TRUE(write_file(file, std::string(100, 'x')));
    fs::last_write_time(file, now - std::chrono::hours(n));
  }
  for (const char* name : {"assay-old", "assay-new"}) fs::create_directories(folder.path() / name / "inside");
  fs::last_write_time(folder.path() / "assay-old", now - std::chrono::hours(25));
  trim_cache(folder.path(), 250);
  std::vector<std::string> left;
  for (const auto& entry : fs::directory_iterator(folder.path())) left.push_back(entry.path().filename());
  EXPECT_THAT(left, testing::UnorderedElementsAre("0", "1", "assay-new"));
}

}  // namespace
}  // namespace assay::metal::emulator::test
