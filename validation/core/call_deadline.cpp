#include "validation/core/call_deadline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "metal/system/system.h"
#include "validation/core/call_time.h"

namespace assay::validation {

CallDeadline::CallDeadline(double seconds, pid_t process, double patience)
    : limit_(seconds),
      patience_(patience),
      process_(process),
      start_(std::chrono::steady_clock::now()),
      processor_at_start_(metal::system::processor_seconds(process)) {}

double CallDeadline::elapsed() const {
  return seconds_since(start_);
}

std::optional<double> CallDeadline::processor() const {
  const std::optional<double> now = metal::system::processor_seconds(process_);
  if (!now || !processor_at_start_) return std::nullopt;
  return *now - *processor_at_start_;
}

bool CallDeadline::is_over() const {
  const double seconds = elapsed();
  return seconds >= limit_ && (seconds >= patience_ * limit_ || processor().value_or(seconds) >= limit_);
}

int CallDeadline::milliseconds() const {
  const double left = std::ceil(1000 * (limit_ - elapsed()));
  return left > 0 ? static_cast<int>(std::min(left, 100.0)) : 20;
}

std::string CallDeadline::text() const {
  const std::optional<double> had = processor();
  if (!had) return fmt::format("{:g} s", limit_);
  if (*had >= limit_) return fmt::format("{:g} s of processor time", limit_);
  return fmt::format("{:g} s, in which it had the processor for {:.2g} s", patience_ * limit_, *had);
}

bool CallDeadline::is_waiting() const {
  constexpr double hardly = 0.05;
  return processor().value_or(elapsed()) < hardly * elapsed();
}

}  // namespace assay::validation
