// A few sets of extents for kernels that take long at each: those that are tuned or compiled anew.
#pragma once

#include <cstdint>
#include <vector>

#include "validation/formula/problem.h"

namespace assay::validation::formula {

/// At most `count` sets, the one of the largest inputs last: one large extent each, and drawn ones. Equal seeds give equal
/// sets.
std::vector<Extents> few_extents(const Specification& specification, const Trace& trace, int count, std::uint64_t seed);

}  // namespace assay::validation::formula
