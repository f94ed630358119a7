// From the text of a .metal to a shader that runs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "metal/device/or_throw.h"
#include "metal/emulator/compile/clang.h"
#include "metal/emulator/compile/files.h"
#include "shader_stand_in.h"
#include "tests/matchers.h"

namespace assay::metal::emulator::test {
namespace {

constexpr const char* doubling = R"(
#include <metal_stdlib>
using namespace metal;
kernel void twice(device const float* in, device float* out, uint i [[thread_position_in_grid]]) {
  out[i] = 2 * in[i];
}
)";

TEST(Compile, RunsAKernelCheckedAndUnchecked) {
  for (const bool is_checked : {true, false}) {
    const auto shader = compile(doubling, options(is_checked));
    std::array<float, 2> in = {1.5F, 3.0F}, out = {};
    run(*shader, "twice", {in.data(), out.data()}, 1);
    EXPECT_EQ(out[0], 0.0F);
    EXPECT_EQ(out[1], 6.0F);
    EXPECT_EQ(shader->shader().is_checked, is_checked ? 1U : 0U);
    EXPECT_EQ(calls().has_access(&in[1], abi::Access::read, 4), is_checked);
    EXPECT_EQ(calls().has_access(&out[1], abi::Access::write, 4), is_checked);
  }
}

TEST(Compile, SaysWhereAnErrorIs) {
  const std::string text = refusal("\n\nkernel void f(device float* x) { x[0] = y; }\n");
  EXPECT_THAT(text, HasSubstr("test.metal:3:41: error: use of undeclared identifier 'y'"));
  EXPECT_THAT(refusal("#include <missing.h>\n"), HasSubstr("test.metal:1:10: fatal error: 'missing.h' file not found"));
  EXPECT_THAT(
      refusal("kernel void f(device float* x [[buffer(0)]], constant int& n) { threadgroup float t[4]; x[n] = z; }"),
      HasSubstr("test.metal:1:96: error: use of undeclared identifier 'z'"));
}

TEST(Compile, TakesMacrosVersionsAndFolders) {
  CompileOptions with = options();
  with.language.macros["WIDTH"] = "3";
  with.language.metal_version = 310;
  with.language.folders.emplace_back(ASSAY_TEST_SHADERS);
  const auto shader = compile(
      "#include \"simd.metal\"\nkernel void f(device int* x) { x[0] = WIDTH; x[1] = __METAL_VERSION__; }", with);
  std::array<int, 2> x{};
  run(*shader, "f", {x.data()});
  EXPECT_EQ(x, (std::array{3, 310}));
  EXPECT_EQ(shader->shader().function_count, 2U);
}

/// Metal's headers have reserved names; ours have not, and are read before the macros.
TEST(Compile, NoMacroReachesTheLibrary) {
  CompileOptions with = options();
  std::string defined;
  for (const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrsuvw"; const char letter : letters) {
    with.language.macros[std::string(1, letter)] = "3";
    defined += fmt::format("#define {} 3\n", letter);
  }
  for (const char* const word : {"size", "index", "value", "result", "count", "width", "lane", "first", "element"}) {
    with.language.macros[word] = "3";
    defined += fmt::format("#define {} 3\n", word);
  }
  const std::string text =
      "#include <metal_stdlib>\nusing namespace metal;\n"
      "kernel void add(device float* x, uint y [[thread_position_in_grid]]) { x[y] = N * sqrt(x[y]) + size; }";
  for (const auto& shader : {compile(text, with), compile(defined + text, options())}) {
    std::array<float, 1> x{4};
    run(*shader, "add", {x.data()});
    EXPECT_EQ(x[0], 9);
  }
}

TEST(Compile, ReportsIndicesOutOfBounds) {
  const auto shader = compile("kernel void f(device int* x) {\n  int a[4] = {1, 2, 3, 4};\n  x[0] = a[x[1]];\n}");
  std::array<int, 2> x = {0, 3};
  run(*shader, "f", {x.data()});
  EXPECT_TRUE(calls().out_of_bounds.empty());
  x[1] = 4;
  run(*shader, "f", {x.data()});
  ASSERT_EQ(calls().out_of_bounds.size(), 1U);
  EXPECT_EQ(calls().out_of_bounds[0].file, "test.metal");
  EXPECT_EQ(calls().out_of_bounds[0].line, 3U);
  EXPECT_EQ(calls().out_of_bounds[0].index, 4U);
}

TEST(Compile, ReportsEveryAccessOfMemory) {
  const auto shader = compile(R"(
#include <metal_stdlib>
using namespace metal;
constant float table[2] = {1, 2};
float from(constant float* p) { return p[1]; }
kernel void f(device float4* v, device packed_float3* p, device float* s, constant uint& n) {
  v[0] = v[1];
  v[2].y = 1;
  v[3].zw = v[4].xy;
  v[5] += 1;
  v[6][1] = 2;
  p[1] = p[0];
  s[0] += from(table) + n;
})");
  alignas(16) std::array<float, 32> v{};
  std::array<float, 6> p{};
  float s = 0;
  unsigned n = 1;
  run(*shader, "f", {v.data(), p.data(), &s, &n});
  using abi::Access;
  EXPECT_TRUE(calls().has_access(&v[4], Access::read, 16));
  EXPECT_TRUE(calls().has_access(v.data(), Access::write, 16));
  EXPECT_TRUE(calls().has_access(&v[9], Access::write, 4));
  EXPECT_TRUE(calls().has_access(&v[16], Access::read, 4) && calls().has_access(&v[17], Access::read, 4));
  EXPECT_TRUE(calls().has_access(&v[14], Access::write, 4) && calls().has_access(&v[15], Access::write, 4));
  EXPECT_FALSE(calls().has_access(&v[12], Access::write, 4));
  for (std::size_t i = 20; i < 24; ++i) {
    EXPECT_TRUE(calls().has_access(&v[i], Access::read, 4)) << i;
    EXPECT_TRUE(calls().has_access(&v[i], Access::write, 4)) << i;
  }
  EXPECT_TRUE(calls().has_access(&v[25], Access::write, 4));
  EXPECT_TRUE(calls().has_access(p.data(), Access::read, 12) && calls().has_access(&p[3], Access::write, 12));
  EXPECT_TRUE(calls().has_access(&s, Access::read, 4) && calls().has_access(&s, Access::write, 4));
  EXPECT_TRUE(calls().has_access(&n, Access::read, 4));
}

TEST(Compile, GivesEachLibraryFunctionConstantsOfItsOwn) {
  const char* source =
      "constant int n [[function_constant(2)]];\nconstant int m = is_function_constant_defined(n) ? 2 * n : -1;\n"
      "kernel void f(device int* x) { x[0] = n; x[1] = m; }\n";
  const auto one = compile(source), other = compile(source);
  const abi::Constant& constant = one->shader().constants[0];
  EXPECT_STREQ(constant.name, "n");
  EXPECT_STREQ(constant.type, "int");
  EXPECT_EQ(constant.index, 2U);
  *static_cast<int*>(constant.storage) = 21;
  *constant.is_set = true;
  one->shader().constants_written();
  std::array<int, 2> x{};
  run(*one, "f", {x.data()});
  EXPECT_EQ(x, (std::array{21, 42}));
  run(*other, "f", {x.data()});
  EXPECT_EQ(x, (std::array{0, -1}));
}

TEST(Compile, GivesEachInstantiationThreadgroupMemoryOfItsOwn) {
  const auto shader = compile(
      "template <int N> void g(device int* x) { threadgroup int a[N], b; a[0] += N; b = 1; x[0] = a[0]; }\n"
      "kernel void f(device int* x) { g<3>(x); g<4>(x); g<3>(x); }\n");
  int x = 0;
  run(*shader, "f", {&x});
  EXPECT_EQ(x, 6);
  EXPECT_EQ(calls().threadgroup_names, (std::vector<std::string>{"a", "b", "a", "b"}));
}

TEST(Compile, NamesTheSiteOfEachBarrierAndCollective) {
  const auto shader = compile(
      "#include <metal_stdlib>\nusing namespace metal;\nkernel void f(device float* x) {\n"
      "  threadgroup_barrier(mem_flags::mem_device); threadgroup_barrier(mem_flags::mem_none);\n  x[0] = "
      "simd_sum(x[0]);\n}\n");
  float x = 2;
  run(*shader, "f", {&x});
  ASSERT_EQ(calls().barriers.size(), 3U);
  EXPECT_EQ(calls().barriers[0].file, "test.metal");
  EXPECT_EQ(calls().barriers[0].line, 4U);
  EXPECT_EQ(calls().barriers[0].column, 3U);
  EXPECT_EQ(calls().barriers[0].flags, abi::mem_device);
  EXPECT_EQ(calls().barriers[1].column, 47U);
  EXPECT_EQ(calls().barriers[1].flags, abi::mem_none);
  EXPECT_EQ(calls().barriers[2].line, 5U);
}

TEST(Compile, RunsShadersAsStrangersWriteThem) {
  const auto shader = compile(shader_file("strangers.metal"), options(false));
  struct {
    unsigned rows = 1, columns = 32;
    std::array<float, 3> scale = {0, 2, 0};
  } shape;
  std::vector<float> in(32), out(1);
  for (std::size_t n = 0; n < 32; ++n) in[n] = static_cast<float>((n * 7) % 32);
  run_simdgroup(*shader, "rows_float", {in.data(), out.data(), &shape});
  EXPECT_EQ(out[0], 62.0F);
  EXPECT_EQ(function(*shader, "rows_half").max_total_threads_per_threadgroup, 64U);
  EXPECT_STREQ(function(*shader, "rows_half").arguments[0].element_type, "half");
  EXPECT_EQ(function(*shader, "rows_half").arguments[2].element_size, 20U);
  EXPECT_STREQ(function(*shader, "rows_half").arguments[4].element_type, "uint2");
}

TEST(Cache, CompilesAgainOnlyWhatHasChanged) {
  const auto folder = TemporaryFolder::make(std::filesystem::temp_directory_path()).value();
  CompileOptions with = options();
  with.cache = folder.path() / "not" / "there yet";
  const auto objects = [&] {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(with.cache))
      count += entry.path().extension() == ".so" ? 1U : 0U;
    return count;
  };
  const auto first = compile(doubling, with);
  EXPECT_EQ(objects(), 1U);
  const auto written = std::filesystem::last_write_time(first->object());
  EXPECT_EQ(compile(doubling, with)->object(), first->object());
  EXPECT_EQ(std::filesystem::last_write_time(first->object()), written);
  compile("// a comment changes nothing but lines\n" + std::string(doubling), with);
  with.is_checked = false;
  compile(doubling, with);
  EXPECT_EQ(objects(), 3U);
  for (const auto& entry : std::filesystem::directory_iterator(with.cache))
    EXPECT_THAT(entry.path().extension(), testing::AnyOf(".so", ".analysis", ".preprocessed", ".library"))
        << "left behind: " << entry.path();
}

