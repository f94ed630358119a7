// Calls a kernel of a formula (assay_formula.h), which takes arrays by name.
#pragma once

#include <functional>
#include <string>

#include "validation/transport/library/worker/load.h"

namespace assay::validation::transport {

/// The library's function of that name; empty if it exports none. A library that uses OpenMP is called with one to four
/// threads: as many for equal sizes, so that a failure comes again.
decltype(Loaded::run) formula_run(void* library, const std::string& symbol);

}  // namespace assay::validation::transport
