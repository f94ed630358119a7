// Tells when an encoder has become stale: compute_command_encoder.h has the rule.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

namespace assay::metal {

/// Counts a device's allocations and copies. Each ends an epoch and makes the open encoders stale.
class EncoderEpoch {
 public:
  void end(std::string what) {
    const std::lock_guard lock(mutex_);
    ++count_;
    what_ = std::move(what);
  }
  std::uint64_t count() const {
    const std::lock_guard lock(mutex_);
    return count_;
  }
  std::string last() const {
    const std::lock_guard lock(mutex_);
    return what_;
  }

 private:
  mutable std::mutex mutex_;
  std::uint64_t count_ = 0;
  std::string what_;
};

}  // namespace assay::metal
