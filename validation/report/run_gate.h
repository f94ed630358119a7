// Runs the gate: one kernel through all properties, or through a shard of the work on them, into a record.
//
// The units of work (validation/core/gate.h) are numbered over all properties. The result of a unit is added to the
// record as soon as the unit is done, so a run of any length takes bounded memory and can be stopped and resumed.
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
#include "validation/report/record.h"

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

/// The state of a run.
template <class Operation>
class GateRunner {
 public:
  GateRunner(const typename Operation::Kernel& kernel, const GateRun<Operation>& run, const GateWatch& watch)
      : context_{.kernel = kernel, .digits = run.digits, .fresh_kernel = run.fresh_kernel},
        run_(run),
        watch_(watch),
        properties_(chosen<Operation>(run.filter)) {}

  GateRecord run(std::optional<GateRecord> resumed) {
    GateRecord record = blank_record(context_.kernel.info().name, run_, properties_);
    if (resumed) {
      require_same_question(record.question, resumed->question, "the run to be resumed");
      require_same_work(record, *resumed);
      record = std::move(*resumed);
    }
    done_before_ = record.units_done;
    if (watch_.begins) watch_.begins(record);
    for (std::size_t first = 0; first < properties_.size();) {
      const std::size_t last = last_of_group(first);
      if (!judge_group(record, first, last)) break;
      for (; first <= last; ++first)
        if (watch_.judged) watch_.judged(record.properties[first]);
    }
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

  /// Properties that follow each other and compare with the reference are judged together, unit by unit, since they
  /// need the same truths.
  std::size_t last_of_group(std::size_t first) const {
    std::size_t last = first;
    while (properties_[first]->against_reference && last + 1 < properties_.size() &&
           properties_[last + 1]->against_reference)
      ++last;
    return last;
  }

  /// Runs this shard's units of the properties from `first` to `last`. Returns false if the run was stopped.
  bool judge_group(GateRecord& record, std::size_t first, std::size_t last) {
    for (std::int64_t unit = 0; unit < units_of(run_.options); ++unit) {
      for (std::size_t i = first; i <= last; ++i) {
        if (!run_.shard.has(static_cast<std::int64_t>(i) * units_of(run_.options) + unit)) continue;
        if (++units_met_ <= done_before_) continue;
        const auto units_done =
            unit * static_cast<std::int64_t>(last + 1 - first) + static_cast<std::int64_t>(i - first);
        if (!record.properties[i].failure && !judge_unit(record, i, unit, done_after(first, units_done))) return false;
        record.units_done = units_met_;
        if (watch_.advances) watch_.advances(record);
      }
    }
    return true;
  }

  /// How many properties are done, in all, after some units of a group that begins at `first`.
  double done_after(std::size_t first, std::int64_t units) const {
    return static_cast<double>(first) + static_cast<double>(units) / static_cast<double>(units_of(run_.options));
  }

  bool judge_unit(GateRecord& record, std::size_t index, std::int64_t unit, double done) {
    const Property<Operation>& property = *properties_[index];
    const auto tell = [&](std::int64_t cases) {
      const double share =
          std::min(1.0, static_cast<double>(cases) / cases_of_unit) / static_cast<double>(units_of(run_.options));
      if (watch_.progress) watch_.progress(done + share, property.name);
    };
    Coverage coverage;
    const auto report = run_property(property, context_, run_.options, coverage, tell, {unit, 1, watch_.stop});
    if (!report.failure && watch_.stop && watch_.stop()) return false;
    const auto command = [&] { return command_of(property, unit); };
    PropertyRecord judged = record_of<Operation>(report, context_, unit, command);
    if (judged.failure && run_.explains) judged.failure->why = why_of(property, context_, report.failure->problem);
    record.add({static_cast<std::int64_t>(index) * units_of(run_.options) + unit, std::move(judged), coverage});
    return true;
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
  std::int64_t units_met_ = 0;
  std::int64_t done_before_ = 0;
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
