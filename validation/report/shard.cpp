#include "validation/report/shard.h"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>

#include "validation/core/parse.h"

namespace assay::validation {
namespace {

std::int64_t number_in(const char* name, const char* text, std::int64_t least, std::int64_t most) {
  const auto number = parse_number<std::int64_t>(text);
  if (number && *number >= least && *number <= most) return *number;
  throw std::invalid_argument(
      fmt::format("{} is '{}': expected a whole number from {} to {}", name, text, least, most));
}

}  // namespace

Shard shard_from_environment() {
  const char* const total = std::getenv("GTEST_TOTAL_SHARDS");
  const char* const index = std::getenv("GTEST_SHARD_INDEX");
  if (total == nullptr && index == nullptr) return {};
  if (total == nullptr || index == nullptr) {
    throw std::invalid_argument(fmt::format("{} is set and {} is not: set both, or neither",
                                            total == nullptr ? "GTEST_SHARD_INDEX" : "GTEST_TOTAL_SHARDS",
                                            total == nullptr ? "GTEST_TOTAL_SHARDS" : "GTEST_SHARD_INDEX"));
  }
  Shard shard;
  shard.total = number_in("GTEST_TOTAL_SHARDS", total, 1, 1'000'000);
  shard.index = number_in("GTEST_SHARD_INDEX", index, 0, shard.total - 1);
  if (const char* const status = std::getenv("GTEST_SHARD_STATUS_FILE")) std::ofstream(status, std::ios::app);
  return shard;
}

}  // namespace assay::validation
