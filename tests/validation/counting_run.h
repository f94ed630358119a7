// Runs of the gate on the operation made for tests, and what they record, as text.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "tests/validation/counting_operation.h"
#include "validation/report/json.h"
#include "validation/report/merge.h"
#include "validation/report/run_gate.h"

namespace assay::validation {

inline GateRun run_of(int cases, Shard shard = {}, const std::string& filter = "") {
  GateRun run;
  run.options.cases = cases;
  run.options.given = {{"one", CountingCase{1}}, {"two", CountingCase{2}}, {"large", CountingCase{3}, true}};
  run.filter = filter;
  run.shard = shard;
  return run;
}

inline const CountingKernel counting_kernel;

template <class Operation = CountingOperation>
GateRecord judged(const GateRun& run, const GateWatch& watch = {}, std::optional<GateRecord> resumed = std::nullopt,
                  const CountingKernel& kernel = counting_kernel) {
  return run_gate(SubjectOf<Operation>({kernel}), run, watch, std::move(resumed));
}

inline NamedReport report_of(const GateRecord& run, const std::string& name) {
  Report report;
  report.complete = true;
  report.runs = {run};
  return {name, report};
}

/// As JSON, but for the times, which differ from run to run.
inline std::string text_of(GateRecord run) {
  for (auto& property : run.properties) property.seconds = 0;
  return to_json(report_of(run, "").report);
}

}  // namespace assay::validation
