// For lint: simdgroup operations in branches and loops whose condition differs between the lanes of a simdgroup.
//
// Kernels are walked statement by statement, and functions where they are called. Values that depend on the thread's
// own position vary; so do those assigned in a branch that varies. The results of reductions, broadcasts and votes of a
// simdgroup do not, and neither does a value combined with its simd_shuffle_xor: all lanes of a butterfly end with one
// value. A thread's linear index, divided by a multiple of 32 or compared with one, is the same in a simdgroup. A
// kernel's early return does not count: the lanes that are left take part. Lanes that return early from a function
// that is called have no part in the rest of it, but in what the caller does next.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "metal/emulator/translate/declarations.h"

namespace assay::metal::emulator {

/// Messages "file:line:column: error: ..." in the order in which they were found, each once.
struct DivergentOperations {
  std::vector<std::string> errors;    ///< barriers and simdgroup matrices, which all lanes must execute
  std::vector<std::string> warnings;  ///< operations among the active lanes
  std::set<std::size_t> names;        ///< the tokens of all of them, also in functions that are called so
};

DivergentOperations find_divergent_operations(const Source& source, const std::vector<Declaration>& declarations);

}  // namespace assay::metal::emulator
