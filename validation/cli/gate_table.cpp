#include "validation/cli/gate_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "validation/core/call_time.h"
#include "validation/core/report.h"
#include "validation/report/judged_text.h"
#include "validation/report/reach_text.h"

namespace assay::validation {
namespace {

std::string failures_text(const GateRecord& record, bool colour) {
  std::string text;
  for (const auto& property : record.properties) {
    if (!property.failure) continue;
    const FailureRecord& failure = *property.failure;
    text += "\n" + detail::failure_text(property, failure.origin, errors_text(failure.first_margin, failure.margin),
                                        failure.explanation, failure.reproducer, colour, failure.why.text);
  }
  return text;
}

/// "loss, gradient fail at softmax.metal:41; shift fails", or "pass".
std::string where_it_fails(const GateRecord& record) {
  std::map<std::string, std::vector<std::string>> by_place;
  for (const auto& property : record.properties)
    if (property.failure) by_place[property.failure->why.place].push_back(property.property);
  std::vector<std::string> parts;
  for (const auto& [place, properties] : by_place)
    parts.push_back(fmt::format("{} {}{}", fmt::join(properties, ", "), properties.size() == 1 ? "fails" : "fail",
                                place.empty() ? "" : " at " + place));
  return parts.empty() ? "pass" : fmt::format("{}", fmt::join(parts, "; "));
}

double seconds_of(const GateRecord& record) {
  double seconds = 0;
  for (const auto& property : record.properties) seconds += property.seconds;
  return seconds;
}

}  // namespace

void GateTable::print(const std::string& text) {
  if (out_ == nullptr) return;
  tell(out_, "{}", text);
  flush(out_);
}

void GateTable::heading(const GateRecord& record) {
  const GateQuestion& asked = record.question;
  print(fmt::format("assay gate {}: kernel {}, {} generated cases a property (seed {}), reference at {} digits\n",
                    asked.operation, asked.kernel, asked.cases, asked.seed, asked.digits));
  if (!asked.given.empty()) print(fmt::format("given: {}\n", fmt::join(asked.given, ", ")));
  if (record.shard.total > 1)
    print(fmt::format("shard {} of {}: {} units of the work\n", record.shard.index, record.shard.total, record.units));
  print(fmt::format("\n{}\n", table_heading()));
}

void GateTable::row(const PropertyRecord& property) {
  print(table_row(property, colour_) + "\n");
}

void GateTable::reservations(const PropertyRecord& property) {
  if (property.verdict == Verdict::mistrusted)
    print(fmt::format("mistrusted {}:\n{}\n\n", property.property, property.mistrust));
  for (const auto& [reason, count] : property.skipped) {
    if (count == property.cases) print(fmt::format("skipped {}: {} ({} cases)\n", property.property, reason, count));
  }
}

/// Prints how many cases were skipped because the kernel does not claim to do them.
void GateTable::unclaimed(const GateRecord& record) {
  constexpr std::string_view opening = "the kernel does not ";
  std::map<std::string, std::int64_t> counts;
  for (const auto& property : record.properties)
    for (const auto& [reason, count] : property.skipped)
      if (reason.starts_with(opening)) counts[reason.substr(opening.size())] += count;
  if (counts.empty()) return;
  std::vector<std::string> items;
  for (const auto& [what, count] : counts) items.push_back(fmt::format("{} {}", what, count));
  print("  skipped, for the kernel does not\n" + wrapped(items, 98, "    ") + "\n");
}

void GateTable::worst(const GateRecord& record) {
  const PropertyRecord* worst = nullptr;
  for (const auto& property : record.properties) {
    if (worst == nullptr || !(property.worst.share <= worst->worst.share)) worst = &property;
  }
  if (worst == nullptr || worst->worst.share == 0) return;
  print(fmt::format("  worst margin: {:.4g} of the bound, {} at {} ({})\n", worst->worst.share, worst->property,
                    worst->worst.place, worst->worst_case));
}

void GateTable::conclusion(const GateRecord& record) {
  print("\n");
  for (const auto& property : record.properties) reservations(property);
  print(judged_text(record));
  if (record.coverage.cases() > 0) print(coverage_text(record.coverage) + "\n");
  print(reach_text(record));
  unclaimed(record);
  worst(record);
  print(fmt::format("{}\n{}: {} of {} properties failed, {} mistrusted, in {:.1f} s\n", failures_text(record, colour_),
                    record.question.kernel, failures_of(record), record.properties.size(), mistrusted_of(record),
                    begun_ ? seconds_since(*begun_) : seconds_of(record)));
  if (judged_nothing(record)) print(fmt::format("{}\n", advice_on_nothing));
}

void GateTable::whole(const GateRecord& record) {
  heading(record);
  for (const auto& property : record.properties) row(property);
  conclusion(record);
}

void GateTable::arithmetics(const Report& report) {
  print("\n");
  for (const auto& record : report.runs) {
    const std::string& kernel = record.question.kernel;
    print(fmt::format("{}: {}\n", kernel.substr(kernel.rfind('-') + 1), where_it_fails(record)));
  }
}

GateWatch GateTable::watch(Stop stop) {
  GateWatch watch;
  watch.begins = [this](const GateRecord& record) {
    begun_ = std::chrono::steady_clock::now();
    properties_ = static_cast<double>(record.properties.size());
    heading(record);
  };
  watch.progress = [this](double done, const std::string& property) { bar_.show(done, properties_, property); };
  watch.judged = [this](const PropertyRecord& property) {
    bar_.clear();
    row(property);
  };
  watch.stop = std::move(stop);
  return watch;
}

}  // namespace assay::validation
