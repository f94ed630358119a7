#include "validation/core/memory_limit.h"

#include <fmt/format.h>

#include <atomic>
#include <stdexcept>

namespace assay::validation {
namespace {

constexpr double gibibyte = 1024.0 * 1024.0 * 1024.0;

std::atomic<double> gibibytes_allowed = default_memory_limit;

}  // namespace

void set_memory_limit(double gibibytes) {
  if (!(gibibytes > 0)) throw std::invalid_argument(fmt::format("memory limit {}: expected GiB above 0", gibibytes));
  gibibytes_allowed = gibibytes;
}

void require_memory(std::uint64_t bytes, const char* what) {
  const double needed = static_cast<double>(bytes) / gibibyte;
  if (needed <= gibibytes_allowed) return;
  throw std::runtime_error(fmt::format("{} take {:.3g} GiB: expected at most {:g} GiB (--max-memory allows more)", what,
                                       needed, gibibytes_allowed.load()));
}

}  // namespace assay::validation
