#include "validation/report/record.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "validation/core/proves_little.h"

namespace assay::validation {
namespace {

template <class Value>
void require_same_value(const char* name, const Value& value, const Value& other, const std::string& what) {
  if (value == other) return;
  throw std::invalid_argument(
      fmt::format("{}: {} is '{}', where '{}' was expected: give the same options", what, name, other, value));
}

}  // namespace

std::string program_version() {
  return ASSAY_VERSION;
}

std::string gate_line(const GateQuestion& asked, const std::string& filter, const std::string& words) {
  return fmt::format("./assay gate {} --kernel {} --cases {} --seed {} --digits {}{}{}", asked.operation, asked.kernel,
                     asked.cases, asked.seed, asked.digits, filter.empty() ? "" : fmt::format(" --filter '{}'", filter),
                     words.empty() ? "" : " " + words);
}

void PropertyRecord::merge(const PropertyRecord& other) {
  PropertySummary::merge(other);
  if (other.failure) {
    verdict = other.verdict;
    failure = other.failure;
    if (!(other.worst.share < worst.share)) worst_case = other.worst_case;
  }
  settle();
}

PropertyRecord unjudged(const std::string& property, const std::string& claim, bool is_far, bool has_many_rows) {
  PropertyRecord record;
  record.property = property;
  record.claim = claim;
  record.is_far = is_far;
  record.has_many_rows = has_many_rows;
  record.settle();
  return record;
}

void GateRecord::add(const UnitRecord& one) {
  const auto property = std::find_if(properties.begin(), properties.end(),
                                     [&](const auto& other) { return other.property == one.result.property; });
  if (property == properties.end())
    throw std::invalid_argument(
        fmt::format("unit {} is of property '{}', which is none of the run's", one.unit, one.result.property));
  if (property->failure) return;
  property->merge(one.result);
  coverage.merge(one.coverage);
  if (shard.total > 1) judged.push_back(one);
}

bool GateRecord::spares(std::int64_t unit) const {
  if (shard.total > 1) return false;  // it does not know what the others found
  if (unit < 0 || unit >= units || properties.empty() || units % std::ssize(properties) != 0) return false;  // forged
  const std::int64_t each = units / std::ssize(properties);
  const auto property = properties.begin() + unit / each;
  const bool is_planned = unit % each == each - 1;
  return is_planned && property->has_many_rows &&
         std::any_of(properties.begin(), property, [](const auto& before) { return before.failure.has_value(); });
}

UnitRecord GateRecord::spared(std::int64_t unit) const {
  const auto& property = properties[static_cast<std::size_t>(unit / (units / std::ssize(properties)))];
  UnitRecord spared{unit, unjudged(property.property, property.claim, property.is_far, property.has_many_rows), {}};
  spared.result.record(Finding::skip("results on few rows are wrong", SkipCause::wrong_kind), "planned");
  spared.result.settle();
  return spared;
}

int failures_of(const GateRecord& record) {
  return static_cast<int>(std::count_if(record.properties.begin(), record.properties.end(),
                                        [](const auto& property) { return is_failure(property.verdict); }));
}

int mistrusted_of(const GateRecord& record) {
  return static_cast<int>(std::count_if(record.properties.begin(), record.properties.end(),
                                        [](const auto& property) { return property.verdict == Verdict::mistrusted; }));
}

bool judged_nothing(const GateRecord& record) {
  return record.shard.total == 1 && std::ranges::all_of(record.properties, [](const auto& property) {
           return property.verdict == Verdict::skipped;
         });
}

std::string why_mistrusted(const GateRecord& record) {
  if (record.shard.total > 1 || failures_of(record) + mistrusted_of(record) > 0) return "";
  Returned all;
  std::int64_t results = 0, ill_conditioned = 0;  // of properties that say which are
  double judged = 0, declined = 0;
  for (const auto& property : record.properties) {
    all.merge(property.returned);
    results += property.evidence.weighed > 0 ? property.judged.judged : 0;
    ill_conditioned += property.evidence.ill_conditioned;
    judged += static_cast<double>(property.ordinary.judged);
    declined += static_cast<double>(property.ordinary.declined);
  }
  const std::string why = why_proves_little(record.claimed * (declined > 0 ? judged / (judged + declined) : 1), all);
  return why.empty() ? why_noise_passes(ill_conditioned, results) : why;
}

int exit_status(const Report& report) {
  const bool passed = std::ranges::all_of(report.runs, [](const auto& run) {
    return run.is_complete() && failures_of(run) + mistrusted_of(run) == 0 && !judged_nothing(run) &&
           why_mistrusted(run).empty();
  });
  return passed ? 0 : 1;
}

void require_same_question(const GateQuestion& question, const GateQuestion& other, const std::string& what) {
  require_same_value("operation", question.operation, other.operation, what);
  require_same_value("kernel", question.kernel, other.kernel, what);
  require_same_value("fingerprint of the kernel's file", question.fingerprint, other.fingerprint, what);
  require_same_value("cases", question.cases, other.cases, what);
  require_same_value("seed", question.seed, other.seed, what);
  require_same_value("digits", question.digits, other.digits, what);
  require_same_value("reach", name_of(question.reach), name_of(other.reach), what);
  require_same_value("filter", question.filter, other.filter, what);
  require_same_value("given", fmt::format("{}", fmt::join(question.given, ", ")),
                     fmt::format("{}", fmt::join(other.given, ", ")), what);
}

}  // namespace assay::validation
