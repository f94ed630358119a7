// Calls kernels of assay_plugin.h, which take structs, with the named arrays that every call has.
#pragma once

#include <functional>
#include <string>

#include "validation/transport/library/protocol.h"

namespace assay::validation::transport {

/// Calls the kernel of an operation with the structs of assay_plugin.h, filled from the arrays of their members' names.
/// Empty for an operation that has no structs.
std::function<assay_formula_run> with_structs(const std::string& operation, const DeclarationStart& kernel);

}  // namespace assay::validation::transport
