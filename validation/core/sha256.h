// SHA-256 (FIPS 180-4): a digest that nobody can give to other bytes.
#pragma once

#include <string>
#include <string_view>

namespace assay::validation {

/// The digest as 64 hexadecimal digits.
std::string sha256(std::string_view bytes);

}  // namespace assay::validation
