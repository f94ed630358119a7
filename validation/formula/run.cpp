#include "validation/formula/run.h"

namespace assay::validation::formula {

GateRecord run(const Subject& subject, const GateRun& run, const FormulaGateSubject::Shortened& shortened) {
  return run_gate(FormulaGateSubject(subject, shortened), run);
}

}  // namespace assay::validation::formula
