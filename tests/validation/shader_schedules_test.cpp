// schedcheck: planted dependences on the order of atomic accesses are found at their lines, and what does not depend on
// it passes.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "metal/emulator/schedule_search.h"
#include "tests/matchers.h"
#include "validation/shader/check.h"
#include "validation/shader/compiled.h"
#include "validation/shader/schedules.h"

namespace assay::validation {
namespace {

using metal::emulator::Check;
using metal::emulator::Report;
using metal::emulator::Schedule;
using metal::emulator::ScheduledRun;

const std::string shaders = ASSAY_TEST_SHADERS "/schedules.metal";
using Lines = std::set<std::uint32_t>;

/// The kernels in the order of the file, and their lines that end in "// here".
std::vector<std::pair<std::string, Lines>> planted_lines() {
  std::vector<std::pair<std::string, Lines>> kernels;
  std::ifstream file(shaders);
  std::uint32_t number = 0;
  const std::regex head("kernel void (\\w+)\\(.*");
  std::smatch name;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (std::regex_match(line, name, head)) kernels.push_back({name[1], {}});
    if (line.ends_with("// here")) kernels.back().second.insert(number);
  }
  return kernels;
}

/// Each kernel on arrays of its own, which begin with its name.
ShaderScript script_of(const std::vector<std::string>& kernels) {
  ShaderScript script;
  script.source = shaders;
  script.arrays["x"] = "random:256";
  for (const std::string& kernel : kernels) {
    script.arrays[kernel + ".y"] = "zero:256";
    script.arrays[kernel + ".n"] = "zero:8";
    script.passes.push_back({.function = kernel,
                             .buffers = {{0, {"x"}}, {1, {kernel + ".y"}}, {2, {kernel + ".n"}}},
                             .grid = {256, 1, 1},
                             .group = {64, 1, 1}});
  }
  return script;
}

ShaderOutcome outcome_of(const ShaderScript& script, std::uint64_t schedules) {
  ShaderOutcome outcome = check_shader(script);
  EXPECT_TRUE(outcome.passed()) << outcome;
  compare_schedules(script, emulator_options(script), schedules, outcome);
  return outcome;
}

TEST(Schedules, DecideWhatIsPlantedAndNothingElse) {
  const auto planted = planted_lines();
  std::vector<std::string> kernels;
  for (const auto& [kernel, lines] : planted) kernels.push_back(kernel);
  const ShaderOutcome outcome = outcome_of(script_of(kernels), 12);
  std::map<std::string, Lines> found;
  for (const Report& report : outcome.reports) {
    EXPECT_EQ(report.check, Check::schedcheck);
    EXPECT_THAT(report.address, HasSubstr("array `" + report.kernel + "."));
    ASSERT_TRUE(report.other);
    EXPECT_NE(report.event.thread, report.other->thread);
    found[report.kernel].merge(Lines{report.event.position.line, report.other->position.line});
  }
  for (const auto& [kernel, lines] : planted) EXPECT_EQ(found[kernel], lines) << kernel;
  EXPECT_GE(planted.size(), 18U);
  ASSERT_TRUE(outcome.schedules);
  EXPECT_EQ(outcome.schedules->schedules, 12U);
}

TEST(Schedules, AreThoseOfTheSeed) {
  ShaderScript script = script_of({"election"});
  const auto text = [&] { return to_string(outcome_of(script, 8)); };
  const std::string first = text();
  EXPECT_EQ(text(), first);
  script.outputs = {{"x", ""}};  // which no kernel changes
  EXPECT_EQ(text(), "nothing found");
}

TEST(Schedules, SayThatThereIsNothingToChoose) {
  const std::string file = testing::TempDir() + "schedules_without_atomics.metal";
  std::ofstream(file)
      << "kernel void k(device float* y [[buffer(0)]], uint i [[thread_position_in_grid]]) { y[i] = i; }";
  ShaderScript script;
  script.source = file;
  script.arrays["y"] = "unset:64";
  script.passes = {{.function = "k", .buffers = {{0, {"y"}}}, .grid = {64, 1, 1}, .group = {32, 1, 1}}};
  const ShaderOutcome outcome = outcome_of(script, 8);
  EXPECT_TRUE(outcome.passed());
  EXPECT_EQ(outcome.schedules->atomic_accesses, 0U);
}

/// A run of 100 choices, which differs if access 40 comes after access 60.
metal::Result<ScheduledRun> run_where_the_order_of_two_matters(const Schedule& schedule) {
  ScheduledRun run;
  run.record.choices = 100;
  const auto overtakes = [](std::uint64_t from, std::uint64_t back) { return from <= 40 && back > 60; };
  run.is_different = schedule.switches.empty() && schedule.random_choices > 30;
  if (schedule.switches.size() == 1) run.is_different = overtakes(schedule.switches[0].choice, 100);
  if (schedule.switches.size() == 2)
    run.is_different = overtakes(schedule.switches[0].choice, schedule.switches[1].choice);
  for (const std::uint64_t choice : schedule.watched) run.record.watched.push_back({choice, {0, 1}, {1, 2}, "k", {}});
  return run;
}

TEST(ScheduleSearch, FindsTheTwoAccesses) {
  const auto found = metal::emulator::find_deciding_accesses(7, 100, &run_where_the_order_of_two_matters);
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->overtaken.choice, 40U);
  EXPECT_EQ((*found)->overtaking.choice, 60U);
}

TEST(ScheduleSearch, GivesUpWhereRunsDoNotRepeatOrFail) {
  const auto never = metal::emulator::find_deciding_accesses(7, 100, [](const Schedule&) { return ScheduledRun(); });
  ASSERT_TRUE(never);
  EXPECT_FALSE(*never);
  const auto failed = metal::emulator::find_deciding_accesses(
      7, 100, [](const Schedule&) { return metal::error(metal::Error::Kind::execution, "stopped"); });
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().text, "stopped");
}

}  // namespace
}  // namespace assay::validation
