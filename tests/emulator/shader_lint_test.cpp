// What Apple's compiler refuses, each beside a twin that it takes.
#include <gtest/gtest.h>

#include "metal/emulator/compile/lint.h"
#include "metal/emulator/compile/lint_messages.h"
#include "shader_stand_in.h"
#include "tests/matchers.h"

namespace assay::metal::emulator::test {
namespace {

/// The refusals; empty if there are none.
std::string lint(const std::string& source) {
  const auto result =
      lint_source("#include <metal_stdlib>\nusing namespace metal;\n" + source, "test.metal", options());
  if (result) return *result;
  EXPECT_EQ(result.error().kind, Error::Kind::lint) << result.error().text;
  return result.error().text;
}

constexpr const char* helpers = R"(
float of_thread(thread const float* p) { return *p; }
float of_group(threadgroup const float* p) { return *p; }
float of_constant(constant float* p) { return *p; }
template <typename T> T of_device(device const T* p) { return *p; }
constant float table[2] = {1, 2};
struct Point { float x, y; float sum() const { return x + y; } };
)";

std::string with_helpers(const char* kernels) {
  std::string source = helpers;
  source += kernels;
  return source;
}

TEST(Lint, RefusesPointersToOtherMemory) {
  const std::string text = lint(with_helpers(R"(
kernel void f(device float* a, constant float& c, constant float* t, device Point* points) {
  threadgroup float s[4];
  a[0] = of_thread(a);
  a[1] = of_group(a);
  a[2] = of_constant(a);
  a[3] = of_device(s);
  thread float* q = a;
  device float* d = s;
  a[4] = of_thread((thread const float*)t);
})"));
  EXPECT_THAT(text, HasSubstr("test.metal:13:10: error: no matching function for call to 'of_thread'"));
  EXPECT_THAT(text, HasSubstr("cannot pass pointer to address space 'device' as a pointer to address space 'thread'"));
  EXPECT_THAT(text, HasSubstr("test.metal:14:10: error: no matching function for call to 'of_group'"));
  EXPECT_THAT(text, HasSubstr("test.metal:15:10: error: no matching function for call to 'of_constant'"));
  EXPECT_THAT(text, HasSubstr("test.metal:16:10: error: no matching function for call to 'of_device'"));
  EXPECT_THAT(text, HasSubstr("test.metal:17:17: error: cannot initialize a variable of type 'thread float *' with an "
                              "lvalue of type 'device float *'"));
  EXPECT_THAT(text, HasSubstr("test.metal:18:17: error: cannot initialize a variable of type 'device float *'"));
  EXPECT_THAT(text, HasSubstr("test.metal:19:20: error: C-style cast from"));
  EXPECT_THAT(text, AllOf(Not(HasSubstr("__private")), Not(HasSubstr("__global")), Not(HasSubstr("__local"))));
}

TEST(Lint, TakesPointersToTheirOwnMemory) {
  EXPECT_EQ(lint(with_helpers(R"(
constant bool wanted [[function_constant(0)]];
template <typename T>
kernel void f(device T* a, constant float& c, constant float* t, device Point* points, constant Point& given,
              device atomic_uint* count, threadgroup float4* v [[threadgroup(0)]],
              uint i [[thread_position_in_grid]]) {
  threadgroup float s[4];
  float own[2] = {c, 1.0h};
  a[0] = of_thread(own);
  a[1] = of_group(s) + of_constant(t) + of_constant(table) + of_device(a);
  thread float* q = own;
  device T* d = a + i;
  threadgroup float* e = s;
  Point p = points[0], g = given;
  v[0].xy = v[1].yx;
  v[0] += float4(p.sum(), given.x, g.y, points[1].x);
  atomic_fetch_add_explicit(count, 1u, memory_order_relaxed);
  a[2] = *q + *d + *e + (is_function_constant_defined(wanted) && wanted ? 1 : 0) + simd_sum(v[0].x);
  threadgroup_barrier(mem_flags::mem_threadgroup);
}
template [[host_name("f_float")]] kernel void f<float>(device float*, constant float&, constant float*, device Point*,
                                                       constant Point&, device atomic_uint*, threadgroup float4*, uint);
)")),
            "");
}

TEST(Lint, RefusesAddressesOfComponentsOfVectors) {
  const std::string text = lint(R"(
kernel void f(device float* a, constant float4& c, device float4* v, threadgroup float2* s [[threadgroup(0)]]) {
  thread float4 own = v[0];
  thread float* q = &own.y;
  device float* d = &v[1].b;
  threadgroup float* t = &(s->x);
  thread float* e = &own[1];
  device float* g = &v[1][2];
  constant float* h = &c[1];
  a[0] = q[1] + d[1] + t[1] + *e + *g + *h;
})");
  for (const char* place : {"6:21", "7:21", "8:26", "9:21", "10:21", "11:23"})
    EXPECT_THAT(text, HasSubstr(std::string("test.metal:") + place + ": error: address of vector element requested"));
}

TEST(Lint, RefusesReferencesToComponentsOfVectors) {
  const std::string text = lint(R"(
kernel void f(device float* a, device float4* v, threadgroup half2* s [[threadgroup(0)]]) {
  thread float4 own = v[0];
  thread float& q = own.y;
  device float& d = v[1].b;
  threadgroup half& t = s->x;
  thread float& e = own[1];
  device float& g = v[1][2];
  threadgroup half& h = s[0][1];
  thread auto& i = own[2];
  a[0] = q + d + t + e + g + h + i;
})");
  for (const char* place : {"6:17", "7:17", "8:21", "9:17", "10:17", "11:21", "12:16"})
    EXPECT_THAT(text, HasSubstr(std::string("test.metal:") + place +
                                ": error: non-const reference cannot bind to vector element"));
}

TEST(Lint, TakesComponentsOfVectors) {
  EXPECT_EQ(lint(R"(
struct Point { float x, y; packed_float2 at; };
constant float2 table[1] = {float2(1, 2)};
constexpr constant float4 four = {1, 2, 3, 4};
template <typename T> T larger(T a, T b) { return a > b ? a : b; }
float twice(thread const float& x) { return 2 * x; }
struct Scale { static float f(thread const float& x, int n) { return n > 0 ? x * n : 0; } };
template <typename P> float scaled(P p, float x, float y) {
  float2 both(x);
  both[1] = *p;
  return Scale::f(both[0] + y, 2) + Scale::f(3, 1) + both[1];
}
kernel void f(device float* a, device half4* h, device bfloat2* b, constant float4& c, device Point* points,
              volatile device float4* v, threadgroup int2* s [[threadgroup(0)]], device const uint3* u) {
  Point p = points[0];
  thread float* q = &p.x;
  device float* d = &points[1].y;
  thread float3 own = c.xyz;
  own.x = own.y = own.z++;
  own.r += own.g * (float)h->w;
  h[1].x = h[0].y;
  b[1].y = b[0].x;
  v->x = v[1].w;
  s->x = larger(s->y, 1);
  s[1].xy = s[0].yx;
  own[0] = own[1] = own[2]++;
  own[1] += twice(own[2]) + larger(own[0], c[1]);
  h[1][int(four[1])] = h[0][1];
  float2x2 m(1);
  m[1][0] = m[0][1];
  thread const float& left = own.x;
  thread const float& right = own[1];
  thread const float& sum = left + right;
  thread const auto& same = own[2];
  thread float2& column = m[1];
  column += sum + same;
  a[1] = scaled(a, own[2], left + right);
  thread float4* whole = (thread float4*)&own;
  float array[int(four.z)] = {c.x, table[0].y, four.w};
  a[u[0].z] = *q + *d + larger(own.x, c.w) + max(own.y, 0.0f) + twice(own.x) + twice(1.0f) + (*whole).x + array[u->x] + p.at.x;
})"),
            "");
}

TEST(Lint, TakesWordsOfOpenCLAsNamesAndThreadWhereItSaysNothing) {
  EXPECT_EQ(lint(R"(
class Random {
  thread float seed;

 public:
  thread Random(const unsigned first, const unsigned second = 1);
  thread float next();
};
thread Random::Random(const unsigned first, const unsigned second) { seed = first + second; }
thread float Random::next() { return seed += 1; }
kernel void write_only(device float* read_write, uint local [[thread_position_in_grid]]) {
  float read_only = 2;
  Random random(local);
  read_write[local] = read_only + random.next();
})"),
            "");
}

TEST(Lint, RefusesPointersWithoutAnAddressSpace) {
  EXPECT_THAT(lint("float f(float* p) { return *p; }\n"),
              HasSubstr("test.metal:3:9: error: pointer type must have explicit address space qualifier"));
  EXPECT_THAT(lint("float f(const float& p) { return p; }\n"),
              HasSubstr("test.metal:3:9: error: reference type must have explicit address space qualifier"));
  EXPECT_THAT(lint("void f(device float* p) {\n  float* q = p;\n}\n"),
              HasSubstr("test.metal:4:3: error: pointer type"));
  EXPECT_THAT(lint("struct S {\n  float* p;\n};\n"), HasSubstr("test.metal:4:3: error: pointer type"));
  EXPECT_EQ(lint(R"(
struct S { device float* p; };
float f(device float* p, thread const float& r, thread float (&a)[2]) {
  device float* q = p;
  auto s = q;
  float x = 2 * *s;
  return x * r + a[0];
}
struct Pair { float a, b; };
Pair products(float a, float b) { return {a * b, b}; })"),
            "");
}

/// The findings in a kernel with these statements, of which the first is on line 6.
std::string lint_statements(const std::string& statements, const std::string& before = "") {
  return lint(before +
              "\nkernel void f(device float* a, constant uint& n, threadgroup float* s [[threadgroup(0)]], uint gid "
              "[[thread_position_in_grid]],\n uint lane [[thread_index_in_simdgroup]], uint tid "
              "[[thread_index_in_threadgroup]], uint simdgroup [[simdgroup_index_in_threadgroup]], uint2 group "
              "[[threadgroup_position_in_grid]], uint width [[threads_per_simdgroup]]) { float x = a[gid];\n" +
              statements + "\n a[gid] = x; }");
}

TEST(Lint, WarnsOfSimdgroupOperationsThatNotAllLanesReach) {
  EXPECT_THAT(lint_statements("if (lane < 16)\n  x = simd_sum(x);"),
              AllOf(HasSubstr("test.metal:7:7: warning: simd_sum under a condition that depends on the thread's own "
                              "position (test.metal:6:1)"),
                    Not(HasSubstr("error"))));
  for (const char* statements :
       {"if (gid < n) x = simd_max(x);", "if (x > 0) x = simd_shuffle_down(x, 1);",
        "for (uint i = lane; i < n; i += 32) x += simd_sum(x);", "x = lane > 3 ? simd_sum(x) : 0;",
        "if (lane > 3 && simd_any(x > 0)) x = 0;", "uint k = 2; if (lane == 0) k = 3; if (k == 3) x = simd_sum(x);",
        "while (true) { x = simd_min(x); if (x > float(gid)) break; }", "switch (tid % 3) { case 0: x = simd_sum(x); }",
        "const device float* p = a + tid; if (*p > 1) x = simd_broadcast(x, 3);", "if (tid < 16) x = quad_sum(x);",
        "if (tid / 2 < 9) x = simd_sum(x);",
        "float b[2] = {0, 0}; if (lane == 0) b[1] = 1; if (b[1] > 0) x = simd_sum(x);",
        "float y = simd_shuffle_xor(x, 1); if (y > 0) x = simd_sum(x);"})
    EXPECT_THAT(lint_statements(statements), HasSubstr("test.metal:6:")) << statements;
}

TEST(Lint, IsSilentWhereAllLanesTakePart) {
  for (const char* statements :
       {"x = simd_sum(x); if (x > 3) x = simd_max(x);", "if (simdgroup == 0) x = simd_sum(x);",
        "if (gid >= n) return; x = simd_sum(x);", "if (tid < 32) x = simd_sum(x);",
        "if (tid / 32 == 1) x = simd_sum(x);", "if (tid < width) x = simd_sum(x);",
        "if (tid >> 5 == 1) x = simd_sum(x);", "if (group.x == 0) x = simd_sum(x);",
        "for (uint i = lane; i < n; i += 32) x += a[i]; x = simd_sum(x);", "if (lane == 0) x = 1; x = simd_sum(x);",
        "for (ushort d = 1; d < 32; d *= 2) x += simd_shuffle_xor(x, d); if (x > 0) x = simd_sum(x);",
        "if (s[0] > 2 && n > 3) x = simd_sum(x);", "if (lane < 7 && simd_is_first()) x = 0;",
        "if (lane == 0) s[simdgroup] = x; threadgroup_barrier(mem_flags::mem_threadgroup); if (s[1] > 2) x = "
        "simd_sum(x);",
        "for (uint i = 0; i < n; i += 32) { if (i + lane < n) x += a[i + lane]; x = simd_sum(x); }"})
    EXPECT_EQ(lint_statements(statements), "") << statements;
}

TEST(Lint, RefusesBarriersAndMatricesThatNotAllLanesReach) {
  EXPECT_THAT(lint_statements("if (lane < 16)\n  simdgroup_barrier(mem_flags::mem_none);"),
              HasSubstr("test.metal:7:3: error: simdgroup_barrier under a condition that depends"));
  EXPECT_THAT(lint_statements("simdgroup_float8x8 m; if (tid < 40) { simdgroup_load(m, s); }"),
              HasSubstr("error: simdgroup_load under"));
  EXPECT_EQ(lint_statements("simdgroup_float8x8 m; if (tid < 64) simdgroup_load(m, s);\n"
                            "simdgroup_barrier(mem_flags::mem_none);"),
            "");
}

TEST(Lint, FollowsCallsAndStructs) {
  const std::string functions =
      "struct Place { uint lane, simdgroup; };"
      "template <class T> T total(T x) { return simd_sum(x); }"
      "float some(float x, uint i) { if (i < 5) x = simd_sum(x); return x; }"
      "float first(float x, Place p) { if (p.simdgroup == 0) x = simd_sum(x); return p.lane == 0 ? x : 0; }"
      "float low(float x, Place p) { return p.lane < 4 ? simd_sum(x) : 0; }"
      "bool is_low(uint i) { return i < 9; } bool is_some(float x) { return simd_any(x > 0); }";
  EXPECT_THAT(lint_statements("if (is_low(lane)) x = total(x);", functions),
              HasSubstr("test.metal:6:23: warning: total, which executes simd_sum (test.metal:3:"));
  EXPECT_THAT(lint_statements("x = some(x, lane);", functions), HasSubstr("test.metal:3:"));
  EXPECT_EQ(lint_statements("x = some(x, simdgroup); if (is_some(x)) x = total(x);", functions), "");
  EXPECT_EQ(lint_statements("Place p = {lane, simdgroup}; if (p.simdgroup == 0) x = total(x);", functions), "");
  EXPECT_EQ(lint_statements("const Place p = {lane, simdgroup}; x = first(x, p);", functions), "");
  EXPECT_EQ(lint_statements("x = first(x, {lane, simdgroup});", functions), "");
  EXPECT_THAT(lint_statements("x = low(x, {lane, simdgroup});", functions), HasSubstr("test.metal:3:"));
  EXPECT_THAT(lint_statements("const Place p = {lane, simdgroup}; x = low(x, p);", functions),
              HasSubstr("test.metal:3:"));
  EXPECT_THAT(lint_statements("Place p = {lane, simdgroup}; if (p.lane == 0) x = total(x);", functions),
              HasSubstr("total, which executes"));
}

/// The lanes that have returned from a function wait for the others, while those that have returned from a kernel
/// ended.
TEST(Lint, KnowsThatLanesReturnEarlyFromACall) {
  const std::string functions =
      "float some(float x, uint i) { if (i > 5) return x; return simd_sum(x); }"
      "float some_times(float x, uint i) { for (uint k = 0; k < 3; ++k) { x = simd_sum(x); if (i > k) return x; } "
      "return x; }"
      "float all(float x, uint i) { if (i > 5) x = 0; return simd_sum(x); }"
      "float one(float x, uint i) { x = simd_sum(x); if (i > 5) return 0; return x; }";
  for (const char* divergent : {"x = some(x, lane);", "x = some_times(x, lane);"})
    EXPECT_THAT(lint_statements(divergent, functions),
                HasSubstr("warning: simd_sum under a condition that depends on the thread's own position"))
        << divergent;
  for (const char* uniform : {"x = some(x, simdgroup);", "x = some_times(x, simdgroup);", "x = all(x, lane);",
                              "x = one(x, lane); x = simd_sum(x);"})
    EXPECT_EQ(lint_statements(uniform, functions), "") << uniform;
}

TEST(Lint, LeavesWhatDoesNotCompileToTheCompiler) {
  const auto constant = lint_source("kernel void f(constant float& c) { c = 1; }", "test.metal", options());
  ASSERT_FALSE(constant);
  EXPECT_EQ(constant.error().kind, Error::Kind::compile);
  EXPECT_THAT(constant.error().text, HasSubstr("test.metal:1:38: error: cannot assign to variable 'c'"));
  EXPECT_TRUE(lint_source("kernel void f(device float& c) { c = 1; }", "test.metal", options()));
}

TEST(Lint, KeepsOnlyMessagesOnAddressSpaces) {
  EXPECT_EQ(address_space_errors("a.metal:1:2: error: unknown type name 'x'\n1 error generated.\n", "/headers"), "");
  EXPECT_EQ(address_space_errors("/headers/x:1:2: error: changes address space of pointer\n", "/headers"), "");
  EXPECT_EQ(address_space_errors("a.metal:1:2: error: to '__local float *' from 'const __global_host int *__private'\n"
                                 "b.metal:1:1: note: here\n2 errors generated.\n",
                                 "/headers"),
            "a.metal:1:2: error: to 'threadgroup float *' from 'constant int *'\nb.metal:1:1: note: here\n");
}

/// A template assigns structures in an address space that its argument determines. Clang refuses the second use because
/// it has reported the first, and neither is a fault in Metal.
TEST(Lint, TakesATemplateThatIsUsedTwice) {
  EXPECT_TRUE(
      lint_source("struct Pair { float a, b; };\n"
                  "template <class Column> void put(Column to, Pair x) { to[0] = x; }\n"
                  "template <class T> void twice(device Pair* p, T x) { put(p, Pair{float(x), 0}); }\n"
                  "kernel void f(device Pair* p) { twice(p, 1); twice(p, 1.0f); put(p + 1, Pair{}); }",
                  "test.metal", options()));
  const std::string call = "a.metal:9:1: error: no matching function for call to 'put'\n";
  const std::string note =
      "a.metal:2:1: note: candidate template ignored: substitution failure [with C = __local int *]";
  EXPECT_EQ(address_space_errors(call + note + "\n", "/headers"), "");
  EXPECT_NE(address_space_errors(call + note + ": no type named 'x'\n", "/headers"), "");
}

}  // namespace
}  // namespace assay::metal::emulator::test
