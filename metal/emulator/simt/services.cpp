// The Services of every shader: asked of the runner whose thread asks.
#include <utility>

#include "metal/emulator/check/plain_access.h"
#include "metal/emulator/simt/group_runner.h"

namespace assay::metal::emulator {

[[gnu::always_inline]] inline void GroupRunner::access(const void* address, std::uint64_t bytes, abi::Access kind,
                                                       const void* pc) {
  count_steps(1, nullptr, pc);
  Allocation* const allocation = arena_->find(address);
  if (allocation && note_if_plain(*allocation, scheduler_.current(), address, bytes, kind, pc)) return;
  judge(allocation, address, bytes, kind, pc);
}

namespace {

thread_local GroupRunner* runner = nullptr;

constinit abi::Turn no_turns[2] = {};
constinit abi::Round no_round{no_turns, nullptr, 0, 0};

/// Of that runner, for shaders: as far from the thread pointer in every OS thread.
[[gnu::tls_model("initial-exec")]] constinit thread_local abi::Round* round_here = &no_round;

assay_u64 offset_of_round() {
#if defined(__x86_64__)
  std::uintptr_t thread_pointer = 0;  // what its register points to begins with itself
  asm("movq %%fs:0, %0" : "=r"(thread_pointer));
  return reinterpret_cast<std::uintptr_t>(&round_here) - thread_pointer;
#else
  return 0;
#endif
}

void access(const void* address, assay_u64 bytes, abi::Access kind, const void* pc) {
  runner->access(address, bytes, kind, pc);
}

void* threadgroup_variable(const void* key, assay_u64 bytes, assay_u64, const char* name) {
  return runner->threadgroup_variable(key, bytes, name);
}

void barrier(abi::Scope scope, assay_u32 memory_flags, const abi::Site* site) {
  runner->barrier(scope, memory_flags, site);
}

abi::Meeting exchange(abi::Scope scope, const void* mine, assay_u64 bytes, void* all, const abi::Site* site) {
  return runner->exchange(scope, mine, bytes, all, site);
}

void private_overrun(const char* file, assay_u32 line, assay_u32 column, assay_u64 index, const char* type) {
  runner->overrun(abi::Site{file, line, column}, index, type);
}

/// Constants are computed where nothing runs yet.
void blocks(assay_u64 count, const void* pc) {
  if (runner) runner->blocks(count, pc);
}

}  // namespace

GroupRunner* runner_here() {
  return runner;
}

GroupRunner* exchange_runner_here(GroupRunner* next) {
  round_here = next ? &next->round() : &no_round;
  return std::exchange(runner, next);
}

const abi::Services& services() {
  static const abi::Services all{&access, &threadgroup_variable, &barrier, &exchange, &private_overrun,
                                 &blocks, offset_of_round()};
  return all;
}

}  // namespace assay::metal::emulator
