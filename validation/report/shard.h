// The part of a run that this process does, by googletest's environment variables.
#pragma once

#include "validation/report/record.h"

namespace assay::validation {

/// The shard by GTEST_TOTAL_SHARDS and GTEST_SHARD_INDEX, or the whole run if neither is set. Touches
/// GTEST_SHARD_STATUS_FILE, which tells a test runner that the program honours shards. Throws std::invalid_argument,
/// naming the variable, if only one of the two is set or if a value is not a valid number.
Shard shard_from_environment();

}  // namespace assay::validation
