// Clang's messages on OpenCL's address spaces as messages on Metal's.
#pragma once

#include <string>
#include <string_view>

namespace assay::metal::emulator {

/// Of clang's standard error, the errors that are about address spaces and outside of the folder `headers`, with their
/// notes. What else clang says is for the compilation that is run, not for lint.
std::string address_space_errors(std::string_view messages, std::string_view headers);

}  // namespace assay::metal::emulator
