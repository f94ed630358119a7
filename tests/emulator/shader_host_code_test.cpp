// Shaders that would run code of the host: each is refused when it is compiled, at its line.
#include <gtest/gtest.h>

#include <string>

#include "metal/emulator/compile/host_code.h"
#include "metal/emulator/translate/translate.h"
#include "shader_stand_in.h"
#include "tests/matchers.h"

namespace assay::metal::emulator::test {
namespace {

std::string kernel_with(const std::string& declarations, const std::string& statement) {
  return declarations + "\nkernel void k(device int* x) {\n  " + statement + "\n}\n";
}

TEST(HostCode, IsNotCalled) {
  EXPECT_THAT(refusal(kernel_with("extern \"C\" int system(const char*);", "x[0] = system(\"true\");")),
              HasSubstr("test.metal:3:10: error: 'system' is no function of Metal's, and this shader does not define"));
  EXPECT_THAT(refusal(kernel_with("", "x[0] = __builtin_printf(\"%d\", x[0]);")),
              HasSubstr("test.metal:3:10: error: 'p"));  // clang makes puts or putchar of some
  EXPECT_THAT(refusal(kernel_with("namespace a { int f(int); }", "x[0] = a::f(1);")),
              HasSubstr("test.metal:3:13: error: 'a::f(int)' is no function"));
  EXPECT_THAT(refusal(kernel_with("int f(const char*) asm(\"system\");", "x[0] = f(\"true\");")),
              HasSubstr("test.metal:1:24: error: 'system' is no function"));
  EXPECT_THAT(refusal(kernel_with("extern \"C\" int rand();", "int (*f)() = rand; x[0] = f();")),
              HasSubstr("test.metal:3:16: error: 'rand' is no function"));
}

TEST(HostCode, OfOperatorsIsPlacedAtTheirWords) {
  EXPECT_THAT(refusal(kernel_with("", "int* p = new int[x[0]]; x[0] = p[1];")),
              HasSubstr("test.metal:3:12: error: 'operator new[](unsigned long)' is no function of Metal's"));
  EXPECT_THAT(refusal(kernel_with("struct A { int n; };\nint operator+(A, int);", "A a = {1}; x[0] = a + 1;")),
              HasSubstr("test.metal:2:5: error: 'operator+(A, int)' is no function of Metal's"));
  EXPECT_THAT(refusal(kernel_with("struct A { virtual int f() { return 1; } };", "A a; x[0] = ((thread A*)&a)->f();")),
              Not(HasSubstr("registration")));
}

TEST(HostCode, IsNotCalledByUncheckedShadersEither) {
  const auto refused =
      compile_source(kernel_with("extern \"C\" int rand();", "x[0] = rand();"), "test.metal", options(false));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text, HasSubstr("test.metal:3:10: error: 'rand' is no function"));
}

TEST(HostCode, OfTheMathematicalLibraryIsWhatMetalsFunctionsCall) {
  EXPECT_EQ(refusal(kernel_with("#include <metal_stdlib>", "x[0] = int(metal::sin(float(x[0])));")), "");
}

TEST(HostCode, HasNoVariablesOfTheProcessorsThreads) {
  EXPECT_THAT(refusal("thread_local int x;\n"), HasSubstr("test.metal:1:1: error: Metal has no 'thread_local'"));
}

TEST(LastingVariables, AreRefusedSinceNoCheckSeesTheirRaces) {
  EXPECT_THAT(refusal("float sum = 0;\nkernel void k(device float* x) { sum += x[0]; }\n"),
              HasSubstr("test.metal:1:7: error: variable 'sum' at program scope has to be in the constant"));
  EXPECT_THAT(refusal("namespace n { static int hits[4]; }\n" + kernel_with("", "n::hits[0]++;")),
              HasSubstr("test.metal:1:26: error: variable 'hits' at program scope"));
  EXPECT_THAT(refusal(kernel_with("", "static int calls = 0; x[0] = ++calls;")),
              HasSubstr("error: a local variable cannot be static in Metal"));
}

TEST(HostCode, IsNoAssembly) {
  EXPECT_THAT(refusal(kernel_with("", "asm volatile(\"nop\");")),
              HasSubstr("test.metal:3:3: error: Metal has no assembly"));
  EXPECT_THAT(refusal(kernel_with("", "if (x[0]) __asm__(\"nop\");")), HasSubstr("error: Metal has no assembly"));
  EXPECT_THAT(refusal("asm(\".incbin \\\"/etc/passwd\\\"\");\n"),
              HasSubstr("test.metal:1:1: error: Metal has no assembly"));
  EXPECT_THAT(refusal("struct S { int f() { asm(\"nop\"); return 1; } };\n"),
              HasSubstr("error: Metal has no assembly"));
}

TEST(HostCode, IsNotRunWhenItIsLoaded) {
  EXPECT_THAT(refusal("__attribute__((constructor)) void f() {}\n"),
              HasSubstr("test.metal:1:16: error: Metal has no attribute 'constructor'"));
  EXPECT_THAT(refusal("[[gnu::constructor]] void f() {}\n"),
              HasSubstr("test.metal:1:8: error: Metal has no attribute 'constructor'"));
  EXPECT_THAT(
      refusal(
          "typedef void (*F)();\nvoid f() {}\n__attribute__((used, __section__(\".init_array\"))) constant F g = f;\n"),
      HasSubstr("test.metal:3:22: error: Metal has no attribute '__section__'"));
  EXPECT_THAT(refusal("static int f() { return 1; }\nconstant int n = f();\n"),
              HasSubstr("test.metal:2:14: error: the initializer of a variable at program scope has to be constant"));
  EXPECT_THAT(refusal("#pragma clang diagnostic ignored \"-Wglobal-constructors\"\nstatic int f() { return 1; }\n"
                      "constant int n = f();\n"),
              HasSubstr("error: this shader has code that runs when it is loaded"));
  EXPECT_THAT(refusal("struct S { S() {} int n = 0; };\nconstant S s;\nkernel void k(device int* x) { x[0] = s.n; }\n"),
              HasSubstr("test.metal:2:12: error: the initializer of a variable at program scope has to be constant"));
}

TEST(HostCode, ComesByNoPragma) {
  const auto text = translate(
      "#pragma clang attribute push(__attribute__((constructor)), apply_to = function)\nvoid f() {}\n"
      "#pragma redefine_extname f system\n#pragma clang fp contract(off)\n");
  ASSERT_TRUE(text);
  EXPECT_THAT(*text,
              AllOf(Not(HasSubstr("constructor")), Not(HasSubstr("redefine_extname")), HasSubstr("fp contract")));
}

TEST(HostCode, ReadsNoFilesOfTheHost) {
  EXPECT_THAT(refusal("constant char text[] = {\n#embed \"/etc/passwd\"\n};\n"),
              HasSubstr("test.metal:2:2: error: #embed"));
  EXPECT_THAT(refusal("#include <cstdlib>\n"), HasSubstr("test.metal:1:10: fatal error: 'cstdlib' file not found"));
  EXPECT_THAT(
      refusal("#if __has_include(<stdio.h>)\n#error found\n#endif\nkernel void k(device int* x) { x[0] = y; }\n"),
      AllOf(HasSubstr("'y'"), Not(HasSubstr("found\n"))));
}

TEST(Brackets, ThatAreNotClosedAreNamedWhereTheyOpen) {
  const auto refusal = [](const std::string& text) { return translate(text).error().text; };
  EXPECT_THAT(refusal("void f() {\n  y = g(x;\n}\n"),
              HasSubstr("2:8: error: '(' is not closed before the '}' of line 3"));
  EXPECT_THAT(refusal("void f() {\n  y[i = 2;\n}\n"),
              HasSubstr("2:4: error: '[' is not closed before the '}' of line 3"));
  EXPECT_THAT(refusal("void f() { }\n}\n"), HasSubstr("2:1: error: '}' closes nothing"));
  std::string many;
  for (int n = 0; n < 300; ++n) many += "void f(int x { }\n";
  EXPECT_THAT(refusal(many), HasSubstr("1:7: error: brackets are nested more than 256 deep: is '(' never closed?"));
}

TEST(DeepText, IsRefusedAndEndsNothing) {
  const auto nested = [](const std::string& begin, int depth) {
    std::string text;
    for (int n = 0; n < depth; ++n) text += begin;
    const auto translated = translate(text);
    return translated ? "accepted" : translated.error().text;
  };
  for (const char* const begin : {"namespace a {", "struct A {", "(", "[", "{"})
    EXPECT_THAT(nested(begin, 100'000), HasSubstr("error: brackets are nested more than 256 deep")) << begin;
  // Fewer angles: the end of each is looked for, up to a limit (most_angle_steps) that these pass.
  EXPECT_EQ(nested("A<", 10'000), "accepted");
}

}  // namespace
}  // namespace assay::metal::emulator::test
