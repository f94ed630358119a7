#include "validation/shader/json.h"

#include <nlohmann/json.hpp>

#include "validation/core/json_text.h"

namespace assay::validation {

namespace {

using nlohmann::ordered_json;

ordered_json of(const metal::Size& size) {
  return {size.width, size.height, size.depth};
}

ordered_json of(const metal::emulator::Event& event, bool has_thread = true) {
  const auto position = [&](const metal::Size& size) { return has_thread ? of(size) : ordered_json(); };
  return {{"action", event.action},
          {"file", event.position.file},
          {"line", event.position.line},
          {"column", event.position.column},
          {"thread_position_in_grid", position(event.thread.in_grid)},
          {"thread_position_in_threadgroup", position(event.thread.in_group)},
          {"threadgroup_position_in_grid", position(event.thread.group)}};
}

ordered_json of(const metal::emulator::Report& report) {
  return {{"check", to_string(report.check)},
          {"kernel", report.kernel},
          {"message", report.message},
          {"address", report.address},
          {"advice", report.advice},
          {"count", report.count},
          {"event", of(report.event, !report.is_of_source && !report.is_of_library)},
          {"other", report.other ? of(*report.other, !report.is_of_library) : ordered_json()}};
}

ordered_json of(const std::vector<metal::emulator::Report>& reports) {
  ordered_json list = ordered_json::array();
  for (const auto& report : reports) list.push_back(of(report));
  return list;
}

ordered_json of(const std::vector<metal::emulator::LogMessage>& messages) {
  ordered_json list = ordered_json::array();
  for (const auto& message : messages)
    list.push_back({{"text", message.text},
                    {"file", message.position.file},
                    {"line", message.position.line},
                    {"column", message.position.column},
                    {"thread_position_in_grid", of(message.thread.in_grid)}});
  return list;
}

ordered_json of(const std::vector<AllowedReport>& allowed) {
  ordered_json list = ordered_json::array();
  for (const auto& [report, reason, is_in_source] : allowed) list.emplace_back(of(report))["reason"] = reason;
  return list;
}

ordered_json of(const metal::emulator::DispatchLosses& dispatch) {
  ordered_json outputs = ordered_json::array(), lines = ordered_json::array();
  for (const auto& one : dispatch.losses.worst)
    outputs.push_back(
        {{"place", one.place}, {"stored", one.stored}, {"exact", one.exact}, {"lost_bits", one.lost_bits}});
  for (const auto& line : dispatch.losses.lines)
    lines.push_back({{"file", line.position.file},
                     {"line", line.position.line},
                     {"share", line.share},
                     {"lost_bits", line.lost_bits}});
  return {{"kernel", dispatch.kernel},
          {"is_complete", dispatch.is_complete},
          {"elements_with_large_errors", dispatch.losses.large},
          {"worst", outputs},
          {"lines", lines}};
}

ordered_json of(const ScheduleSummary& summary) {
  return {
      {"schedules", summary.schedules}, {"different", summary.different}, {"atomic_accesses", summary.atomic_accesses}};
}

ordered_json of(const ElementDifference& difference) {
  const bool is_finite = difference.ulps != infinite_ulps;
  return {{"index", difference.index},
          {"ulps", is_finite ? ordered_json(difference.ulps) : ordered_json()},
          {"left", difference.left},
          {"right", difference.right}};
}

ordered_json of(const std::vector<ArrayComparison>& comparisons) {
  ordered_json list = ordered_json::array();
  for (const auto& one : comparisons)
    list.push_back({{"array", one.array},
                    {"elements", one.elements},
                    {"different", one.different},
                    {"outside", one.outside},
                    {"both_nan", one.both_nan},
                    {"allowed_ulps", one.allowed},
                    {"worst", one.worst ? of(*one.worst) : ordered_json()}});
  return list;
}

}  // namespace

std::string to_json(const ShaderScript& script, const ShaderOutcome& outcome,
                    const std::vector<ArrayComparison>& comparisons) {
  ordered_json passes = ordered_json::array(), arrays = ordered_json::object();
  for (std::size_t n = 0; n < outcome.dispatches.size(); ++n) {
    const auto& [function, grid, seconds, has_begun] = outcome.dispatches[n];
    passes.push_back({{"function", function},
                      {"grid", of(grid)},
                      {"group", of(script.passes[n].group)},
                      {"gpu_seconds", seconds ? ordered_json(*seconds) : ordered_json()},
                      {"has_begun", has_begun}});
  }
  ordered_json numerics = ordered_json::array();
  for (const auto& dispatch : outcome.losses) numerics.push_back(of(dispatch));
  for (const auto& [name, array] : outcome.arrays)
    arrays[name] = {{"dtype", numpy_name(array.scalar)}, {"shape", array.shape}};
  const ordered_json all = {{"file", script.source.string()},
                            {"device", outcome.device},
                            {"is_checked", outcome.is_checked},
                            {"passes", passes},
                            {"arrays", arrays},
                            {"error", outcome.error ? ordered_json(outcome.error->text) : ordered_json()},
                            {"reports", of(outcome.reports)},
                            {"warnings", of(outcome.warnings)},
                            {"allowed", of(outcome.allowed)},
                            {"messages", of(outcome.messages)},
                            {"numerics", numerics},
                            {"schedules", outcome.schedules ? of(*outcome.schedules) : ordered_json()},
                            {"comparisons", of(comparisons)}};
  return json_text(all, 2) + "\n";
}

}  // namespace assay::validation
