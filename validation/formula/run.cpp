// Runs the properties of a formula over drawn cases, shrinks what fails, and makes the record that reports are made of.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <stdexcept>

#include "validation/core/filter.h"
#include "validation/core/history.h"
#include "validation/core/printable.h"
#include "validation/core/report.h"
#include "validation/core/run.h"
#include "validation/core/support.h"
#include "validation/core/truth.h"
#include "validation/formula/counterexample.h"
#include "validation/formula/judge.h"
#include "validation/formula/needles.h"
#include "validation/formula/planned.h"
#include "validation/formula/power.h"
#include "validation/report/judged_text.h"
#include "validation/report/reach_text.h"

namespace assay::validation::formula {
namespace {

using Clock = std::chrono::steady_clock;

std::string reproducer(const Subject& subject, const Property& property, const Case& c, std::uint64_t seed,
                       const RunOptions& options) {
  const std::string words = fmt::format("operation={} property={} seed={} {}", subject.specification.name,
                                        property.name, seed, to_text(subject.specification, c));
  return options.replay_line ? options.replay_line(words) : words;
}

GateQuestion question_of(const Subject& subject, const RunOptions& options) {
  GateQuestion question{subject.specification.name,
                        printable_line(subject.kernel_name),
                        options.cases,
                        options.seed,
                        subject.digits,
                        options.filter,
                        {},
                        options.reach};
  for (std::size_t i = 0; i < options.given.size(); ++i) question.given.push_back(fmt::format("given case {}", i));
  return question;
}

/// Judges the cases of one property in their order, until one fails.
class PropertyRun {
 public:
  PropertyRun(const Subject& subject, const Property& property, const RunOptions& options, Coverage& coverage)
      : subject_(subject), property_(property), options_(options), coverage_(coverage) {
    record_.property = property.name;
    record_.claim = property.claim;
    if (!property.values)
      needles_ = needles_of(subject.specification, subject.trace, options.reach, property.against_reference,
                            property.name == "gradient");
    if (property.takes_planned)
      planned_ =
          planned_of(subject.specification, subject.trace, options.reach, subject.arithmetic.storage, options.seed);
  }

  /// `unit` counts the cases of all properties.
  PropertyRecord run(std::int64_t& unit) {
    const auto start = Clock::now();
    Random seeds(options_.seed);
    const auto each = [&](std::size_t count, const auto& judge_one) {
      for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t seed = seeds.bits();
        if (options_.shard.has(unit++) && !record_.failure) judge_one(i, seed);
      }
    };
    each(static_cast<std::size_t>(options_.cases), [&](std::size_t i, std::uint64_t seed) { generated(i, seed); });
    each(options_.given.size(), [&](std::size_t i, std::uint64_t seed) {
      judge_case(options_.given[i], seed, fmt::format("given case {}", i));
    });
    each(needles_.size(), [&](std::size_t i, std::uint64_t seed) { needle(needles_[i], seed); });
    each(planned_.size(), [&](std::size_t i, std::uint64_t seed) { planned(planned_[i], seed); });
    record_.settle();
    record_.seconds = seconds_since(start);
    return record_;
  }

  std::vector<std::string> hidden() const {
    std::vector<std::string> lines;
    for (const auto& [extent, power] : powers_)
      for (const auto& line : power.hidden()) lines.push_back(line);
    return lines;
  }

 private:
  /// Every class of values in turn, so that a few cases have met each.
  void generated(std::size_t i, std::uint64_t seed) {
    Random random(seed);
    const auto& classes = value_classes();
    const ValueClass& values = property_.values ? *property_.values : classes[i % classes.size()];
    const int size = static_cast<int>(100 * i / static_cast<std::size_t>(std::max(options_.cases - 1, 1)));
    const Case c = draw(random, size, subject_.specification, subject_.trace, subject_.arithmetic.storage, values);
    coverage_.count({"values: " + to_string(c.values), fmt::format("layout {}", c.layout)});
    judge_case(c, seed, fmt::format("case {}, values {}", i, to_string(c.values)));
  }

  void needle(const Needle& needle, std::uint64_t seed) {
    Random random(seed);
    const Case c = drawn(needle, subject_.specification, subject_.trace, subject_.arithmetic.storage, random);
    const Verdict verdict =
        judge_case(c, seed, fmt::format("{}={}, values {}", needle.extent, needle.size, to_string(c.values)));
    if (verdict == Verdict::skipped) return;
    Reached reached{needle.size, 0, needle.due, 0};
    const bool is_largest = needle.size == std::ranges::max(needles_, {}, [&](const Needle& one) {
                                             return one.extent == needle.extent ? one.size : 0;
                                           }).size;
    if (property_.against_reference && verdict == Verdict::pass && is_largest) {
      Power& power = powers_.try_emplace(needle.extent, needle.size).first->second;
      power.take(subject_, c, property_.name == "gradient");
      reached.noticed = power.elements();
      reached.terms = power.terms();
    }
    record_.reached[needle.extent].merge(reached);
  }

  void planned(const Planned& planned, std::uint64_t seed) {
    Random random(seed);
    const Case c = drawn(planned, subject_.specification, subject_.trace, subject_.arithmetic.storage, random);
    std::string origin;
    for (const auto& [extent, size] : planned.sizes) origin += fmt::format("{}={}, ", extent, size);
    judge_case(c, seed, fmt::format("{}values {}", origin, to_string(c.values)));
  }