TEST(Cache, RecoversFromObjectsThatAreBroken) {
  const auto folder = TemporaryFolder::make(std::filesystem::temp_directory_path()).value();
  CompileOptions with = options();
  with.cache = folder.path();
  const auto object = compile(doubling, with)->object();
  ASSERT_TRUE(write_file(object, "not a shared object"));
  EXPECT_NO_THROW(compile(doubling, with));
}

/// A write that the system lost half of would else make every shader fail.
TEST(Cache, PrecompilesItsLibraryOnceAndAgainWhereThatIsBroken) {
  const auto folder = TemporaryFolder::make(std::filesystem::temp_directory_path()).value();
  CompileOptions with = options();
  with.cache = folder.path();
  compile(doubling, with);
  std::filesystem::path library;
  for (const auto& entry : std::filesystem::directory_iterator(with.cache))
    if (entry.path().extension() == ".library") library = entry.path();
  ASSERT_FALSE(library.empty());
  const auto written = std::filesystem::last_write_time(library);
  compile(std::string(doubling) + "constant int another = 1;\n", with);
  EXPECT_EQ(std::filesystem::last_write_time(library), written);
  const auto whole = std::filesystem::file_size(library);
  std::filesystem::resize_file(library, whole / 2);
  EXPECT_NO_THROW(compile(std::string(doubling) + "constant int third = 1;\n", with));
  EXPECT_EQ(std::filesystem::file_size(library), whole);
}

