// Runs the gate: one kernel through all properties, or through a shard of the work on them, into a record.
//
// The units of work (validation/core/gate.h) are numbered over all properties. The result of a unit is added to the
// record as soon as the unit is done, so a run of any length takes bounded memory and can be stopped and resumed.
//
// The units of a property are a task, which a process of its own may do (task_processes.h). Properties that compare
// with the reference need the same truths, which take long: for them a task is one unit of all of these properties. The
// record gets the results in the same order with any number of processes.
#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "validation/core/filter.h"
#include "validation/core/gate.h"
#include "validation/core/report.h"
#include "validation/report/json.h"
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
  /// How many processes judge at a time, unless this is a shard. More than one is for kernels that a copy of this
  /// process can call: before their first call they have no threads, processes or devices.
  std::size_t processes = 1;
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
  GateQuestion question{Operation::name, kernel, run.options.cases, run.options.seed, run.digits,
                        run.filter,      {},     run.options.reach};
  for (const auto& one : run.options.given) question.given.push_back(one.name);
  return question;
}

namespace detail {

template <class Operation>
std::vector<const Property<Operation>*> chosen(const std::string& filter) {
  const std::regex pattern = filter_of(filter);
  std::vector<const Property<Operation>*> properties;
  for (const auto& property : Operation::properties())
    if (std::regex_search(property.name, pattern)) properties.push_back(&property);
  if (properties.empty()) {
    throw std::invalid_argument(
        fmt::format("no property matches the filter '{}'; `assay gate {} --list` names them", filter, Operation::name));
  }
  return properties;
}

/// Pictures of the kernel's errors on the failing case; none if the kernel or the reference throws again.
template <class Operation>
std::vector<Picture> pictures_of(const Context<Operation>& context, const typename Operation::Case& c) {
  try {
    return Operation::pictures(context.kernel, c, context.digits);
  } catch (const std::exception&) {
    return {};
  }
}

/// What the emulator's numerics find when the property is checked once more on the failing case; empty if the kernel is
/// not a shader.
template <class Operation>
Why why_of(const Property<Operation>& property, const Context<Operation>& context, const typename Operation::Case& c) {
  Explanation explanation;
  const auto kernel = context.fresh();
  if (!kernel) return {};
  judge(property, context.with(*kernel), c);
  return explanation.why();
}

template <class Operation>
PropertyRecord record_of(const PropertyReport<Operation>& report, const Context<Operation>& context, std::int64_t unit,
                         const std::function<std::string()>& command) {
  PropertyRecord record{static_cast<const PropertySummary&>(report), std::nullopt};
  if (!report.failure) return record;
  const Failure<Operation>& failure = *report.failure;
  const std::string& kernel = context.kernel.info().name;
  const std::string line = !failure.sequence.empty() ? reproducer<Operation>(report.property, kernel, failure.sequence)
                           : failure.passes_alone    ? command()
                                                     : reproducer<Operation>(report.property, kernel, failure.problem);
  record.failure = FailureRecord{
      unit,           failure.origin,      failure.explanation, line, pictures_of(context, failure.problem),
      failure.margin, failure.first_margin};
  return record;
}

/// A record without results, for the units of the run's shard.
template <class Operation>
GateRecord blank_record(const std::string& kernel, const GateRun<Operation>& run,
                        const std::vector<const Property<Operation>*>& properties) {
  GateRecord record{question_of(kernel, run), run.shard, 0, 0, Coverage(Operation::classes()), {}};
  const std::int64_t units = units_of(run.options) * static_cast<std::int64_t>(properties.size());
  for (std::int64_t unit = 0; unit < units; ++unit) record.units += run.shard.has(unit) ? 1 : 0;
  for (const auto* property : properties) record.properties.push_back(unjudged(property->name, property->claim));
  return record;
}

/// Properties that are judged together, unit by unit: properties_[first] to properties_[end - 1].
struct PropertyGroup {
  std::size_t first = 0, end = 0;
  bool compares = false;        ///< with the reference: each unit is a task
  std::int64_t first_task = 0;  ///< tasks are numbered over all groups
};

/// A unit of a property.
struct Step {
  std::size_t property = 0;
  std::int64_t unit = 0;
  std::int64_t position = 0;  ///< among all units of a run that is no shard
};

/// The state of a run.
template <class Operation>
class GateRunner {
 public:
  GateRunner(const typename Operation::Kernel& kernel, const GateRun<Operation>& run, const GateWatch& watch)
      : context_{.kernel = kernel, .digits = run.digits, .fresh_kernel = run.fresh_kernel},
        run_(run),
        watch_(watch),
        properties_(chosen<Operation>(run.filter)),
        each_(units_of(run.options)) {
    for (std::size_t first = 0; first < properties_.size(); first = groups_.back().end) add_group(first);
  }

