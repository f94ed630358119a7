// The properties of a formula that a word declares: rows, causal, permutation and others. They relate a kernel's
// results on problems that differ along one extent.
#pragma once

#include <map>
#include <string>

#include "validation/formula/judge.h"

namespace assay::validation::formula {

struct Relation {
  const char* claim;  ///< with {} for the extent
  Finding (*check)(const Subject&, const Case&, Random&, const std::string& extent);
  bool asks_same_bits = false;
};

/// The relations by name.
const std::map<std::string, Relation>& relations();

}  // namespace assay::validation::formula
