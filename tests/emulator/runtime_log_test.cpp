// os_log and tables of visible functions, each beside what is refused.
#include <gtest/gtest.h>

#include <cstring>

#include "metal/emulator/dispatch/log_format.h"
#include "metal/emulator/emulator_library.h"
#include "metal/emulator/translate/translate.h"
#include "tests/emulator/bench.h"
#include "tests/matchers.h"

namespace assay::metal::emulator::test {
namespace {

const std::string log_shader = R"(#include <metal_stdlib>
#include <metal_logging>
using namespace metal;
constant os_log mine("com.example", "kernels");
kernel void say(device int* x, uint i [[thread_position_in_grid]]) {
  if (i % 2 == 1) os_log_default.log("x[%u] = %+d, %.2f %%", i, x[i], half(0.5h));
  if (i == 2) mine.log_error("%s %v3d %ld %x", "text", int3(1, -2, 3), 1L << 40, -1);
}
namespace twice_or_more {
[[visible]] int twice(int x) { return 2 * x; }
[[visible]] int square(int x) { return x * x; }
}
[[visible]] float wrong(float x) { return x; }
template <class T> struct Functor { typedef T function(T); typedef visible_function_table<function> table; };
kernel void call(device int* x, typename Functor<int>::table table [[buffer(1)]], constant int& n [[buffer(2)]],
                 uint i [[thread_position_in_grid]]) {
  x[i] = table[i % uint(n)](x[i]);  // called
}
)";

std::shared_ptr<const Function> function(Bench& bench, const char* name) {
  return or_throw(or_throw(bench.device.new_library(log_shader))->new_function(name));
}

std::string where(const LogMessage& message) {
  return to_string(message).substr(0, to_string(message).find(" of the grid"));
}

TEST(Log, HasTheTextTheThreadAndThePlace) {
  Bench bench;
  bench.with(counting(4));
  EXPECT_FALSE(bench.run(function(bench, "say"), {4}, {4}));
  const auto messages = bench.device.messages();
  ASSERT_EQ(messages.size(), 3U);
  EXPECT_EQ(messages[0].text, "x[1] = +1, 0.50 %");
  EXPECT_EQ(messages[1].text, "text 1,-2,3 1099511627776 ffffffff");
  EXPECT_EQ(messages[2].text, "x[3] = +3, 0.50 %");
  EXPECT_THAT(where(messages[0]), HasSubstr(":6:"));
  EXPECT_THAT(where(messages[0]), HasSubstr("thread (1, 0, 0)"));
  EXPECT_THAT(where(messages[1]), HasSubstr(":7:"));
  EXPECT_THAT(bench.reports(), IsEmpty());
}

TEST(Log, KeepsAThousandMessagesAndCountsTheRest) {
  Bench bench;
  bench.with(counting(2048));
  EXPECT_FALSE(bench.run(function(bench, "say"), {2048}, {64}));
  EXPECT_EQ(bench.device.messages().size(), 1000U);
  EXPECT_EQ(bench.device.messages_dropped(), 25U);
  bench.device.clear_reports();
  EXPECT_THAT(bench.device.messages(), IsEmpty());
}

TEST(Log, WritesWhatDoesNotFitAsSuch) {
  const abi::LogValue number{abi::LogKind::integer, 4, 1, {7}};
  EXPECT_EQ(log_text("%d %d", {{number}}), "7 <no value>");
  EXPECT_EQ(log_text("%f|%s|%5d|%", {{number, number, number}}), "<?>|<?>|    7|<no value>");
}

TEST(Log, RefusesAFormatThatDoesNotFitItsValues) {
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"\"%d\"", "the format of the message asks for more values than there are"},
      {"\"%d\", 1, 2", "there are more values than the format of the message asks for"},
      {"\"%d\", 1.0f", "the format of the message asks for a value of another type"},
      {"\"%f\", float2(1)", "the format of the message asks for a value of another type"},
      {"\"%d\", 1L", "the format of the message asks for a value of another type"},
      {"\"%y\", 1", "the format of the message has an unknown conversion"}};
  std::string text =
      "#include <metal_stdlib>\n#include <metal_logging>\nusing namespace metal;\nkernel void k(device int* x) {\n";
  for (const auto& one : bad) text += "os_log_default.log(" + one.first + ");\n";
  const auto made = EmulatorDevice().new_library(text + "}\n");
  ASSERT_FALSE(made);
  for (std::size_t n = 0; n < bad.size(); ++n)
    EXPECT_THAT(made.error().text,
                testing::ContainsRegex(":" + std::to_string(5 + n) + ":[0-9]*: error: " + bad[n].second));
}

