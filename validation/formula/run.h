// Runs the gate over a kernel of a formula.
#pragma once

#include "validation/formula/gate_subject.h"
#include "validation/report/run_gate.h"

namespace assay::validation::formula {

/// `shortened` is that of FormulaGateSubject. table_text(record) is the table that `assay gate` prints. Throws as run_gate does.
GateRecord run(const Subject& subject, const GateRun& run, const FormulaGateSubject::Shortened& shortened = {});

}  // namespace assay::validation::formula
