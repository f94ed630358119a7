// The Metal text that stands for a compiled kernel: it declares the kernel with its arguments and calls the module.
#pragma once

#include <string>

#include "metal/emulator/air/metadata.h"

namespace assay::metal::emulator::air {

/// The kernel `name`, with the text `functions` of what its module calls in front of it. The module defines the
/// function assay_air_kernel, whose parameters are the kernel's: addresses, and each coordinate of a position as a uint.
std::string metal_text(const KernelMetadata& kernel, const std::string& name, const std::string& functions);

/// The name of the element's type in the text, in which a type that Metal lacks is a struct: argument `n` of the kernel.
std::string element_name(const KernelArgument& argument, std::size_t n);

/// "device const float*", with the type's own name.
std::string written_type(const KernelArgument& argument);

/// Whether Metal has a scalar or vector of this name.
bool is_metal_type(std::string_view type);

/// How many coordinates a position of this type has: 3 of "uint3".
unsigned coordinates_of(std::string_view type);

/// A name for the arguments in the text, which must be one of C++'s.
std::string identifier(std::string_view name, std::size_t n);

}  // namespace assay::metal::emulator::air
