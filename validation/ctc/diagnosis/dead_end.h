// Why a feasible row has probability 0: some class is at -inf wherever an alignment would need it.
//
// States as in Graves et al. 2006, L = 2S+1: blanks at even s, labels at odd. A state is alive at frame t where an
// alignment reaches it through probabilities above 0 and can still end in time, were all later probabilities above 0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "validation/ctc/case.h"

namespace assay::validation {

/// The reason why `row` has probability 0, as text; none if an alignment has a probability above 0. `row` is a sound
/// and feasible problem of one row, its activations free of NaN and +inf.
std::optional<std::string> find_dead_end(const CtcCase& row);

}  // namespace assay::validation
