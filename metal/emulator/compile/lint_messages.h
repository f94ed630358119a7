// From clang's messages on OpenCL's address spaces to messages on Metal's.
#pragma once

#include <string>
#include <string_view>

namespace assay::metal::emulator {

/// Selects from clang's standard error the errors about address spaces and about addresses of a vector's components that
/// are not in the folder `headers`, with their notes. All other errors are those of the ordinary compilation.
std::string address_space_errors(std::string_view messages, std::string_view headers);

}  // namespace assay::metal::emulator
