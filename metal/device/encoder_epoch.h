// Tells when an encoder has become stale: compute_command_encoder.h has the rule.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace assay::metal {

/// Counts a device's allocations and copies. Each ends an epoch of the thread that calls it and makes the encoders
/// stale that this thread has open; other threads encode into command buffers of their own.
class EncoderEpoch {
 public:
  void end(std::string what) {
    const std::lock_guard lock(mutex_);
    Epoch& epoch = epochs_[std::this_thread::get_id()];
    ++epoch.count;
    epoch.what = std::move(what);
  }
  std::uint64_t count(std::thread::id thread) const { return of(thread).count; }
  std::string last(std::thread::id thread) const { return of(thread).what; }

 private:
  struct Epoch {
    std::uint64_t count = 0;
    std::string what;
  };

  Epoch of(std::thread::id thread) const {
    const std::lock_guard lock(mutex_);
    const auto found = epochs_.find(thread);
    return found == epochs_.end() ? Epoch() : found->second;
  }

  mutable std::mutex mutex_;
  std::map<std::thread::id, Epoch> epochs_;
};

}  // namespace assay::metal