TEST(Clang, IsAskedForByItsPackageWhereItIsNot) {
  setenv("ASSAY_CLANG", "/nowhere/clang++", 1);
  const auto absent = compile_source(doubling, "test.metal", options());
  setenv("ASSAY_CLANG", "/bin/true", 1);
  const auto other = compile_source(doubling, "test.metal", options());
  unsetenv("ASSAY_CLANG");
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().kind, Error::Kind::environment);
  EXPECT_THAT(absent.error().text, HasSubstr("could not be started as '/nowhere/clang++'"));
  EXPECT_THAT(absent.error().text, HasSubstr("install the package clang-19"));
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().text, HasSubstr("'/bin/true' is not clang"));
}

/// A clang that finds no linker: all its other steps work.
TEST(Clang, IsNoUseWithoutALinker) {
  const auto folder = TemporaryFolder::make(std::filesystem::temp_directory_path()).value();
  const auto clang = folder.path() / "clang++";
  ASSERT_TRUE(write_file(
      clang, fmt::format("#!/bin/sh\nPATH={} exec {} \"$@\"\n", folder.path().string(), or_throw(find_clang()).path)));
  std::filesystem::permissions(clang, std::filesystem::perms::owner_all);
  setenv("ASSAY_CLANG", clang.c_str(), 1);
  CompileOptions with = options();
  with.cache = folder.path();
  const auto unlinked = compile_source(doubling, "test.metal", with);
  const auto wrong = compile_source("kernel void k() { x; }", "test.metal", with);
  unsetenv("ASSAY_CLANG");
  ASSERT_FALSE(unlinked);
  EXPECT_EQ(unlinked.error().kind, Error::Kind::environment);
  EXPECT_THAT(unlinked.error().text, HasSubstr("cannot link a shared library: install a linker"));
  EXPECT_THAT(unlinked.error().text, HasSubstr("\"ld\" doesn't exist"));
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().kind, Error::Kind::compile) << wrong.error().text;
  EXPECT_TRUE(require_linker(or_throw(find_clang())));
}

TEST(Compile, SaysWhichFileIsNotThere) {
  const auto result = compile_file("/nowhere/a.metal", options());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, Error::Kind::environment);
  EXPECT_THAT(result.error().text, HasSubstr("cannot read '/nowhere/a.metal': No such file"));
}

}  // namespace
}  // namespace assay::metal::emulator::test
