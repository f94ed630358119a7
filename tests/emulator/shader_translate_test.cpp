// What the translator does and what it refuses, on text without directives.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "metal/device/or_throw.h"
#include "metal/emulator/translate/translate.h"
#include "tests/matchers.h"

namespace assay::metal::emulator::test {
namespace {

/// The translation without the registration, or the error's text.
std::string translated(const std::string& text) {
  const auto result = translate("# 1 \"t.metal\"\n" + text);
  return result ? result->substr(0, result->find("# 1 \"registration\"")) : result.error().text;
}

std::string registered(const std::string& text) {
  const auto result = translate("# 1 \"t.metal\"\n" + text);
  return result ? result->substr(result->find("# 1 \"registration\"")) : result.error().text;
}

TEST(Threadgroup, VariablesGetMemoryOfTheGroup) {
  const std::string text =
      translated("void f() {\n  threadgroup float a[2][N], b;\n  threadgroup const S<T, 2> s[4];\n}");
  EXPECT_THAT(text, HasSubstr("using assay_type_0 = float [2][N]; assay_type_0& a = "));
  EXPECT_THAT(text, HasSubstr("using assay_type_1 = float ; assay_type_1& b = "));
  EXPECT_THAT(text, HasSubstr("using assay_type_2 = const S < T , 2 > [4]; assay_type_2& s = "));
  EXPECT_THAT(translated("void f() { float threadgroup a[4]; }"), HasSubstr("using assay_type_0 = float [4];"));
  EXPECT_THAT(translated("void f() { threadgroup float a[2] = {0}; }"),
              AllOf(HasSubstr("float [2]"), Not(HasSubstr("{0}"))));
}

TEST(Threadgroup, PointersAndReferencesLoseTheKeyword) {
  for (const char* text :
       {"threadgroup float* f(threadgroup float* p);", "void f(const threadgroup T* const p, threadgroup S& s);",
        "void f(threadgroup float (&a)[4], threadgroup float (*p)[4]);", "using P = threadgroup float*;",
        "void f() { auto p = (threadgroup float4*)q; }",
        "void f() { auto p = reinterpret_cast<threadgroup half*>(q); }",
        "void f() { threadgroup float* p = q; float threadgroup* r = p; }",
        "void f() { auto a = tensor<threadgroup const half, E, tensor_inline>(p, e); }",
        "template <typename P = threadgroup int*> void f(P p);",
        "struct S { threadgroup float* p; float get() const threadgroup { return 1; } };"})
    EXPECT_THAT(translated(text), AllOf(Not(HasSubstr("threadgroup")), Not(HasSubstr("error")))) << text;
}

TEST(Threadgroup, RefusesWhatItCannotTellApart) {
  const std::pair<const char*, const char*> refused[] = {
      {"threadgroup float x;", "t.metal:1:1: error: 'x' in threadgroup memory has to be declared within a function"},
      {"void f(threadgroup float x) {}", "t.metal:1:8: error: 'x' in threadgroup memory has to be declared within"},
      {"struct S { threadgroup float x; };", "t.metal:1:12: error: 'x' in threadgroup memory has to be declared"},
      {"void f() { for (threadgroup int i;;) {} }", "t.metal:1:17: error: cannot tell whether 'i' is a variable"},
      {"void f() { threadgroup float *p, x[3]; }", "t.metal:1:34: error: declare pointers and variables"},
      {"void f() { threadgroup float x[3], *p; }", "t.metal:1:12: error: declare pointers and variables"},
      {"void f() { float* threadgroup p; }", "t.metal:1:19: error: 'threadgroup' has to qualify"},
      {"void f() { g<threadgroup float>(); }", "t.metal:1:14: error: 'threadgroup' has to qualify"},
      {"void f() { typedef threadgroup float X; }", "t.metal:1:20: error: cannot tell whether 'X' is a variable"},
      {"void f() { using X = threadgroup float; }", "t.metal:1:22: error: 'threadgroup' has to qualify"},
      {"void f() { alignas(16) threadgroup float x; }", "t.metal:1:24: error: cannot tell whether 'x'"},
      {"void f() { threadgroup struct { int a; } s; }", "t.metal:1:12: error: cannot tell"},
      {"void f() { threadgroup float x : 3; }", "t.metal:1:32: error: expected ',', ';' or '['"},
  };
  for (const auto& [text, message] : refused) EXPECT_THAT(translated(text), HasSubstr(message)) << text;
}

TEST(ProgramPositions, AreNoConstants) {
  EXPECT_THAT(
      translated("constant uint gid [[thread_position_in_grid]];\nkernel void f(device uint* x) { x[gid] = 1; }"),
      HasSubstr("t.metal:1:1: error: a thread's position at program scope is no constant: declare it without"));
  EXPECT_THAT(translated("uint gid [[thread_position_in_grid]];\nkernel void f(device uint* x) { x[gid] = 1; }"),
              Not(HasSubstr("error")));
}

TEST(KernelNames, DifferInTheFilesOfALibrary) {
  const std::string kernel = "kernel void f(device int* x) {}\n";
  EXPECT_THAT(
      translated(kernel + "# 1 \"u.metal\"\n" + kernel),
      HasSubstr("u.metal:1:13: error: kernel \"f\" is at t.metal:1:13 too: kernels of one library have different"));
  EXPECT_THAT(translated(kernel + "# 1 \"u.metal\"\nkernel void g(device int* x) {}\n"), Not(HasSubstr("error")));
}

TEST(Tokens, LoseAddressSpacesAndAttributes) {
  EXPECT_EQ(translated("device T* f(constant int& n [[id(0)]]) { [[unroll]] for (;;) {} }").find("[["),
            std::string::npos);
  EXPECT_THAT(translated("void f(constant int& n);"), HasSubstr("const"));
  EXPECT_THAT(translated("constant half x = 1.5h; constant auto y = 2bf; constant int z = 0xbf;"),
              AllOf(HasSubstr("((_Float16)1.5l)"), HasSubstr("((bfloat)2)"), HasSubstr("0xbf")));
  EXPECT_THAT(translated("constant double x;"), HasSubstr("t.metal:1:10: error: 'double' is not supported in Metal"));
  EXPECT_THAT(translated("bool f() { return is_function_constant_defined(); }"), HasSubstr("needs a name"));
}

TEST(Pragmas, AreKeptIfClangGivesThemTheMeaningOfMetal) {
  EXPECT_EQ(translated("#pragma unroll (MIN(2, N))\nconstant int x = 0;\n").find("MIN"), std::string::npos);
  EXPECT_THAT(
      translated("  #pragma clang loop unroll(full)\nconstant int x = y_;\n#pragma pack(4)\n#pragma other\n"),
      AllOf(Not(HasSubstr("unroll")), HasSubstr("int x"), HasSubstr("#pragma pack(4)"), Not(HasSubstr("other"))));
}

TEST(Overloads, ThatDifferInAddressSpacesOnlyAreOne) {
  const std::string same =
      translated("float f(device int* p) { return *p; }\nfloat f(threadgroup int* p) { return *p; }\n");
  EXPECT_EQ(same.find("return *p", same.find("return *p") + 1), std::string::npos);
  EXPECT_THAT(translated("float f(device int* p) { return 1; }\nfloat f(threadgroup int* p) { return 2; }\n"),
              HasSubstr("t.metal:1:1: error: another declaration differs from this one in address spaces only"));
  const std::string other =
      translated("float f(device int* p) { return 1; }\nfloat f(constant int* p) { return 2; }\n");
  EXPECT_THAT(other, HasSubstr("return 2"));
}

TEST(Constants, BecomeStorage) {
  const std::string text = translated(
      "constant bool a [[function_constant(3)]];\nconstant int b = is_function_constant_defined(a) ? 1 : 2;\nconstant "
      "int c = 0;");
  EXPECT_THAT(text, HasSubstr("static bool assay_storage_a; static const bool& a = assay_storage_a;"));
  EXPECT_THAT(text, HasSubstr("assay_index_a = (3)"));
  EXPECT_THAT(text, HasSubstr("static void assay_compute_b() { assay_storage_b = "));
  EXPECT_THAT(text, HasSubstr("(assay_is_set_a)"));
  EXPECT_THAT(translated("constant bool a[2] [[function_constant(3)]];"), HasSubstr("expected one scalar or vector"));
  EXPECT_THAT(translated("constant bool a [[function_constant]];"), HasSubstr("function_constant needs an index"));
  EXPECT_THAT(translated("constant int a [[function_constant(0)]];\ntemplate <class T> constant T b = a;"),
              HasSubstr("t.metal:2:1: error: a template cannot depend on function constants"));
}

TEST(Kernels, HaveTheirArgumentsInATable) {
  const std::string text = registered(
      "kernel void f(device float* a, constant S& s [[buffer(0)]], const device T *b, threadgroup int* t, "
      "uint2 g [[thread_position_in_grid]]) {}");
  EXPECT_THAT(text, HasSubstr("(\"a\", \"device float*\", abi::ArgumentKind::buffer, abi::AddressSpace::device, 1,"));
  EXPECT_THAT(text, HasSubstr("(\"s\", \"constant S&\", abi::ArgumentKind::buffer, abi::AddressSpace::constant, 0,"));
  EXPECT_THAT(text,
              HasSubstr("(\"b\", \"const device T *\", abi::ArgumentKind::buffer, abi::AddressSpace::device, 2,"));
  EXPECT_THAT(text, HasSubstr("abi::ArgumentKind::threadgroup, abi::AddressSpace::threadgroup, 0,"));
  EXPECT_THAT(text, HasSubstr("\"thread_position_in_grid\""));
  EXPECT_THAT(text, HasSubstr("{\"f\", \"t.metal\", 1, 13,"));
}

TEST(Kernels, TakeEnumeratorsForIndices) {
  const std::string text = registered(
      "enum Index { rows_index = 3, losses_index = 7 };\n"
      "kernel void f(device int* a [[buffer(losses_index)]], device int* b [[buffer(rows_index)]]) {}");
  EXPECT_THAT(text, HasSubstr("abi::ArgumentKind::buffer, abi::AddressSpace::device, 7,"));
  EXPECT_THAT(text, HasSubstr("abi::ArgumentKind::buffer, abi::AddressSpace::device, 3,"));
}

TEST(Unused, LeavesTheTextOfTheKernelsThatAreNamed) {
  const std::string text =
      "# 1 \"t.metal\"\n"
      "struct Shared { float x; };\n"
      "struct Lit { Shared inner; };\n"
      "float lit(Lit l) { return dfdx(l.inner.x); }\n"
      "float both(Shared s) { return s.x; }\n"
      "fragment float4 shade(Lit l [[stage_in]]) { return lit(l) + both(l.inner); }\n"
      "kernel void one(device Shared* s) { s->x = both(*s); threadgroup_barrier(mem_flags::mem_device); }\n"
      "template <typename T> kernel void two(device T* p) { *p = 2; threadgroup_barrier(mem_flags::mem_none); }\n"
      "template [[host_name(\"two_float\")]] kernel void two<float>(device float*);\n";
  const auto lines_of = [&](const KernelNames& kernels) {
    const std::string left = or_throw(text_of_kernels(text, kernels));
    EXPECT_EQ(std::ranges::count(left, '\n'), std::ranges::count(text, '\n'));
    std::vector<int> lines;
    std::istringstream stream(left);
    std::string line;
    for (int n = 0; std::getline(stream, line); ++n)
      if (n > 0 && line.find_first_not_of(' ') != std::string::npos) lines.push_back(n);
    return lines;
  };
  EXPECT_EQ(lines_of({}), (std::vector{1, 4, 6, 7, 8}));
  EXPECT_EQ(lines_of({"one"}), (std::vector{1, 4, 6}));
  EXPECT_EQ(lines_of({"two_float"}), (std::vector{7, 8}));
  EXPECT_EQ(lines_of({"one", "two_float"}), (std::vector{1, 4, 6, 7, 8}));
}

TEST(Kernels, RefuseParametersThatTheyCannotHave) {
  const std::pair<const char*, const char*> refused[] = {
      {"kernel void f(float* a) {}", "t.metal:1:15: error: parameter 'a' of the kernel has to be in device, constant"},
      {"kernel void f(device float a) {}", "parameter 'a' of the kernel has to be a pointer or a reference"},
      {"kernel void f(uint i) {}", "parameter 'i' of the kernel has no attribute that is known"},
      {"kernel void f(device uint* i [[thread_position_in_grid]]) {}", "is a pointer where a position is a value"},
      {"kernel void f(device int* a [[buffer(31)]]) {}",
       "parameter 'a' of the kernel has index '31': expected a constant from 0 to 30"},
      {"kernel void f(device int* a [[buffer(x)]]) {}", "has index 'x': expected a constant from 0 to 30"},
      {"kernel void f(device int* a [[buffer(1 - 2)]]) {}", "has index '1 - 2': expected a constant"},
      {"enum { x = x }; kernel void f(device int* a [[buffer(x)]]) {}", "has index 'x': expected a constant"},
      {"kernel void f(device int* a [[buffer(1 / 0)]]) {}", "has index '1 / 0': expected a constant"},
      {"kernel void f(device int* a [[threadgroup(0)]]) {}", "'device int*', which does not go with [[threadgroup]]"},
      {"kernel void f(device int* a [[buffer(1)]], device int* b [[buffer(1)]]) {}",
       "'b' of the kernel has index 1, which"},
      {"kernel void f(T t [[stage_in]]) {}", "parameter 't' of the kernel is a stage_in, which is not supported"},
      {"template [[host_name(\"g\")]] kernel void g<float>(device float*);", "there is no kernel template 'g'"},
      {"template <int N> [[max_total_threads_per_threadgroup(N)]] kernel void g(device float* a) {}\n"
       "template kernel void g(device float*);",
       "needs the template's arguments to be written out"},
  };
  for (const auto& [text, message] : refused) EXPECT_THAT(translated(text), HasSubstr(message)) << text;
}

TEST(Kernels, RefuseArgumentBuffersWithAnythingButBuffers) {
  const std::string kernel = "\nkernel void f(constant Args& a [[buffer(0)]]) {}";
  const std::pair<const char*, const char*> refused[] = {
      {"struct Args {\n  texture2d<float> t [[id(0)]];\n};",
       "t.metal:2:3: error: texture2d in an argument buffer, which kernel 'f' takes as 'a', is not supported"},
      {"struct Args { device float* p; array<texture2d<half>, 4> t [[id(1)]]; };", "t.metal:1:38: error: texture2d"},
      {"struct Args { sampler s; };", "t.metal:1:15: error: sampler in an argument buffer"},
      {"struct Args { texturecube<float> t; };", "texturecube in an argument buffer"},
      {"struct Args { raytracing::instance_acceleration_structure s; };", "instance_acceleration_structure in"},
      {"struct alignas(8) Args { metal::depth2d<float> t; };", "depth2d in an argument buffer"},
      {"typedef struct { texture1d<int> t; } Args;", "texture1d in an argument buffer"},
      {"struct Part { texture1d<int> t; }; struct Args { Part parts[2]; };", "t.metal:1:15: error: texture1d"},
      {"struct Args { device Args* next; texture3d<int> t; };", "texture3d in an argument buffer"},
  };
  for (const auto& [text, message] : refused) EXPECT_THAT(translated(text + kernel), HasSubstr(message)) << text;
  for (const char* text : {"struct Args { device float* p; uint texture2d; };",
                           "struct Args { float of(texture2d<float> t) { return 0; } };",
                           "struct Other { sampler s; }; struct Args { device float* p; };",
                           "struct Args { device Args* next; device const float4* p [[id(3)]]; };"})
    EXPECT_THAT(translated(text + kernel), Not(HasSubstr("error"))) << text;
  EXPECT_THAT(translated("struct T { texture2d<float> t; };\nkernel void f(texture2d<float> t) { T local = {t}; }"),
              Not(HasSubstr("error")));
}

TEST(Kernels, AreInstantiatedInThreeForms) {
  const std::string kernel = "template <typename T> kernel void k(device T* a) {}\n";
  const std::string by_type = translated(kernel + "template [[host_name(\"x\")]] kernel decltype(k<int>) k<int>;");
  EXPECT_THAT(by_type, HasSubstr("static constexpr auto assay_kernel_0 = &k<int>;"));
  const std::string in_full =
      translated(kernel + "template [[host_name(\"x\")]] [[kernel]] void k<int>(device int* a [[buffer(0)]]);");
  EXPECT_THAT(in_full, HasSubstr("static void assay_like_0(int * a)"));
  EXPECT_THAT(translated(kernel + "template kernel void k(device int*);"), HasSubstr("assay_kernel_0 = &k;"));
  EXPECT_THAT(translated(kernel + "template kernel void k<::ns::type<int>>(device ::ns::type<int>*);"),
              HasSubstr("assay_kernel_0 = &k<::ns::type<int>>;"));
  EXPECT_THAT(registered(kernel + "template [[host_name(\"x\" \"y\")]] kernel void k(device int*);"),
              HasSubstr("{\"x\" \"y\", \"t.metal\", 2,"));
}

}  // namespace
}  // namespace assay::metal::emulator::test
