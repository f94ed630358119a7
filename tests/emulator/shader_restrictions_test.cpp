// What C++ has and Metal does not, and private variables that are read before they are written: each beside a twin that
// is right.
#include <gtest/gtest.h>

#include "metal/emulator/compile/lint.h"
#include "metal/emulator/compile/private_reads.h"
#include "shader_stand_in.h"
#include "tests/matchers.h"

namespace assay::metal::emulator::test {
namespace {

/// What lint says of the source, whose first line is line 3.
std::string lint_text(const std::string& source) {
  const auto result =
      lint_source("#include <metal_stdlib>\nusing namespace metal;\n" + source, "test.metal", options());
  return result ? *result : result.error().text;
}

TEST(Restrictions, AreReportedAtTheirPlace) {
  const std::pair<const char*, const char*> refused[] = {
      {"int fact(int n) { return n < 2 ? 1 : n * fact(n - 1); }", "test.metal:3:5: error: 'fact' calls itself"},
      {"int odd(int n);\nint even(int n) { return n == 0 ? 1 : odd(n - 1); }\n"
       "int odd(int n) { return n == 0 ? 0 : even(n - 1); }",
       "test.metal:4:5: error: 'even' calls itself"},
      {"struct S { virtual int f() const thread { return 1; } };",
       "test.metal:3:12: error: 'virtual' is not supported"},
      {"kernel void f(device int* x) {\n  if (x[0] > 0) goto end;\n  x[0] = 1;\nend:\n  x[1] = 2;\n}",
       "test.metal:4:17: error: 'goto' is not supported"},
      {"int f() { static int n = 0; return ++n; }", "test.metal:3:11: error: a local variable cannot be static"},
      {"int counter = 3;", "test.metal:3:5: error: variable 'counter' at program scope has to be in the constant"},
      {"kernel void f(device int* x, float i [[thread_position_in_grid]]) { x[0] = i; }",
       "test.metal:3:30: error: parameter 'i' is float: [[thread_position_in_grid]] has to be ushort, uint"},
      {"kernel void f(device int* x, int2 i [[thread_position_in_grid]]) { x[0] = i.x; }",
       "test.metal:3:30: error: parameter 'i' is int2"},
  };
  for (const auto& [source, message] : refused) EXPECT_THAT(lint_text(source), HasSubstr(message)) << source;
}

TEST(Restrictions, LetTheirTwinsPass) {
  for (const char* source :
       {"int fact(int n) { int f = 1; for (int i = 2; i <= n; ++i) f *= i; return f; }",
        "float size(float x) { return x; }\nfloat size(float2 v) { return size(v.x); }",
        "template <int n> int sum() { if constexpr (n > 0) return n + sum<n - 1>(); else return 0; }",
        "struct S { int f() const thread { return 1; } S() = delete; };", "struct S; struct S { int x; };",
        "constant int counter = 3; constexpr constant int two = 2; typedef int Number; using Other = int;",
        "int f() { static constexpr constant int n = 3; return n; }",
        "kernel void f(device int* x, ushort3 i [[thread_position_in_grid]], uint l [[thread_index_in_simdgroup]]) { "
        "x[i.x] = l; }"})
    EXPECT_EQ(lint_text(source), "") << source;
}

/// Published kernels call the standard library from templates.
TEST(Lint, TakesCallsOfTheStandardLibraryFromTemplates) {
  EXPECT_EQ(lint_text(R"(
template <typename T> void add(device atomic<T>* p, T v) { atomic_fetch_add_explicit(p, v, memory_order_relaxed); }
template <typename T> T load(threadgroup const T* p) {
  simdgroup_matrix<T, 8, 8> m;
  simdgroup_load(m, p, 8);
  return m.thread_elements()[0];
}
struct Pair { float a, b; float sum() const thread { return a + b; } };
Pair make(float x) { return {x, x}; }
template <typename T> struct Block {
  T values[2];
  thread T& at(int i) { return values[i]; }
  const thread T& at(int i) const { return values[i]; }
};
template <int n> struct Number { constexpr operator int() const { return n; } };
template <typename P, typename N> float at(P src, N off) { src += off; return src[0] + *(src + off); }
template <typename T> kernel void f(device T* x, device atomic<T>* n, threadgroup T* s [[threadgroup(0)]]) {
  add(n, T(1));
  Block<T> block;
  block.at(0) = load(s);
  x[0] = block.at(0) + make(2).sum() + at(x, Number<1>()) + at(s, Number<2>());
}
template [[host_name("f_float")]] kernel void f<float>(device float*, device atomic<float>*, threadgroup float*);
)"),
            "");
}

/// Two pointers are another matter.
TEST(Lint, StillRefusesToCompareOrSubtractPointersToDifferentMemory) {
  EXPECT_THAT(lint_text("kernel void f(device float* x, threadgroup float* s [[threadgroup(0)]]) { x[0] = x - s; }"),
              HasSubstr("test.metal:3:84: error: "));
}

TEST(PrivateReads, OfScalarsAreWarnedOf) {
  EXPECT_THAT(
      lint_text("kernel void f(device float* x) {\n  float sum;\n  for (int i = 0; i < 4; ++i)\n    sum += x[i];\n"
                "  x[0] = sum;\n}"),
      HasSubstr("test.metal:6:5: warning: variable 'sum' is uninitialized when used here"));
  EXPECT_THAT(
      lint_text("template <typename T> kernel void f(device T* x) {\n  T a;\n  if (x[0] > 0)\n    a = 1;\n"
                "  x[1] = a;\n}\ntemplate [[host_name(\"g\")]] kernel void f<half>(device half*);"),
      HasSubstr("test.metal:5:7: warning: variable 'a' is used uninitialized whenever 'if' condition is false"));
  EXPECT_EQ(
      lint_text(
          "kernel void f(device float* x) {\n  float sum;\n  sum = 0;\n  int n;\n  if (x[0] > 0) n = 1; else n = 2;\n"
          "  x[0] = sum + n;\n}"),
      "");
}

TEST(PrivateReads, OfArraysVectorsAndMembersAreWarnedOf) {
  const std::pair<const char*, const char*> faults[] = {
      {"float a[4];\n  for (int i = 0; i < 4; ++i) a[i] += x[i];\n  x[0] = a[0];", "test.metal:5:36: warning: "},
      {"float4 v;\n  for (int i = 0; i < 4; ++i) v[i] += x[i];\n  x[0] = v.x;", "test.metal:5:36: warning: "},
      {"float4 v;\n  v += float4(x[0]);\n  x[0] = v.x;", "test.metal:5:3: warning: "},
      {"struct { float a, b; } p;\n  p.a = 1;\n  x[0] = p.a + p.b;", "test.metal:6:14: warning: "},
  };
  for (const auto& [statements, place] : faults)
    EXPECT_THAT(lint_text("kernel void f(device float* x) {\n  " + std::string(statements) + "\n}"), HasSubstr(place))
        << statements;
  for (const char* statements :
       {"float a[8]; for (int i = 0; i < 8; ++i) a[i] = x[i]; for (int i = 0; i < 8; ++i) x[i] = 2 * a[i];",
        "float4 v; v = float4(x[0]); x[0] = v.y;", "float2 v; v.x = 1; v.y = x[0]; x[0] = v.x + v.y;",
        "float m; for (int i = 0; i < 4; ++i) m = i == 0 ? x[0] : max(m, x[i]); x[0] = m;",
        "float m; if (x[1] > 0) m = 1; else m = 2; x[0] = m;"})
    EXPECT_EQ(lint_text("kernel void f(device float* x) { " + std::string(statements) + " }"), "") << statements;
}

TEST(PrivateReads, AreReadFromClangsMessages) {
  const auto reads = private_reads(
      "a.metal:3:7: warning: The left operand of '+' is a garbage value [core.UndefinedBinaryOperatorResult]\n"
      "a.metal:3:5: warning: variable 'x' is uninitialized when used here [-Wuninitialized]\n"
      "a.metal:2:3: note: initialize the variable 'x' to silence this warning\n"
      "a.metal:9:7: warning: variable 'y' is used uninitialized whenever 'if' condition is false "
      "[-Wsometimes-uninitialized]\n"
      "/headers/v.h:7:1: warning: The left operand of '+' is a garbage value [core.UndefinedBinaryOperatorResult]\n"
      "a.metal:11:2: note: 'z' declared without an initial value\n"
      "a.metal:12:3: note: Calling 'operator+='\n/headers/v.h:7:1: note: The left operand of '+' is a garbage value\n"
      "a.metal:20:1: warning: something else [-Wother]\n3 warnings generated.\n",
      "/headers");
  ASSERT_EQ(reads.size(), 3U);
  EXPECT_EQ(reads[0].position, (SourcePosition{"a.metal", 3, 5}));
  EXPECT_TRUE(reads[0].is_certain);
  EXPECT_EQ(reads[1].what, "variable 'y' is used uninitialized whenever 'if' condition is false");
  EXPECT_FALSE(reads[1].is_certain);
  EXPECT_EQ(reads[2].position, (SourcePosition{"a.metal", 12, 3}));
  EXPECT_EQ(reads[2].what, "variable 'z' has no value when used here");
}

}  // namespace
}  // namespace assay::metal::emulator::test
