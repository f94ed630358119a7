// When a call of a kernel in another process has taken too long.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>

namespace assay::validation {

/// The limit is processor time, so that a right kernel is not accused because the machine is busy. A call that hardly
/// gets the processor, or waits, may take `patience` times the limit by the clock.
class CallDeadline {
 public:
  static constexpr double patience_for_waiting = 6;

  /// The call of `process` begins now. `patience` is 1 for a kernel that is known to wait forever.
  CallDeadline(double seconds, pid_t process, double patience = patience_for_waiting);

  bool is_over() const;

  /// How long to wait before asking again: at most a tenth of a second.
  int milliseconds() const;

  /// What has passed: "10 s of processor time", or "60 s, in which it had the processor for 0.1 s".
  std::string text() const;

  /// Whether the process had the processor for less than a twentieth of the time.
  bool is_waiting() const;

 private:
  double elapsed() const;
  std::optional<double> processor() const;

  double limit_;
  double patience_;
  pid_t process_;
  std::chrono::steady_clock::time_point start_;
  std::optional<double> processor_at_start_;
};

}  // namespace assay::validation
