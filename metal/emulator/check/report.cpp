#include "metal/emulator/check/report.h"

#include <fmt/format.h>

namespace assay::metal::emulator {

namespace {

std::string to_text(const Size& position) {
  return fmt::format("({}, {}, {})", position.width, position.height, position.depth);
}

std::string to_text(const Event& event, bool has_thread) {
  if (!has_thread) return fmt::format("{}\n    at {}", event.action, to_string(event.position));
  const char* const comma = event.action.find(", ") == std::string::npos ? "" : ",";
  return fmt::format("{}{} by thread {} of the grid, {} of threadgroup {}\n    at {}", event.action, comma,
                     to_text(event.thread.in_grid), to_text(event.thread.in_group), to_text(event.thread.group),
                     to_string(event.position));
}

}  // namespace

const char* to_string(Check check) {
  switch (check) {
    case Check::memcheck:
      return "memcheck";
    case Check::initcheck:
      return "initcheck";
    case Check::racecheck:
      return "racecheck";
    case Check::synccheck:
      return "synccheck";
    case Check::simdcheck:
      return "simdcheck";
    case Check::intcheck:
      return "intcheck";
    case Check::numcheck:
      return "numcheck";
    case Check::schedcheck:
      return "schedcheck";
  }
  return "?";
}

std::string to_string(const SourcePosition& position) {
  if (position.line == 0) return position.file.empty() ? "an unknown place" : position.file;
  if (position.column == 0) return fmt::format("{}:{}", position.file, position.line);
  return fmt::format("{}:{}:{}", position.file, position.line, position.column);
}

std::string to_string(const LogMessage& message) {
  const Size& at = message.thread.in_grid;
  return fmt::format("{}: thread ({}, {}, {}) of the grid: {}", to_string(message.position), at.width, at.height,
                     at.depth, message.text);
}

std::string to_string(const Report& report) {
  std::string text = fmt::format("{}{}: kernel {}: {}", to_string(report.check), report.is_warning ? " warning" : "",
                                 report.kernel, report.message);
  if (!report.address.empty()) text += "\n  " + report.address;
  if (report.is_of_source) {
    text += "\n    at " + to_string(report.event.position);
  } else {
    text += "\n  " + to_text(report.event, !report.is_of_library);
    if (report.other) text += "\n  " + to_text(*report.other, !report.is_of_library);
    if (report.count > 1) text += fmt::format("\n  {} times at these places", report.count);
  }
  if (!report.advice.empty()) text += "\n  to mend it, " + report.advice;
  return text;
}

}  // namespace assay::metal::emulator
