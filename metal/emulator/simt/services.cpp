// The Services of every shader: asked of the runner whose thread asks.
#include "metal/emulator/check/plain_access.h"
#include "metal/emulator/simt/group_runner.h"

namespace assay::metal::emulator {

[[gnu::always_inline]] inline void GroupRunner::access(const void* address, std::uint64_t bytes, abi::Access kind,
                                                       const void* pc) {
  step(nullptr, pc);
  Allocation* const allocation = arena_->find(address);
  if (allocation && note_if_plain(*allocation, scheduler_.current(), address, bytes, kind, pc)) return;
  judge(allocation, address, bytes, kind, pc);
}

[[gnu::always_inline]] inline void GroupRunner::barrier(abi::Scope scope, std::uint32_t flags, const abi::Site* site) {
  step(site, nullptr);
  meetings_.come_to_barrier(scheduler_.current(), scope, flags, *site);
  scheduler_.wait();
}

namespace {

thread_local GroupRunner* runner = nullptr;

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

GroupRunner*& runner_here() {
  return runner;
}

const abi::Services& services() {
  static const abi::Services all{&access, &threadgroup_variable, &barrier, &exchange, &private_overrun, &blocks};
  return all;
}

}  // namespace assay::metal::emulator