  /// A property of outputs does not show an upstream, which it does not use.
  Verdict judge_case(Case c, std::uint64_t seed, const std::string& origin) {
    if (subject_.forward && property_.name != "gradient")
      for (auto& upstream : c.upstream) std::ranges::fill(upstream, 1);
    const Finding finding = judge(subject_, property_, c, seed);
    record_.record(finding, origin);
    if (property_.against_reference && finding.verdict == Verdict::pass && finding.judged.suffices())
      for (const auto& [extent, size] : c.extents) record_.sizes[extent].insert(size);
    if (!is_failure(finding.verdict)) return finding.verdict;
    const Counterexample found = counterexample(subject_, property_, c, finding, seed, options_.shrink_budget);
    record_.verdict = finding.verdict;
    record_.failure =
        FailureRecord{0,
                      shrunk_origin(origin, found.shrinks),
                      found.finding.explanation + (found.passes_alone ? history_text : ""),
                      found.passes_alone ? gate_line(question_of(subject_, options_), options_.filter, reach_words())
                                         : reproducer(subject_, property_, found.c, seed, options_),
                      {},
                      found.finding.margin,
                      finding.margin};
    record_.worst.take(finding.margin);
    record_.worst_case = origin;
    return finding.verdict;
  }

  std::string reach_words() const { return fmt::format("--reach {}", name_of(options_.reach)); }

  const Subject& subject_;
  const Property& property_;
  const RunOptions& options_;
  Coverage& coverage_;
  PropertyRecord record_;
  std::vector<Needle> needles_;
  std::vector<Planned> planned_;
  std::map<std::string, Power> powers_;  ///< by extent, of its largest needle cases
};

}  // namespace

Finding judge(const Subject& subject, const Property& property, const Case& c, std::uint64_t seed) {
  Random random(seed);
  try {
    return property.check(subject, c, random);
  } catch (const Unsupported& reason) {
    return Finding::skip(std::string(declined) + reason.what());
  } catch (const ReferenceDisagrees& disagreement) {
    return Finding::mistrust(std::string("  the reference is not certain: ") + disagreement.what());
  } catch (const std::exception& exception) {
    return Finding::error(std::string("  ") + exception.what());
  }
}

Judged run(const Subject& subject, const RunOptions& options) {
  if (options.cases < 0) throw std::invalid_argument(fmt::format("cases = {}: expected 0 or more", options.cases));
  const Filter filter(options.filter);
  Judged judged;
  GateRecord& record = judged.record;
  record.question = question_of(subject, options);
  record.shard = options.shard;
  std::int64_t unit = 0;
  *subject.truths = {};
  std::string known;
  for (const Property& property : properties_of(subject)) {
    known += (known.empty() ? "" : ", ") + property.name;
    if (!filter.matches(property.name)) continue;
    Coverage coverage;
    const std::int64_t first = unit;
    PropertyRun property_run(subject, property, options, coverage);
    record.properties.push_back(property_run.run(unit));
    record.coverage.merge(coverage);
    if (options.shard.total > 1)  // a merge adds all cases that a shard judged of a property as one unit
      record.judged.push_back({first + options.shard.index, record.properties.back(), coverage});
    for (const auto& line : property_run.hidden()) judged.hidden.push_back(property.name + " notices " + line);
  }
  judged.truths = *subject.truths;
  if (record.properties.empty())
    throw std::invalid_argument(
        fmt::format("no property matches the filter '{}': expected one of {}", options.filter, known));
  for (std::int64_t i = 0; i < unit; ++i) record.units += options.shard.has(i) ? 1 : 0;
  record.units_done = record.units;
  return judged;
}

std::string to_text(const Judged& judged) {
  const GateRecord& record = judged.record;
  std::string text = fmt::format("{} of {}\n{}\n", record.question.kernel, record.question.operation, table_heading());
  if (judged_nothing(record)) text = fmt::format("{}\n{}", advice_on_nothing, text);
  for (const auto& property : record.properties) text += table_row(property, false) + "\n";
  text += judged_text(record) + coverage_text(record.coverage) + "\n" + reach_text(record);
  const auto& [certified, compared, undeclared] = judged.truths;
  if (certified + compared > 0)
    text += fmt::format("  {} truths proven by enclosures, {} equal at two precisions\n", certified, compared);
  for (const auto& [what, share] : undeclared)
    text += fmt::format("  {}: of the bound without what is declared, errors would use {}\n", what,
                        std::isinf(share) ? "more than all" : fmt::format("{:.1f} %", 100 * share));
  for (const auto& line : judged.hidden) text += "    " + line + "; the others hide in its bound\n";
  for (const auto& property : record.properties) {
    if (property.verdict == Verdict::mistrusted)
      text += fmt::format("  mistrusted {}:\n{}\n", property.property, property.mistrust);
    for (const auto& [reason, count] : property.skipped)
      if (count > 0) text += fmt::format("  {}: {} cases skipped: {}\n", property.property, count, reason);
    if (!property.failure) continue;
    const FailureRecord& failure = *property.failure;
    text += "\n" + detail::failure_text(property, failure.origin, errors_text(failure.first_margin, failure.margin),
                                        failure.explanation, failure.reproducer, false);
  }
  return printable(text);
}

}  // namespace assay::validation::formula
