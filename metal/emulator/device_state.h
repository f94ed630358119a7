// What all objects of one emulated device share.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "metal/device/limits.h"
#include "metal/emulator/check/report_log.h"
#include "metal/emulator/simt/arena.h"
#include "metal/emulator/simt/executor.h"

namespace assay::metal::emulator {

/// Counts the allocations and copies, each of which makes the open encoders stale.
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

struct DeviceState {
  DeviceState(ExecutorOptions options, bool with_checks)
      : arena(Arena::create()), executor(arena, log, options), is_checked(with_checks) {}

  Limits limits;
  std::shared_ptr<Arena> arena;
  ReportLog log;
  Executor executor;
  EncoderEpoch epoch;
  bool is_checked;
};

}  // namespace assay::metal::emulator