  GateRecord run(std::optional<GateRecord> resumed) {
    GateRecord record = blank_record(context_.kernel.info().name, run_, properties_);
    if (resumed) {
      require_same_question(record.question, resumed->question, "the run to be resumed");
      require_same_work(record, *resumed);
      record = std::move(*resumed);
    }
    done_before_ = record.units_done;
    if (watch_.begins) watch_.begins(record);
    const auto work = [&](std::int64_t task, const TaskProcesses::Send& send) { do_task(record, task, send); };
    if (run_.processes > 1 && run_.shard.total == 1) processes_.emplace(long_tasks_first(), run_.processes, work);
    for (const PropertyGroup& group : groups_) {
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

  void add_group(std::size_t first) {
    const bool compares = properties_[first]->against_reference;
    std::size_t end = first + 1;
    while (compares && end < properties_.size() && properties_[end]->against_reference) ++end;
    groups_.push_back({first, end, compares, tasks_});
    tasks_ += compares ? each_ : 1;
  }

  /// The tasks that compare with the reference, then the others.
  std::vector<TaskProcesses::Range> long_tasks_first() const {
    std::vector<TaskProcesses::Range> order;
    for (const bool compares : {true, false})
      for (const PropertyGroup& group : groups_)
        if (group.compares == compares) order.emplace_back(group.first_task, group.first_task + (compares ? each_ : 1));
    return order;
  }

  /// Calls use(step) for the steps of a unit of the group, until one returns false; those of this shard alone.
  template <class Use>
  bool each_step(const PropertyGroup& group, std::int64_t unit, const Use& use) const {
    const auto properties = static_cast<std::int64_t>(group.end - group.first);
    for (std::size_t i = group.first; i < group.end; ++i) {
      const std::int64_t before = unit * properties + static_cast<std::int64_t>(i - group.first);
      const Step step{i, unit, static_cast<std::int64_t>(group.first) * each_ + before};
      if (run_.shard.has(number_of(step)) && !use(step)) return false;
    }
    return true;
  }

  /// Returns false if the run was stopped.
  bool judge_group(GateRecord& record, const PropertyGroup& group) {
    for (std::int64_t unit = 0; unit < each_; ++unit) {
      const bool goes_on = each_step(group, unit, [&](const Step& step) {
        if (++units_met_ <= done_before_) return true;
        if (!record.properties[step.property].failure) {
          const auto result = result_of(step, group.first_task + (group.compares ? unit : 0));
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

  /// In a process of its own: judges the task's units from where a resumed run begins, and sends the results.
  void do_task(GateRecord& record, std::int64_t task, const TaskProcesses::Send& send) const {
    const auto group = std::find_if(groups_.rbegin(), groups_.rend(),
                                    [&](const PropertyGroup& one) { return one.first_task <= task; });
    const std::int64_t first = group->compares ? task - group->first_task : 0;
    for (std::int64_t unit = first; unit < (group->compares ? first + 1 : each_); ++unit) {
      const bool goes_on = each_step(*group, unit, [&](const Step& step) {
        if (step.position < done_before_ || record.properties[step.property].failure) return true;
        const auto result = judge_unit(step, {});
        if (!result) return false;
        record.add(*result);
        send(to_json(*result));
        return true;
      });
      if (!goes_on) return;
    }
  }

  bool is_stopped() const { return watch_.stop && watch_.stop(); }

  /// The result that the task's process sends; or judges the unit here. None if the run was stopped.
  std::optional<UnitRecord> result_of(const Step& step, std::int64_t task) {
    const auto tell = [&](std::int64_t cases) {
      const double units =
          static_cast<double>(step.position) + std::min(1.0, static_cast<double>(cases) / cases_of_unit);
      if (watch_.progress) watch_.progress(units / static_cast<double>(each_), properties_[step.property]->name);
    };
    const auto stop = [&] {
      tell(0);
      return is_stopped();
    };
    while (processes_) {
      const auto text = processes_->next(task, stop);
      if (!text) break;
      UnitRecord result = unit_from_json(*text, "a process of the gate");
      if (result.unit == number_of(step)) return result;
    }
    return judge_unit(step, tell);
  }

  std::int64_t number_of(const Step& step) const {
    return static_cast<std::int64_t>(step.property) * each_ + step.unit;
  }

  std::optional<UnitRecord> judge_unit(const Step& step, const Progress& tell) const {
    const Property<Operation>& property = *properties_[step.property];
    if (is_stopped()) return std::nullopt;
    Coverage coverage;
    const auto report = run_property(property, context_, run_.options, coverage, tell, {step.unit, 1, watch_.stop});
    if (!report.failure && is_stopped()) return std::nullopt;
    const auto command = [&] { return command_of(property, step.unit); };
    PropertyRecord judged = record_of<Operation>(report, context_, step.unit, command);
    if (judged.failure && run_.explains) judged.failure->why = why_of(property, context_, report.failure->problem);
    return UnitRecord{number_of(step), std::move(judged), coverage};
  }

  /// The command that leads to the failure of this unit: that of the property alone if it fails on a fresh kernel, or
  /// else that of the whole run.
  std::string command_of(const Property<Operation>& property, std::int64_t unit) const {
    const auto kernel = context_.fresh();
    GateOptions<Operation> options = run_.options;
    options.shrink_budget = 0;
    Coverage coverage;
    const bool fails = run_property(property, kernel ? context_.with(*kernel) : context_, options, coverage, {},
                                    {0, unit + 1, watch_.stop})
                           .failure.has_value();
    return gate_line(question_of(context_.kernel.info().name, run_),
                     fails ? fmt::format("^{}$", property.name) : run_.filter, run_.words);
  }

  Context<Operation> context_;
  const GateRun<Operation>& run_;
  const GateWatch& watch_;
  std::vector<const Property<Operation>*> properties_;
  std::int64_t each_;  ///< units of a property
  std::vector<PropertyGroup> groups_;
  std::int64_t tasks_ = 0;
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
