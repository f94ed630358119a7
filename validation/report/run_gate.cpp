#include "validation/report/run_gate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <ranges>
#include <stdexcept>
#include <utility>
#include <vector>

#include "validation/core/call_time.h"
#include "validation/core/filter.h"
#include "validation/core/printable.h"
#include "validation/core/report.h"
#include "validation/report/gate_steps.h"
#include "validation/report/json.h"
#include "validation/report/task_processes.h"

namespace assay::validation {
namespace {

GateQuestion question_of(const GateSubject& subject, const GateRun& run) {
  GateQuestion question{subject.operation(),
                        printable_line(subject.kernel()),
                        run.options.cases,
                        run.options.seed,
                        run.digits,
                        run.filter,
                        {},
                        run.options.reach,
                        run.fingerprint};
  for (const auto& one : run.options.given) question.given.push_back(printable_line(one.name));
  return question;
}

/// The indices of the properties that the filter matches.
std::vector<std::size_t> chosen(const GateSubject& subject, const std::string& filter) {
  const Filter chosen_by(filter);
  std::vector<std::size_t> properties;
  for (std::size_t i = 0; i < subject.properties().size(); ++i)
    if (chosen_by.matches(subject.properties()[i].name)) properties.push_back(i);
  if (!properties.empty()) return properties;
  const auto names = subject.properties() | std::views::transform([](const auto& one) { return one.name; });
  throw std::invalid_argument(
      fmt::format("no property matches the filter '{}': expected one of {}", filter, fmt::join(names, ", ")));
}

/// A record without results, for the units of the run's shard.
GateRecord blank_record(const GateSubject& subject, const GateRun& run, const std::vector<std::size_t>& properties) {
  GateRecord record{question_of(subject, run), run.shard, 0, 0, Coverage(subject.class_names()), {}};
  const std::int64_t units = units_of(subject, run.options) * std::ssize(properties);
  for (std::int64_t unit = 0; unit < units; ++unit) record.units += run.shard.has(unit) ? 1 : 0;
  for (const std::size_t i : properties) {
    const PropertyInfo& info = subject.properties()[i];
    record.properties.push_back(unjudged(info.name, info.claim, info.is_far, info.has_many_rows));
  }
  return record;
}

/// The state of a run.
class GateRunner {
 public:
  GateRunner(const GateSubject& subject, const GateRun& run, const GateWatch& watch)
      : subject_(subject),
        run_(run),
        watch_(watch),
        properties_(chosen(subject, run.filter)),
        steps_(compare_with_reference(), units_of(subject, run.options)) {}

  GateRecord run(std::optional<GateRecord> resumed) {
    GateRecord record = blank_record(subject_, run_, properties_);
    if (resumed) {
      require_same_question(record.question, resumed->question, "the run to be resumed");
      require_same_work(record, *resumed);
      record = std::move(*resumed);
    }
    done_before_ = record.units_done;
    if (watch_.begins) watch_.begins(record);
    const auto work = [&](std::int64_t task, const TaskProcesses::Original& original) {
      do_task(record, task, original);
    };
    if (run_.processes > 1 && run_.shard.total == 1 && subject_.can_be_forked())
      processes_.emplace(steps_.long_tasks_first(), run_.processes, work);
    for (const PropertyGroup& group : steps_.groups()) {
      if (!judge_group(record, group)) break;
      for (std::size_t i = group.first; i < group.end; ++i)
        if (watch_.judged) watch_.judged(record.properties[i]);
    }
    processes_.reset();
    record.narrow = subject_.narrow();
    if (failures_of(record) == 0) record.claimed = subject_.claimed_share();  // else no verdict needs it
    return record;
  }

 private:
  static void require_same_work(const GateRecord& blank, const GateRecord& resumed) {
    const bool same = blank.shard == resumed.shard && blank.units == resumed.units &&
                      resumed.units_done <= resumed.units && blank.properties.size() == resumed.properties.size();
    if (same) return;
    throw std::invalid_argument(fmt::format(
        "the run to be resumed is shard {} of {} with {} units; this is shard {} of {} with {}: resume it "
        "under the same GTEST_SHARD_INDEX and GTEST_TOTAL_SHARDS",
        resumed.shard.index, resumed.shard.total, resumed.units, blank.shard.index, blank.shard.total, blank.units));
  }

  std::vector<bool> compare_with_reference() const {
    std::vector<bool> all;
    for (const std::size_t i : properties_) all.push_back(subject_.properties()[i].against_reference);
    return all;
  }

  /// Returns false if the run was stopped.
  bool judge_group(GateRecord& record, const PropertyGroup& group) {
    for (std::int64_t unit = 0; unit < steps_.each(); ++unit) {
      const bool goes_on = steps_.of_unit(group, unit, [&](const Step& step) {
        if (!run_.shard.has(step.number) || ++units_met_ <= done_before_) return true;
        if (!record.properties[step.property].failure) {
          const auto result = record.spares(step.number) ? record.spared(step.number) : result_of(step);
          if (!result) return false;
          record.add(*result);
        }
        record.units_done = units_met_;
        if (watch_.advances) watch_.advances(record);
        return true;
      });
      if (!goes_on) return false;
    }
    return true;
  }

