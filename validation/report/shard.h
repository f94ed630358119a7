// Which part of a run is to be done here, as googletest's own environment variables say.
#pragma once

#include "validation/report/record.h"

namespace assay::validation {

/// From GTEST_TOTAL_SHARDS and GTEST_SHARD_INDEX; the whole where neither is set. Touches GTEST_SHARD_STATUS_FILE,
/// which tells a test runner that the shards are honoured. Throws std::invalid_argument, naming the variable, for one
/// without the other and for what are no such numbers.
Shard shard_from_environment();

}  // namespace assay::validation
