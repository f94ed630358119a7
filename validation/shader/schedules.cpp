#include "validation/shader/schedules.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "metal/emulator/schedule_search.h"
#include "validation/shader/compare.h"
#include "validation/shader/compiled.h"
#include "validation/shader/or_refuse.h"

namespace assay::validation {

namespace {

using metal::emulator::DecidingAccesses;
using metal::emulator::EmulatorOptions;
using metal::emulator::Schedule;
using metal::emulator::ScheduledRun;
using metal::emulator::ScheduleRecord;

constexpr const char* advice =
    "make the result the same in any order: add whole numbers, take a place by the thread's position, or let one "
    "thread combine what the others wrote, in the order of their positions";

/// An array that has an element with another value than in the plain order.
struct Difference {
  std::string array;
  ElementDifference element;
};

class Schedules {
 public:
  Schedules(const ShaderScript& script, EmulatorOptions options, ShaderOutcome& outcome)
      : script_(script), options_(std::move(options)), outcome_(outcome) {
    options_.with_numerics = false;
    const auto compile = metal::emulator::compile_options(options_);
    script_ = with_kernels(script_, or_refuse(kernel_names(script_, compile)));
    script_.keeps_contents = true;
    shader_ = or_refuse(compile_kernels(script_, compile));
  }

  void compare(std::uint64_t count) {
    ScheduleSummary& summary = outcome_.schedules.emplace();
    const auto plain = run({script_.seed, 0});
    if (!plain) return;
    plain_ = plain->first;
    if (plain->second.choices == 0) return;  // there is nothing to choose
    for (; summary.schedules < count; ++summary.schedules) {
      const std::uint64_t seed = script_.seed + summary.schedules;
      const auto ran = run({seed});
      if (!ran) return;
      const auto& [arrays, record] = *ran;
      summary.atomic_accesses = std::max(summary.atomic_accesses, record.choices);
      const std::vector<Difference> found = differences(arrays);
      if (!found.empty()) ++summary.different;
      for (const Difference& difference : found)
        if (reported_.insert(difference.array).second) explain(seed, record.choices, difference.array);
    }
  }

 private:
  using Arrays = std::map<std::string, ShaderArray>;

  /// The arrays after a run. Nothing if the run failed or a check reported something; the outcome then has the error or
  /// the report.
  std::optional<std::pair<Arrays, ScheduleRecord>> run(const Schedule& schedule) {
    options_.schedule = schedule;
    metal::emulator::EmulatorDevice device(options_);
    ShaderOutcome outcome = run_compiled(device, script_, shader_);
    if (outcome.passed()) return std::pair(std::move(outcome.arrays), device.schedule_record());
    for (metal::emulator::Report& report : outcome.reports) {
      report.message += fmt::format(", with the schedule of seed {}", schedule.seed);
      outcome_.reports.push_back(std::move(report));
    }
    if (outcome.error) outcome_.error = outcome.error;
    return std::nullopt;
  }

  bool is_compared(const std::string& name, const ShaderArray& array) const {
    return array.functions.empty() && array.addresses_of.empty() && array.bytes &&
           (script_.outputs.empty() || script_.outputs.contains(name));
  }

  std::vector<Difference> differences(const Arrays& arrays) const {
    std::vector<Difference> found;
    for (const auto& [name, array] : arrays) {
      if (!is_compared(name, array)) continue;
      const auto first = compare_arrays(name, plain_.at(name), array, 0).first;
      if (first) found.push_back({name, *first});
    }
    return found;
  }

  void explain(std::uint64_t seed, std::uint64_t choices, const std::string& array) {
    std::optional<Difference> last;
    const auto search = [&](const Schedule& schedule) -> metal::Result<ScheduledRun> {
      const auto ran = run(schedule);
      if (!ran) return metal::error(metal::Error::Kind::execution, "a schedule does not run to its end");
      const auto found = differences(ran->first);
      const auto here = std::ranges::find(found, array, &Difference::array);
      if (here != found.end()) last = *here;
      return ScheduledRun{here != found.end(), ran->second};
    };
    const auto deciding = metal::emulator::find_deciding_accesses(seed, choices, search);
    if (deciding && *deciding) outcome_.reports.push_back(report_of(**deciding, *last));
    if (deciding && !*deciding)
      throw std::runtime_error(fmt::format("array {}: two runs with the schedule of seed {} differ", array, seed));
  }

  metal::emulator::Report report_of(const DecidingAccesses& accesses, const Difference& difference) const {
    metal::emulator::Report report;
    report.check = metal::emulator::Check::schedcheck;
    report.kernel = accesses.overtaken.kernel;
    report.message = "a result depends on which of two atomic accesses comes first";
    report.address = fmt::format("{}, element {}: {}, or {}", name_of(difference.array), difference.element.index,
                                 difference.element.left, difference.element.right);
    report.event = accesses.overtaken.event;
    report.other = accesses.overtaking.event;
    report.other->action = "before it or after it, " + report.other->action;
    report.advice = advice;
    return report;
  }

  std::string name_of(const std::string& array) const {
    return script_.is_command_line && !array.starts_with(texture_prefix) ? fmt::format("buffer({})", array)
                                                                         : fmt::format("array `{}`", array);
  }

  ShaderScript script_;
  EmulatorOptions options_;
  ShaderOutcome& outcome_;
  std::shared_ptr<const metal::emulator::CompiledShader> shader_;
  Arrays plain_;
  std::set<std::string> reported_;
};

}  // namespace

void compare_schedules(const ShaderScript& script, const EmulatorOptions& options, std::uint64_t count,
                       ShaderOutcome& outcome) {
  Schedules(script, options, outcome).compare(count);
  apply_allowances(script.suppressions, outcome);
}

}  // namespace assay::validation
