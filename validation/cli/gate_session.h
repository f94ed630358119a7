// The runs of one `assay gate`: the table as they advance, checkpoints, and the report.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "validation/cli/gate_arguments.h"
#include "validation/cli/gate_table.h"
#include "validation/cli/interrupt.h"
#include "validation/cli/process_memory.h"
#include "validation/core/fingerprint.h"
#include "validation/core/terminal.h"
#include "validation/report/report_file.h"

namespace assay::validation {

/// The report of the run to resume, empty if there is none. Refuses a report of another version.
inline Report resumed_report(const GateArguments& arguments) {
  if (arguments.resume.empty()) return {};
  Report report = read_report(arguments.resume);
  if (report.version != program_version()) {
    throw std::invalid_argument(fmt::format("{}: written by assay {}, and this is {}: its cases may differ",
                                            arguments.resume, report.version, program_version()));
  }
  return report;
}

/// The runs of one command, with their report and table.
class GateSession {
 public:
  explicit GateSession(const GateArguments& arguments)
      : arguments_(arguments), resumed_(resumed_report(arguments)), checkpoint_(json_file()) {
    require_folders(files());
  }

  using SubjectCalled = std::function<std::shared_ptr<const GateSubject>(const std::string& kernel)>;

  int judge(const GateRun& run, const std::vector<std::string>& kernels, const SubjectCalled& subject_called) {
    if (resumed_.runs.size() > kernels.size()) {
      throw std::invalid_argument(
          fmt::format("{}: has runs of {} kernels, and {} are to be judged: give the same --kernel", arguments_.resume,
                      resumed_.runs.size(), kernels.size()));
    }
    for (const auto& name : kernels) {
      GateRun of_kernel = run;
      of_kernel.fingerprint = fingerprint_of(name.substr(0, name.rfind('@')));  // without the device of a shader
      judge_kernel(*subject_called(name), of_kernel);
      if (!report_.runs.back().is_complete()) return stop_early();
    }
    report_.complete = true;
    if (!arguments_.arithmetic.empty()) GateTable(table_stream(arguments_.files)).arithmetics(report_);
    write_report(report_, files());
    return exit_status(report_);
  }

 private:
  /// A resumed run is written to the file that it was read from, unless --json names another.
  std::string json_file() const { return arguments_.files.json.empty() ? arguments_.resume : arguments_.files.json; }
  ReportFiles files() const { return {json_file(), arguments_.files.junit, arguments_.files.html}; }

  void judge_kernel(const GateSubject& subject, const GateRun& run) {
    const std::size_t number = report_.runs.size();
    std::optional<GateRecord> resumed;
    if (number < resumed_.runs.size()) resumed = resumed_.runs[number];
    GateTable table(table_stream(arguments_.files));
    GateWatch watch = table.watch(Interrupt::came);
    watch.advances = [&](const GateRecord& record) {
      return_free_memory();
      if (!checkpoint_.is_due()) return;
      Report report = report_;
      report.runs.push_back(record);
      checkpoint_.write(report);
    };
    report_.runs.push_back(run_gate(subject, run, watch, std::move(resumed)));
    table.conclusion(report_.runs.back());
  }

  int stop_early() const {
    write_report(report_, files());
    const GateRecord& run = report_.runs.back();
    const auto advice = json_file().empty() || json_file() == "-"
                            ? std::string("with --json FILE, a run can be resumed")
                            : fmt::format("to go on, repeat the command with --resume {}", json_file());
    tell(stderr, "assay gate: interrupted with {} of {} units of {} done; {}\n", run.units_done, run.units,
         run.question.kernel, advice);
    return interrupted_status;
  }

  const GateArguments& arguments_;
  Interrupt interrupt_;
  Report report_;
  Report resumed_;
  Checkpoint checkpoint_;
};

}  // namespace assay::validation
