// The text of a message of os_log: Metal Shading Language Specification, section 6.19.
#pragma once

#include <span>
#include <string>

#include "metal/emulator/abi/log.h"

namespace assay::metal::emulator {

/// Formats values as printf does; %v2f to %v4f and the like write the components of a vector, separated by commas. A
/// conversion that no value is there for, or that does not go with its value, is written as "<no value>" or "<?>".
std::string log_text(const std::string& format, std::span<const abi::LogValue> values);

}  // namespace assay::metal::emulator
