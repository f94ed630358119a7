// Checks that a binding fits its source: compares the shader's arguments with those that the binding gives.
#pragma once

#include "metal/device/library.h"
#include "validation/transport/metal/binding.h"

namespace assay::validation::transport {

/// Throws std::invalid_argument for a function that the library does not have, an argument without a binding, an index
/// that the function does not have, and an array or a value of a wrong type.
void expect_fit(const MetalBinding& binding, metal::Library& library);

/// The size in bytes of a Metal struct of these values: each value is at a multiple of its size.
std::size_t bytes_of_fields(const std::vector<MetalValue>& fields);

}  // namespace assay::validation::transport
