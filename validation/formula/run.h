// Runs the gate over a kernel of a formula.
#pragma once

#include <string>

#include "validation/formula/gate_subject.h"
#include "validation/report/run_gate.h"

namespace assay::validation::formula {

struct RunResult {
  GateRecord record;
  std::string text;  ///< the table and the failures, as `assay gate` prints them
};

/// `shortened` is that of FormulaGateSubject. Throws as run_gate does.
RunResult run(const Subject& subject, const GateRun& run, const FormulaGateSubject::Shortened& shortened = {});

}  // namespace assay::validation::formula