  /// Judges the task's units that a resumed run has not judged, and sends the results. Runs in a process of its own.
  void do_task(GateRecord& record, std::int64_t task, const TaskProcesses::Original& original) const {
    steps_.of_task(task, [&](const Step& step) {
      if (step.position < done_before_ || record.properties[step.property].failure) return true;
      const auto result = judge_unit(step, {}, original.stop);
      if (!result) return false;
      record.add(*result);
      original.send(to_json(*result));
      return true;
    });
  }

  /// The result of the unit, from the task's process, or judged here if that process sends none. None if the run was
  /// stopped.
  std::optional<UnitRecord> result_of(const Step& step) {
    const auto tell = [&](std::int64_t cases) {
      const double units =
          static_cast<double>(step.position) + std::min(1.0, static_cast<double>(cases) / cases_of_unit);
      if (watch_.progress) watch_.progress(units / static_cast<double>(steps_.each()), name_of(step));
    };
    const auto stop = [&] {
      tell(0);
      return watch_.stop && watch_.stop();
    };
    while (processes_) {
      const auto text = processes_->next(step.task, stop);
      if (!text) break;
      UnitRecord result = unit_from_json(*text, "a process of the gate");
      if (result.unit == step.number) return result;
    }
    return judge_unit(step, tell, watch_.stop);
  }

  /// None if stop() was true and there is no failure to tell.
  std::optional<UnitRecord> judge_unit(const Step& step, const Progress& tell, const Stop& stop) const {
    if (stop && stop()) return std::nullopt;
    const std::size_t property = properties_[step.property];
    const double end = end_of(step);
    bool is_late = false;
    const Stop late = [&] { return (is_late = seconds_since(start_) > end) || (stop && stop()); };
    Coverage coverage;
    auto report =
        run_property(subject_, property, run_.options, coverage, tell, {step.unit, 1, run_.seconds > 0 ? late : stop});
    if (!report.failure && stop && stop()) return std::nullopt;
    if (!report.failure && is_late) {
      report.mistrust = fmt::format(
          "  time ended: of {:g} s for the run this had its share; more seconds judge the rest", run_.seconds);
      report.settle();
    }
    PropertyRecord judged{static_cast<const PropertySummary&>(report), std::nullopt};
    if (report.failure) judged.failure = record_of(*report.failure, step, stop);
    return UnitRecord{step.number, std::move(judged), coverage};
  }

  /// When the unit has to end. The properties have equal parts of the time, and a unit has its share of what is left for
  /// its group, but not so little that many units would judge nothing.
  double end_of(const Step& step) const {
    const auto& group =
        *std::ranges::find_if(steps_.groups(), [&](const auto& one) { return step.property < one.end; });
    const auto first = static_cast<double>(group.first), end = static_cast<double>(group.end);
    const auto each = static_cast<double>(steps_.each());
    const double remaining = end * each - static_cast<double>(step.position);
    const double passed = seconds_since(start_), due = run_.seconds * end / static_cast<double>(properties_.size());
    return passed + std::max(due - passed, 0.0) * std::max(1 / remaining, 1 / (2 * (end - first)));
  }

  const std::string& name_of(const Step& step) const { return subject_.properties()[properties_[step.property]].name; }

  FailureRecord record_of(const Failure& failure, const Step& step, const Stop& stop) const {
    const std::size_t property = properties_[step.property];
    const bool is_led_to = failure.passes_alone && failure.sequence.empty();
    return {step.unit,
            failure.origin,
            failure.explanation + failure.remarks,
            is_led_to ? command_of(step, stop) : reproducer(subject_, property, failure),
            subject_.pictures_of(failure.problem),
            failure.margin,
            failure.first_margin,
            run_.why != nullptr ? run_.why(subject_, property, failure.problem) : Why(),
            failure.usual_cause};
  }

  /// The command that leads to the failure of this unit: that of the property alone if it fails on a fresh kernel, or
  /// else, or without one, that of the whole run.
  std::string command_of(const Step& step, const Stop& stop) const {
    const auto fresh = subject_.fresh();
    GateOptions options = run_.options;
    options.shrink_budget = 0;
    Coverage coverage;
    const bool fails =
        fresh &&
        run_property(*fresh, properties_[step.property], options, coverage, {}, {0, step.unit + 1, stop}).failure;
    return gate_line(question_of(subject_, run_), fails ? fmt::format("^{}$", name_of(step)) : run_.filter, run_.words);
  }

  const GateSubject& subject_;
  const GateRun& run_;
  const GateWatch& watch_;
  std::vector<std::size_t> properties_;
  GateSteps steps_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::int64_t units_met_ = 0;
  std::int64_t done_before_ = 0;
  std::optional<TaskProcesses> processes_;
};

}  // namespace

GateRecord run_gate(const GateSubject& subject, const GateRun& run, const GateWatch& watch,
                    std::optional<GateRecord> resumed) {
  return GateRunner(subject, run, watch).run(std::move(resumed));
}

}  // namespace assay::validation
