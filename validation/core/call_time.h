// What a kernel's calls took and returned. Of their time as little as possible is due to other programs on the machine.
#pragma once

#include <algorithm>
#include <chrono>
#include <ctime>
#include <utility>

#include "validation/core/returned.h"

namespace assay::validation {

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The longest call of a kernel on this thread since the log was begun, and what the calls returned. Logs nest: what an
/// inner one notes counts for the outer one too. finding_of() keeps one and writes it into the finding.
class CallLog {
 public:
  CallLog() : outer_(std::exchange(longest_, 0)), outer_returned_(std::exchange(returned_, {})) {}
  ~CallLog() {
    note(outer_);
    note(outer_returned_);
  }
  CallLog(const CallLog&) = delete;
  CallLog& operator=(const CallLog&) = delete;

  static void note(double seconds) { longest_ = std::max(longest_, seconds); }
  static void note(const Returned& returned) { returned_.merge(returned); }
  double longest() const { return longest_; }
  const Returned& returned() const { return returned_; }

 private:
  static inline thread_local double longest_ = 0;
  static inline thread_local Returned returned_ = {};
  double outer_;
  Returned outer_returned_;
};

/// The processor time that kernels have taken in other processes, in seconds. The transport that calls them adds to it.
inline thread_local double processor_time_elsewhere = 0;

/// The processor time of all threads of this process, in seconds.
inline double processor_time() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// The time of a call that took `elapsed` seconds in which it had the processor for `processor` seconds: the smaller
/// one, because a call also waits for other programs. But a call of half a second that hardly had the processor has
/// waited for another device, and takes what elapsed. (A short call may wait long for other programs.)
inline double call_time(double elapsed, double processor) {
  constexpr double hardly = 0.05, short_call = 0.5;
  return elapsed > short_call && processor < hardly * elapsed ? elapsed : std::min(elapsed, processor);
}

/// Measures the time of a call from its construction on.
class CallTimer {
 public:
  double seconds() const {
    return call_time(seconds_since(start_), processor_time() + processor_time_elsewhere - processor_);
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double processor_ = processor_time() + processor_time_elsewhere;
};

}  // namespace assay::validation
