// Faults planted into the traced formula: how much of what could go wrong the gate would notice, by which property.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "validation/formula/judge.h"

namespace assay::validation::formula {

struct MutantResult {
  std::string name;  ///< "line 4: sum leaves out its last element"
  bool killed = false;
  std::string property;  ///< the first that failed
};

/// Judges every mutant of the formula. `sample`, the formula at some extents, says what can be planted.
std::vector<MutantResult> judge_mutants(const Subject& subject, int cases, std::uint64_t seed, const Traced& sample);

}  // namespace assay::validation::formula
