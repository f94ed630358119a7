// What is wrong with the activations of one row: NaN, infinities, frames without mass, and logits passed as
// log-probabilities or the other way round.
#pragma once

#include <cstdint>
#include <vector>

#include "validation/ctc/case.h"
#include "validation/ctc/diagnosis/symptom.h"

namespace assay::validation {

/// The symptoms of row b's frames within its input length, and a note about the frames past it.
std::vector<Symptom> examine_activations(const CtcCase& c, std::int64_t b);

}  // namespace assay::validation
