// The dtype that a binding declares, and Metal's names of dtypes.
#pragma once

#include <string>

#include "validation/core/dtype.h"
#include "validation/transport/declaration/binding_node.h"

namespace assay::validation::transport {

/// The member "dtype", by default float32. Refuses float64, which Metal does not have.
Dtype declared_dtype(const BindingNode& binding);

std::string metal_type_of(Dtype dtype);
Dtype dtype_of_metal(const std::string& type);

}  // namespace assay::validation::transport
