// A dispatch, ready to run.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "metal/emulator/check/dispatch_info.h"
#include "metal/emulator/shader_abi.h"
#include "metal/emulator/simt/threadgroup_memory.h"

namespace assay::metal::emulator {

struct Launch {
  static constexpr std::size_t most_buffers = 31;

  void (*entry)(const abi::Invocation*) = nullptr;
  std::array<void*, most_buffers> buffers{};  ///< null where nothing is bound
  ThreadgroupMemory::Lengths threadgroup_lengths{};
  bool is_checked = false;      ///< the shader reports its accesses
  bool begins_sequence = true;  ///< ordered after all dispatches before it
  std::uint64_t max_threadgroup_memory = 0;
  std::uint64_t step_limit = 0;  ///< EmulatorOptions::step_limit
  DispatchInfo info;

  std::function<void()> prepare;                              ///< called before the first group
  std::shared_ptr<std::atomic<std::uint64_t>> static_length;  ///< learns the bytes of `threadgroup` variables
};

}  // namespace assay::metal::emulator