/// Runs `call` with a table of these functions; `n` is by what it takes the index.
std::vector<Report> call(Bench& bench, const std::vector<std::string>& names, std::int32_t n) {
  const auto kernel = function(bench, "call");
  std::vector<std::int32_t> addresses(2 * names.size());
  for (std::size_t k = 0; k < names.size(); ++k) {
    const void* const address = or_throw(dynamic_cast<const EmulatorFunction&>(*kernel).visible_function(names[k], 1));
    std::memcpy(&addresses[2 * k], static_cast<const void*>(&address), sizeof(address));
  }
  bench.with({5, 6, 7, 8}).with(addresses).with({n});
  (void)bench.run(kernel, {4}, {4});
  return bench.reports();
}

TEST(VisibleFunctions, AreCalledThroughATable) {
  Bench bench;
  EXPECT_THAT(call(bench, {"twice_or_more::twice", "twice_or_more::square"}, 2), IsEmpty());
  EXPECT_THAT(bench.ints(0), ElementsAre(10, 36, 14, 64));
}

TEST(VisibleFunctions, BeyondTheTablesEndAreOutOfBounds) {
  Bench bench;
  const auto reports = call(bench, {"twice_or_more::twice", "twice_or_more::square"}, 3);
  ASSERT_EQ(reports.size(), 1U);
  EXPECT_EQ(reports[0].check, Check::memcheck);
  EXPECT_THAT(reports[0].address, HasSubstr("buffer(1) `table` + 16 (its length is 16 bytes)"));
  EXPECT_EQ(reports[0].event.position.line, 17U);
}

TEST(VisibleFunctions, OfAnotherNameOrTypeAreRefused) {
  Bench bench;
  const auto kernel = function(bench, "call");
  const auto& emulated = dynamic_cast<const EmulatorFunction&>(*kernel);
  EXPECT_THAT(emulated.visible_function("wrong", 1).error().text,
              HasSubstr("function wrong: it has another type than those of buffer(1) `table`"));
  EXPECT_THAT(emulated.visible_function("none", 1).error().text,
              HasSubstr("function none: expected one of the visible functions: twice_or_more::twice, "));
}

TEST(VisibleFunctions, WhatIsNotSupportedIsRefusedByNameAndLine) {
  const auto refusal = [](const std::string& text) {
    const auto made = translate("# 1 \"t.metal\"\n" + text);
    return made ? "" : made.error().text;
  };
  EXPECT_THAT(refusal("kernel void k(intersection_function_table<triangle_data> t [[buffer(0)]]) {}"),
              HasSubstr("t.metal:1:15: error: parameter 't' of the kernel is of type intersection_function_table"));
  EXPECT_THAT(refusal("struct Table {};\nkernel void k(Table t [[buffer(0)]]) {}"),
              HasSubstr("t.metal:2:15: error: parameter 't' of the kernel has no attribute that is known"));
  EXPECT_THAT(refusal("template <class T> [[visible]] T f(T x) { return x; }\n"
                      "template [[visible]] [[host_name(\"g\")]] int f<int>(int);"),
              HasSubstr("t.metal:2:1: error: this is an instance of a template that is [[visible]]"));
  const auto gpu = translate_for_ptx("# 1 \"t.metal\"\nkernel void k(visible_function_table<int(int)> t) {}\n");
  ASSERT_FALSE(gpu);
  EXPECT_THAT(gpu.error().text, HasSubstr("tables of functions"));
}

}  // namespace
}  // namespace assay::metal::emulator::test
