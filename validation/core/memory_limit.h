// How much memory the arrays of a file may take: a small archive can unpack to more than the machine has.
#pragma once

#include <cstdint>

namespace assay::validation {

/// In GiB; the default of --max-memory.
inline constexpr double default_memory_limit = 2;

/// Sets the limit for all further files, in GiB. Throws std::invalid_argument unless it is above 0.
void set_memory_limit(double gibibytes);

/// Throws std::runtime_error, saying what is needed and what is allowed, if `bytes` are above the limit. `what` takes
/// them: "the arrays, unpacked,".
void require_memory(std::uint64_t bytes, const char* what);

}  // namespace assay::validation
