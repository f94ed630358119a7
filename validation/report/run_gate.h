// Runs the gate: one kernel through all properties, or through a shard of the work on them, into a record.
//
// The units of work (validation/core/gate.h) are numbered over all properties. The result of a unit is added to the
// record as soon as the unit is done, so a run of any length takes bounded memory and can be stopped and resumed.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "validation/core/filter.h"
#include "validation/core/gate.h"
#include "validation/core/printable.h"
#include "validation/core/report.h"
#include "validation/report/gate_steps.h"
#include "validation/report/json.h"
#include "validation/report/property_record.h"
#include "validation/report/record.h"
#include "validation/report/task_processes.h"

namespace assay::validation {

template <class Operation>
struct GateRun {
  GateOptions<Operation> options;
  std::string filter;  ///< a regular expression, searched for in a property's name; empty matches all
  int digits = 50;
  Shard shard = {};
  FreshKernel<Operation> fresh_kernel = {};  ///< of the context
  std::string words = {};                    ///< the options of `assay gate` that give the same cases again: "--quick"
  bool explains = false;                     ///< FailureRecord::why
  std::size_t processes = 1;  ///< how many judge at a time, unless this is a shard or the kernel cannot be forked
};

/// Callbacks that follow a run. An empty one is not called.
struct GateWatch {
  std::function<void(const GateRecord&)> begins = {};
  /// Called before each case; `done` counts the finished properties, and the finished share of the current one.
  std::function<void(double done, const std::string& property)> progress = {};
  std::function<void(const PropertyRecord&)> judged = {};  ///< a property is finished, here or in the resumed run
  std::function<void(const GateRecord&)> advances = {};    ///< a unit is finished
  Stop stop = {};  ///< asked before each case; true ends the run and drops the unit that is not finished
};

template <class Operation>
GateQuestion question_of(const std::string& kernel, const GateRun<Operation>& run) {
  GateQuestion question{
      Operation::name,  printable_line(kernel), run.options.cases, run.options.seed, run.digits, run.filter, {},
      run.options.reach};
  for (const auto& one : run.options.given) question.given.push_back(printable_line(one.name));
  return question;
}

namespace detail {

template <class Operation>
std::vector<const Property<Operation>*> chosen(const std::string& filter) {
  const Filter chosen_by(filter);
  std::vector<const Property<Operation>*> properties;
  for (const auto& property : Operation::properties())
    if (chosen_by.matches(property.name)) properties.push_back(&property);
  if (properties.empty()) {
    throw std::invalid_argument(
        fmt::format("no property matches the filter '{}'; `assay gate {} --list` names them", filter, Operation::name));
  }
  return properties;
}

/// A record without results, for the units of the run's shard.
template <class Operation>
GateRecord blank_record(const std::string& kernel, const GateRun<Operation>& run,
                        const std::vector<const Property<Operation>*>& properties) {
  GateRecord record{question_of(kernel, run), run.shard, 0, 0, Coverage(class_names<Operation>()), {}};
  const std::int64_t units = units_of(run.options) * static_cast<std::int64_t>(properties.size());
  for (std::int64_t unit = 0; unit < units; ++unit) record.units += run.shard.has(unit) ? 1 : 0;
  for (const auto* property : properties) record.properties.push_back(unjudged(property->name, property->claim));
  return record;
}

/// The state of a run.
template <class Operation>
class GateRunner {
 public:
  GateRunner(const typename Operation::Kernel& kernel, const GateRun<Operation>& run, const GateWatch& watch)
      : context_{.kernel = kernel, .digits = run.digits, .fresh_kernel = run.fresh_kernel},
        run_(run),
        watch_(watch),
        properties_(chosen<Operation>(run.filter)),
        steps_(compare_with_reference(), units_of(run.options)) {}

  GateRecord run(std::optional<GateRecord> resumed) {
    GateRecord record = blank_record(context_.kernel.info().name, run_, properties_);
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
    if (run_.processes > 1 && run_.shard.total == 1 && context_.kernel.info().support.can_be_forked)
      processes_.emplace(steps_.long_tasks_first(), run_.processes, work);
    for (const PropertyGroup& group : steps_.groups()) {
      if (!judge_group(record, group)) break;
      for (std::size_t i = group.first; i < group.end; ++i)
        if (watch_.judged) watch_.judged(record.properties[i]);
    }
    processes_.reset();
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
    for (const auto* property : properties_) all.push_back(property->against_reference);
    return all;
  }

  /// Returns false if the run was stopped.
  bool judge_group(GateRecord& record, const PropertyGroup& group) {
    for (std::int64_t unit = 0; unit < steps_.each(); ++unit) {
      const bool goes_on = steps_.of_unit(group, unit, [&](const Step& step) {
        if (!run_.shard.has(step.number) || ++units_met_ <= done_before_) return true;
        if (!record.properties[step.property].failure) {
          const auto result = result_of(step);
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
      if (watch_.progress)
        watch_.progress(units / static_cast<double>(steps_.each()), properties_[step.property]->name);
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
    const Property<Operation>& property = *properties_[step.property];
    if (stop && stop()) return std::nullopt;
    Coverage coverage;
    const auto report = run_property(property, context_, run_.options, coverage, tell, {step.unit, 1, stop});
    if (!report.failure && stop && stop()) return std::nullopt;
    const auto command = [&] { return command_of(property, step.unit, stop); };
    PropertyRecord judged = record_of<Operation>(report, context_, step.unit, command);
    if (judged.failure && run_.explains) judged.failure->why = why_of(property, context_, report.failure->problem);
    return UnitRecord{step.number, std::move(judged), coverage};
  }

  /// The command that leads to the failure of this unit: that of the property alone if it fails on a fresh kernel, or
  /// else that of the whole run.
  std::string command_of(const Property<Operation>& property, std::int64_t unit, const Stop& stop) const {
    const auto kernel = context_.fresh();
    GateOptions<Operation> options = run_.options;
    options.shrink_budget = 0;
    Coverage coverage;
    const bool fails =
        run_property(property, kernel ? context_.with(*kernel) : context_, options, coverage, {}, {0, unit + 1, stop})
            .failure.has_value();
    return gate_line(question_of(context_.kernel.info().name, run_),
                     fails ? fmt::format("^{}$", property.name) : run_.filter, run_.words);
  }

  Context<Operation> context_;
  const GateRun<Operation>& run_;
  const GateWatch& watch_;
  std::vector<const Property<Operation>*> properties_;
  GateSteps steps_;
  std::int64_t units_met_ = 0;
  std::int64_t done_before_ = 0;
  std::optional<TaskProcesses> processes_;
};

}  // namespace detail

/// Judges the kernel by the properties that the filter matches, or resumes `resumed` after its finished units.
/// Throws std::invalid_argument if no property matches, or if `resumed` is the record of another run.
template <class Operation>
GateRecord run_gate(const typename Operation::Kernel& kernel, const GateRun<Operation>& run,
                    const GateWatch& watch = {}, std::optional<GateRecord> resumed = std::nullopt) {
  return detail::GateRunner<Operation>(kernel, run, watch).run(std::move(resumed));
}

}  // namespace assay::validation
