// Kernels written in C++ that use metal/emulator/abi/shader_abi.h as a compiled shader does, and announce each access.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "metal/emulator/abi/shader_abi.h"

namespace assay::metal::emulator::test {

/// Set by the shader below when it is bound.
inline const abi::Services* services = nullptr;

using Entry = void (*)(const abi::Invocation*);

// As in a compiled shader, an access has the source position of the caller.
template <class T>
[[gnu::noinline]] T load(const T* from) {
  services->access(from, sizeof(T), abi::Access::read, __builtin_return_address(0));
  return *from;
}
template <class T>
[[gnu::noinline]] void store(T* to, T value) {
  services->access(to, sizeof(T), abi::Access::write, __builtin_return_address(0));
  *to = value;
}
template <class T>
[[gnu::noinline]] void atomic_add(T* to, T value) {
  services->access(to, sizeof(T), abi::Access::atomic_modify, __builtin_return_address(0));
  __atomic_fetch_add(to, value, __ATOMIC_RELAXED);
}
template <class T>
[[gnu::noinline]] T atomic_load(const T* from) {
  services->access(from, sizeof(T), abi::Access::atomic_read, __builtin_return_address(0));
  return __atomic_load_n(from, __ATOMIC_RELAXED);
}

/// The site of a barrier or collective, a distinct one for each line.
template <unsigned line>
inline constexpr abi::Site site{"kernel.metal", line, 3, "simd_sum"};
template <unsigned line>
inline constexpr abi::Site barrier_site{"kernel.metal", line, 3, "threadgroup_barrier"};

template <unsigned line>
void threadgroup_barrier(std::uint32_t flags) {
  services->barrier(abi::Scope::threadgroup, flags, &barrier_site<line>);
}
template <unsigned line>
void simdgroup_barrier(std::uint32_t flags) {
  services->barrier(abi::Scope::simdgroup, flags, &barrier_site<line>);
}

struct Sum {
  std::uint64_t active = 0;
  std::uint32_t lane = 0;
  std::int32_t sum = 0;
};

/// simd_sum, with the lanes that took part.
template <unsigned line>
Sum simd_sum(std::int32_t mine, abi::Scope scope = abi::Scope::simdgroup) {
  std::int32_t all[abi::lanes_per_simdgroup] = {};
  const abi::ActiveLanes lanes = services->all_gather(scope, &mine, sizeof(mine), all, &site<line>);
  Sum result{lanes.active, lanes.lane, 0};
  for (const std::int32_t lane : all) result.sum += lane;
  return result;
}

template <class T>
T* threadgroup_variable(const void* key, std::uint64_t count, const char* name) {
  return static_cast<T*>(services->threadgroup_variable(key, count * sizeof(T), alignof(T), name));
}

template <class T = std::int32_t>
T* buffer(const abi::Invocation* call, std::size_t index) {
  return static_cast<T*>(call->buffers[index]);
}

inline std::uint32_t thread_in_grid(const abi::Invocation* call) {
  return call->position->thread_position_in_grid[0];
}
inline std::uint32_t thread_in_group(const abi::Invocation* call) {
  return call->position->thread_index_in_threadgroup;
}

/// A shader of one kernel, `kernel`, with buffers 0 to 3 of int (`b0` to `b3`) and threadgroup memory 0 (`shared`).
class Shader {
 public:
  explicit Shader(Entry entry, bool is_checked = true) {
    static constexpr const char* names[] = {"b0", "b1", "b2", "b3"};
    for (std::uint32_t index = 0; index < 4; ++index)
      arguments_.push_back({names[index], "device int*", abi::ArgumentKind::buffer, abi::AddressSpace::device, index, 0,
                            1, 4, 4, "int", ""});
    arguments_.push_back({"shared", "threadgroup int*", abi::ArgumentKind::threadgroup, abi::AddressSpace::threadgroup,
                          0, 0, 1, 4, 4, "int", ""});
    function = {"kernel", "kernel.metal", 1, 1, arguments_.data(), static_cast<std::uint32_t>(arguments_.size()),
                0,        entry};
    shader = {
        abi::version, &function, 1, nullptr, 0, is_checked ? 1U : 0U, [](const abi::Services* s) { services = s; },
        [] {}};
  }
  Shader(const Shader&) = delete;
  Shader& operator=(const Shader&) = delete;

  abi::Argument& argument(std::size_t index) { return arguments_[index]; }

  abi::Function function;
  abi::Shader shader;

 private:
  std::vector<abi::Argument> arguments_;
};

}  // namespace assay::metal::emulator::test
