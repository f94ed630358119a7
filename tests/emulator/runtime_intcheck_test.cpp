// intcheck: integer operations whose result is undefined are reported at their lines, with their operands and the
// thread, in checked kernels and in others; operations that are defined are not.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <vector>

#include "tests/emulator/bench.h"
#include "tests/matchers.h"

namespace assay::metal::emulator::test {
namespace {

/// A statement of one thread, and what is reported of it; nothing if it is defined.
struct Statement {
  const char* text;
  std::string said = {};
};

const std::vector<Statement> undefined_ones = {
    {"out[i] = i / zero;", "0 of uint, divided by 0 of uint"},
    {"out[i] = seven / int(zero);", "7 of int, divided by 0 of int"},
    {"out[i] = seven % int(zero);", "7 of int, divided by 0 of int"},
    {"out[i] = 5 / int(i * 0);", "5 of int, divided by 0 of int"},
    {"seven /= int(zero);", "7 of int, divided by 0 of int"},
    {"seven %= int(zero);", "7 of int, divided by 0 of int"},
    {"out[i] = 5 / 0;", "5 of int, divided by 0 of int"},
    {"char c = -7; out[i] = c / char(zero);", "-7 of int, divided by 0 of int"},
    {"ushort c = 7; c %= ushort(zero); out[i] = c;", "7 of int, divided by 0 of int"},
    {"out[i] = int(long(-7) / long(zero));", "-7 of long, divided by 0 of long"},
    {"out[i] = int(~0ul % ulong(zero));", "18446744073709551615 of ulong, divided by 0 of ulong"},
    {"int2 v = int2(3, 4); v = v / int2(1, zero); out[i] = v.y;", "4 of int, divided by 0 of int"},
    {"uint4 v = 9; v %= uint4(1, 2, zero, 3); out[i] = v.x;", "9 of uint, divided by 0 of uint"},
    {"out[i] = 1 << (32 + int(zero));", "1 of int, shifted by 32 of int"},
    {"out[i] = seven >> (int(zero) - 1);", "7 of int, shifted by -1 of int"},
    {"seven <<= 40 + zero;", "7 of int, shifted by 40 of uint"},
    {"out[i] = int(1ul >> (64 + zero));", "1 of ulong, shifted by 64 of uint"},
    {"int3 v = 1; v <<= int3(1, 2, 33 + zero); out[i] = v.z;", "1 of int, shifted by 33 of int"},
    {"uchar4 v = 1; v = v << uchar4(1, 2, 8 + zero, 3); out[i] = v.z;", "1 of uchar, shifted by 8 of uchar"},
    {"out[i] = int(extract_bits(9u, 20u + zero, 20u));", "9 of uint, shifted by 4294967288 of uint"},
#if defined(__x86_64__)
    {"out[i] = (int(zero) - 2147483647 - 1) / (int(zero) - 1);", "the least value of a type, divided by -1"},
    {"out[i] = int((long(zero) + (1l << 63)) % (long(zero) - 1));", "the least value of a type, divided by -1"},
#endif
};

const std::vector<Statement> defined_ones = {
    {"out[i] = (1 << 31) + (1 << (31 + int(zero))) ;"},
    {"out[i] = (int(zero) - 7) << 3;"},
    {"out[i] = (2147483647 + int(zero)) + 1;"},
    {"out[i] = int(zero - 1u);"},
    {"out[i] = (int(zero) - 2147483647 - 1) / 1;"},
    {"char c = -128; c /= char(int(zero) - 1); out[i] = c;"},
    {"uchar c = 1; out[i] = c << (9 + zero);"},
    {"out[i] = int(1ul << (63 + zero));"},
    {"uchar4 v = 1; v <<= uchar4(1, 2, 7 + zero, 3); out[i] = v.z;"},
    {"out[i] = rotate(seven, 32) + int(extract_bits(9u, 0u, 32u)) + int(insert_bits(9u, 1u, 31u, 1u));"},
    {"out[i] = popcount(0u) + int(mulhi(3u, 4u)) + reverse_bits(1);"},
};

constexpr std::uint32_t first_statement = 6;

/// Each statement is on a line of its own, and a thread of its own executes it.
std::string text_of(const std::vector<Statement>& statements) {
  std::string source =
      "#include <metal_stdlib>\nusing namespace metal;\n"
      "kernel void f(device int* out, device const uint& given, uint i [[thread_position_in_grid]]) {\n"
      "  const uint zero = given;\n  int seven = 7 + int(zero);\n";
  for (std::size_t n = 0; n < statements.size(); ++n)
    source += fmt::format("  if (i == {}) {{ {} }}\n", n, statements[n].text);
  return source + "  out[i] += seven;\n}\n";
}

struct IntegerRun {
  std::vector<Report> reports;
  std::optional<Error> error;
};

IntegerRun run_statements(const std::vector<Statement>& statements, bool is_checked) {
  EmulatorOptions options;
  options.is_checked = is_checked;
  Bench bench(options);
  bench.with(zeros(statements.size())).with({0});
  const auto function = or_throw(or_throw(bench.device.new_library(text_of(statements)))->new_function("f"));
  const auto error = bench.run(function, {statements.size()}, {statements.size()});
  return {bench.reports(), error};
}

class Intcheck : public testing::TestWithParam<bool> {};

TEST_P(Intcheck, ReportsEachUndefinedOperation) {
  const auto [reports, error] = run_statements(undefined_ones, GetParam());
  ASSERT_TRUE(error);
  EXPECT_THAT(error->text, HasSubstr("kernel f: an integer division or remainder by zero"));
  std::string all;
  for (const Report& report : reports) all += to_string(report) + "\n";
  SCOPED_TRACE(all);
  ASSERT_EQ(reports.size(), undefined_ones.size());
  for (std::size_t n = 0; n < undefined_ones.size(); ++n) {
    const Report& report = reports[n];
    EXPECT_EQ(report.check, Check::intcheck);
    EXPECT_THAT(report.event.action, StartsWith(undefined_ones[n].said)) << undefined_ones[n].text;
    EXPECT_EQ(report.event.position.line, first_statement + n) << undefined_ones[n].text << "\n" << to_string(report);
    EXPECT_THAT(report.event.position.file, EndsWith("source.metal"));
    EXPECT_EQ(report.event.thread.in_grid, (Size{n, 0, 0}));
  }
}

TEST_P(Intcheck, IsSilentAboutDefinedOperations) {
  const auto [reports, error] = run_statements(defined_ones, GetParam());
  EXPECT_FALSE(error);
  for (const Report& report : reports) ADD_FAILURE() << to_string(report);
}

INSTANTIATE_TEST_SUITE_P(Each, Intcheck, testing::Bool(),
                         [](const auto& is_checked) { return is_checked.param ? "checked" : "unchecked"; });

std::string refusal_of_constants(const std::string& constants, int n) {
  EmulatorDevice device;
  FunctionConstants given;
  given.set(0, n);
  const std::string source = "#include <metal_stdlib>\nconstant int n [[function_constant(0)]];\n" + constants +
                             "\nkernel void f(device int* out) { out[0] = m; }\n";
  const auto function = or_throw(device.new_library(source))->new_function("f", given);
  return function ? "" : function.error().text;
}

TEST(ProgramConstants, ThatCannotBeComputedAreRefused) {
  EXPECT_EQ(refusal_of_constants("constant int m = 8 / n;", 2), "");
  EXPECT_THAT(refusal_of_constants("constant int m = 8 / n;", 0),
              AllOf(HasSubstr("a program-scope constant of the shader: an integer division or remainder by zero, "
                              "8 of int, divided by 0 of int, at "),
                    HasSubstr("source.metal:3:")));
  EXPECT_THAT(refusal_of_constants("int at(int i) { int all[2] = {1, 2}; return all[i]; }\nconstant int m = at(n);", 2),
              HasSubstr("an index outside of an array, at "));
  EXPECT_THAT(
      refusal_of_constants("int endless(int i) { while (i > 0) i |= 1; return i; }\nconstant int m = endless(n);", 1),
      HasSubstr("an endless loop?"));
  EXPECT_THAT(
      refusal_of_constants("int at(int i) { return *reinterpret_cast<thread int*>(i); }\nconstant int m = at(n);", 1),
      HasSubstr("a fault of the processor"));
  EXPECT_THAT(refusal_of_constants("constant int m = metal::simd_sum(n);", 1),
              HasSubstr("an operation of a simdgroup"));
}

}  // namespace
}  // namespace assay::metal::emulator::test
