#include "validation/shader/json.h"

#include <nlohmann/json.hpp>

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
          {"count", report.count},
          {"event", of(report.event, !report.is_of_source)},
          {"other", report.other ? of(*report.other) : ordered_json()}};
}

ordered_json of(const std::vector<metal::emulator::Report>& reports) {
  ordered_json list = ordered_json::array();
  for (const auto& report : reports) list.push_back(of(report));
  return list;
}

}  // namespace

std::string to_json(const ShaderCheck& check, const ShaderOutcome& outcome) {
  const ordered_json all = {{"file", check.file.string()},
                            {"function", outcome.function},
                            {"grid", of(check.grid)},
                            {"group", of(check.group)},
                            {"error", outcome.error ? ordered_json(outcome.error->text) : ordered_json()},
                            {"reports", of(outcome.reports)},
                            {"warnings", of(outcome.warnings)}};
  return all.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace assay::validation
