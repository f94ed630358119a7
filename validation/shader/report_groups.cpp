#include "validation/shader/report_groups.h"

#include <fmt/format.h>

#include <map>
#include <tuple>

namespace assay::validation {

namespace {

using GroupedReport = metal::emulator::Report;

constexpr std::size_t most_told = 3, most_places = 8;

/// "buffer(0) `in`" of "buffer(0) `in` + 1000 (its length is 1000 bytes)".
std::string memory_of(const GroupedReport& report) {
  return report.address.substr(0, report.address.find(" + "));
}

std::string places_of(const GroupedReport& report) {
  const std::string place = to_string(report.event.position);
  return report.other ? fmt::format("{} and {}", place, to_string(report.other->position)) : place;
}

/// The first report, and where the others are.
std::string told_as_one(const std::vector<const GroupedReport*>& group) {
  std::string text = fmt::format("{}\n  and {} more of {}, probably of the same cause, at:", to_string(*group.front()),
                                 group.size() - 1, memory_of(*group.front()));
  for (std::size_t n = 1; n < group.size() && n <= most_places; ++n) text += "\n    " + places_of(*group[n]);
  if (group.size() - 1 > most_places) text += "\n    ...";
  return text;
}

}  // namespace

std::vector<std::string> in_groups(const std::vector<metal::emulator::Report>& reports) {
  std::map<std::tuple<metal::emulator::Check, std::string, std::string>, std::vector<const GroupedReport*>> groups;
  for (const GroupedReport& report : reports)
    if (!report.address.empty()) groups[{report.check, report.kernel, memory_of(report)}].push_back(&report);
  std::vector<std::string> texts;
  for (const GroupedReport& report : reports) {
    const auto group = groups.find({report.check, report.kernel, memory_of(report)});
    const bool is_one = group == groups.end() || group->second.size() <= most_told;
    if (is_one)
      texts.push_back(to_string(report));
    else if (group->second.front() == &report)
      texts.push_back(told_as_one(group->second));
  }
  return texts;
}

}  // namespace assay::validation
