// The state that all objects of one emulated device share.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "metal/device/encoder_epoch.h"
#include "metal/device/limits.h"
#include "metal/emulator/check/report_log.h"
#include "metal/emulator/dispatch/executor.h"
#include "metal/emulator/memory/arena.h"

namespace assay::metal::emulator {

struct DeviceState {
  DeviceState(ExecutorOptions options, bool with_checks, std::uint64_t steps)
      : arena(Arena::create()), executor(arena, log, std::move(options)), step_limit(steps), is_checked(with_checks) {}

  Limits limits;
  std::shared_ptr<Arena> arena;
  ReportLog log;
  Executor executor;
  EncoderEpoch epoch;
  std::atomic<std::uint64_t> allocated_bytes = 0;  ///< of buffers
  std::atomic<std::uint64_t> step_limit;           ///< of dispatches encoded from now on
  std::vector<GroupRange> only_groups;             ///< EmulatorOptions::only_groups
  bool is_checked;
};

}  // namespace assay::metal::emulator
