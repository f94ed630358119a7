// A dispatch, ready to run.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "metal/device/limits.h"
#include "metal/device/result.h"
#include "metal/emulator/abi/shader_abi.h"
#include "metal/emulator/check/dispatch_info.h"
#include "metal/emulator/memory/threadgroup_memory.h"
#include "metal/emulator/simt/group_range.h"

namespace assay::metal::emulator {

struct Launch {
  void (*entry)(const abi::Invocation*) = nullptr;
  std::array<void*, abi::max_arguments> buffers{};  ///< null where nothing is bound
  ThreadgroupMemory::Lengths threadgroup_lengths{};
  std::vector<abi::Texture> textures;  ///< up to the kernel's last index
  std::vector<abi::Sampler> samplers;
  bool is_checked = false;      ///< the shader reports its accesses
  bool begins_sequence = true;  ///< ordered after all dispatches before it
  bool is_alone = false;        ///< ordered before all dispatches after it, too
  Limits limits;
  std::uint64_t step_limit = 0;                        ///< EmulatorOptions::step_limit
  std::vector<GroupRange> only_groups;                 ///< EmulatorOptions::only_groups
  std::atomic<std::uint64_t>* ended_groups = nullptr;  ///< counts them
  DispatchInfo info;

  std::mutex* constants = nullptr;        ///< held while it runs: it guards the shader's function constants
  std::function<Result<void>()> prepare;  ///< called before the first group
  std::shared_ptr<std::atomic<std::uint64_t>> static_length;  ///< receives the bytes of `threadgroup` variables
};

}  // namespace assay::metal::emulator
