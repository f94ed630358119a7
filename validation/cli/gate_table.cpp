#include "validation/cli/gate_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <utility>
#include <vector>

#include "validation/core/call_time.h"
#include "validation/core/report.h"
#include "validation/report/gate_text.h"

namespace assay::validation {
namespace {

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

}  // namespace

void GateTable::print(const std::string& text) {
  if (out_ == nullptr) return;
  tell(out_, "{}", text);
  flush(out_);
}

void GateTable::heading(const GateRecord& record) {
  print(heading_text(record));
}

void GateTable::row(const PropertyRecord& property) {
  print(table_row(property, colour_) + "\n");
}

void GateTable::conclusion(const GateRecord& record) {
  print(conclusion_text(record, begun_ ? seconds_since(*begun_) : seconds_of(record), colour_));
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
