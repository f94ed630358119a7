// Does a binding fit its source? What the shader takes is held against what the binding gives.
#pragma once

#include "metal/device/library.h"
#include "validation/transport/metal/binding.h"

namespace assay::validation::transport {

/// Throws std::invalid_argument for a function that the library does not have, an argument that nothing is bound to,
/// an index that the function does not take, and an array or a value of another type.
void expect_fit(const MetalBinding& binding, metal::Library& library);

/// The bytes of values of these types, one after the other, each at a multiple of its size, as in a struct of Metal's.
std::size_t bytes_of_fields(const std::vector<MetalValue>& fields);

}  // namespace assay::validation::transport
