// Prints records of gate runs as tables: row by row during a run, or all at once.
#pragma once

#include <chrono>
#include <cstdio>
#include <optional>
#include <string>

#include "validation/core/terminal.h"
#include "validation/report/record.h"
#include "validation/report/run_gate.h"

namespace assay::validation {

class GateTable {
 public:
  /// Prints nothing if `out` is null.
  explicit GateTable(std::FILE* out) : out_(out), colour_(out != nullptr && wants_colour(out)) {}

  void heading(const GateRecord& record);
  void row(const PropertyRecord& property);
  /// Prints the coverage, the worst margin, the failures with the lines that reproduce them, and the elapsed time if
  /// watch() followed the run, otherwise the sum of its properties' times.
  void conclusion(const GateRecord& record);
  void whole(const GateRecord& record);

  /// Prints a line for each arithmetic in which one kernel was judged (KernelChoice::names_in): the properties that
  /// fail, and where they fail.
  void arithmetics(const Report& report);

  /// Callbacks that print a run as it advances; `stop` is passed on.
  GateWatch watch(Stop stop);

 private:
  void print(const std::string& text);

  std::FILE* out_;
  bool colour_;
  ProgressBar bar_;
  double properties_ = 0;
  std::optional<std::chrono::steady_clock::time_point> begun_;  ///< when the run that watch() follows began
};

}  // namespace assay::validation
