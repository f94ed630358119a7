// Runs the properties of a formula over drawn cases, shrinks what fails, and makes the record that reports are made of.
#include <fmt/format.h>

#include <chrono>
#include <regex>
#include <stdexcept>

#include "validation/core/report.h"
#include "validation/core/support.h"
#include "validation/core/truth.h"
#include "validation/formula/judge.h"

namespace assay::validation::formula {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// What shrinking makes of a failing case.
struct Found {
  Case smallest;
  Finding finding, first;
  int steps = 0;
};

Found shrunk(const Subject& subject, const Property& property, const Case& c, const Finding& first, std::uint64_t seed,
             int budget) {
  constexpr double most_seconds = 5;
  Found found{c, first, first};
  const auto start = Clock::now();
  for (bool smaller = true; smaller && budget > 0;) {
    smaller = false;
    for (const auto& step : shrinks_of(subject.specification, found.smallest, subject.trace)) {
      if (budget-- <= 0 || seconds_since(start) > most_seconds) return found;
      const Case candidate = step();
      const Finding finding = judge(subject, property, candidate, seed);
      if (finding.verdict != first.verdict) continue;
      found.smallest = candidate;
      found.finding = finding;
      ++found.steps;
      smaller = true;
      break;
    }
  }
  return found;
}

std::string reproducer(const Subject& subject, const Property& property, const Case& c, std::uint64_t seed,
                       const RunOptions& options) {
  const std::string words = fmt::format("operation={} property={} seed={} {}", subject.specification.name,
                                        property.name, seed, to_text(subject.specification, c));
  return options.replay_line ? options.replay_line(words) : words;
}

void settle(PropertyRecord& record) {
  record.settle();
  for (const auto& [reason, count] : record.skipped)
    if (reason.starts_with("mistrusted") && 2 * count > record.cases && !record.failure) {
      record.mistrust = fmt::format("  {} of {} cases: {}", count, record.cases, reason);
      record.verdict = Verdict::mistrusted;
    }
}

PropertyRecord judge_property(const Subject& subject, const Property& property, const RunOptions& options,
                              Coverage& coverage) {
  const auto start = Clock::now();
  PropertyRecord record;
  record.property = property.name;
  record.claim = property.claim;
  Random seeds(options.seed);
  for (int i = 0; i < options.cases && !record.failure; ++i) {
    const std::uint64_t seed = seeds.bits();
    Random random(seed);
    const Case c = draw(random, 100 * i / std::max(options.cases - 1, 1), subject.specification, subject.trace,
                        subject.arithmetic.storage, property.values);
    const Finding finding = judge(subject, property, c, seed);
    coverage.count({"values: " + c.values, fmt::format("layout {}", c.layout)});
    record.record(finding, fmt::format("case {}", i));
    if (!is_failure(finding.verdict)) continue;
    const Found found = shrunk(subject, property, c, finding, seed, options.shrink_budget);
    record.verdict = finding.verdict;
    record.failure = FailureRecord{0,
                                   fmt::format("generated, values {}, shrunk in {} steps", c.values, found.steps),
                                   found.finding.explanation,
                                   reproducer(subject, property, found.smallest, seed, options),
                                   {},
                                   found.finding.margin,
                                   finding.margin};
    record.worst.take(finding.margin);
    record.worst_case = fmt::format("case {}", i);
  }
  settle(record);
  record.seconds = seconds_since(start);
  return record;
}

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

GateRecord run(const Subject& subject, const RunOptions& options) {
  const std::regex pattern(options.filter);
  GateRecord record;
  record.question = {subject.specification.name,
                     subject.kernel_name,
                     options.cases,
                     options.seed,
                     subject.digits,
                     options.filter,
                     {},
                     Reach::none};
  for (const Property& property : properties_of(subject)) {
    if (!std::regex_search(property.name, pattern)) continue;
    record.properties.push_back(judge_property(subject, property, options, record.coverage));
  }
  if (record.properties.empty())
    throw std::invalid_argument(fmt::format("no property matches the filter '{}'", options.filter));
  record.units = record.units_done = std::ssize(record.properties);
  return record;
}

std::string to_text(const GateRecord& record) {
  std::string text = fmt::format("{} of {}\n{}\n", record.question.kernel, record.question.operation, table_heading());
  for (const auto& property : record.properties) text += table_row(property, false) + "\n";
  text += coverage_text(record.coverage) + "\n";
  for (const auto& property : record.properties) {
    for (const auto& [reason, count] : property.skipped)
      if (count > 0) text += fmt::format("  {}: {} cases skipped: {}\n", property.property, count, reason);
    if (!property.failure) continue;
    const FailureRecord& failure = *property.failure;
    text += "\n" + detail::failure_text(property, failure.origin, errors_text(failure.first_margin, failure.margin),
                                        failure.explanation, failure.reproducer, false);
  }
  return text;
}

}  // namespace assay::validation::formula
