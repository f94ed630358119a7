#include "metal/emulator/dispatch/services.h"

#include <fmt/format.h>

#include <type_traits>
#include <utility>

#include "metal/emulator/check/plain_access.h"
#include "metal/emulator/dispatch/events.h"
#include "metal/emulator/dispatch/group_runner.h"
#include "metal/emulator/dispatch/lone_call.h"

namespace assay::metal::emulator {

/// `bytes` and `kind` are numbers, or types that hold numbers known to the compiler. Many accesses are of the thread's own
/// stack, which nobody else knows, or read what nobody writes.
template <class Bytes, class Kind>
[[gnu::always_inline]] inline void GroupRunner::access(const void* address, Bytes bytes, Kind kind, const void* pc) {
  count_steps(1, nullptr, pc);
  Allocation* const allocation = arena_->find(address);
  if (allocation ? is_unrecorded(allocation->words[record_], address, bytes, kind)
                 : scheduler_.current_fiber().owns(address))
    return;
  access_shared(allocation, address, bytes, kind, pc);
}

/// Is not inlined, so that the accesses above need not save the registers that it takes.
template <class Bytes, class Kind>
[[gnu::noinline]] void GroupRunner::access_shared(Allocation* allocation, const void* address, Bytes bytes, Kind kind,
                                                  const void* pc) {
  if (allocation && note_if_plain(allocation->words[record_], scheduler_.current(), address, bytes, kind, pc)) return;
  judge(allocation, address, bytes, kind, pc);
}

namespace {

thread_local GroupRunner* current_runner = nullptr;

constinit abi::ReadyThread no_ready_threads[2] = {};
constinit abi::FastBarrier no_fast_barrier{no_ready_threads, nullptr, 0, 0};

/// The fast barrier of `current_runner`, for shaders. In this TLS model its offset from the thread pointer is the same
/// in every OS thread.
[[gnu::tls_model("initial-exec")]] constinit thread_local abi::FastBarrier* fast_barrier_here = &no_fast_barrier;

/// The basic blocks that shaders may still execute on this OS thread before they call blocks().
[[gnu::tls_model("initial-exec")]] constinit thread_local int blocks_left_here = abi::blocks_per_call;

/// The offset of a variable of this OS thread from the thread pointer.
assay_u64 offset_of([[maybe_unused]] const void* here) {
#if defined(__x86_64__)
  std::uintptr_t thread_pointer = 0;  // the register fs points to a copy of itself
  asm("movq %%fs:0, %0" : "=r"(thread_pointer));
  return reinterpret_cast<std::uintptr_t>(here) - thread_pointer;
#else
  return 0;
#endif
}

/// The runner of the thread that calls. A program-scope constant has none, and must not do `what`.
GroupRunner& runner_for(const char* what) {
  if (!current_runner) end_lone_call(what);
  return *current_runner;
}

void access(const void* address, assay_u64 bytes, abi::Access kind, const void* pc) {
  if (current_runner) current_runner->access(address, bytes, kind, pc);
}

template <abi::Access kind>
void access_word(const void* address, const void* pc) {
  constexpr std::integral_constant<std::uint64_t, Shadow::word_bytes> bytes;
  if (current_runner) current_runner->access(address, bytes, std::integral_constant<abi::Access, kind>(), pc);
}

void* threadgroup_variable(const void* key, assay_u64 bytes, assay_u64, const char* name) {
  return runner_for("threadgroup memory, which only kernels have").threadgroup_variable(key, bytes, name);
}

void fence(assay_u32 memory_flags, abi::MemoryOrder order, abi::FenceScope scope) {
  if (current_runner) current_runner->fence(memory_flags, order, scope);
}

const abi::Position* position() {
  return runner_for("the position of a thread, which only kernels have").position();
}

void barrier(abi::Scope scope, assay_u32 memory_flags, const abi::Site* site) {
  runner_for("a barrier, which only kernels have").barrier(scope, memory_flags, site);
}

abi::ActiveLanes all_gather(abi::Scope scope, const void* mine, assay_u64 bytes, void* all, const abi::Site* site) {
  return runner_for("an operation of a simdgroup, which only kernels have").all_gather(scope, mine, bytes, all, site);
}

void undefined_lane(abi::Scope scope, assay_u32 lane, const abi::Site* site) {
  runner_for("an operation of a simdgroup, which only kernels have").undefined_lane(scope, lane, *site);
}

void leave(const abi::Site* site) {
  if (current_runner) current_runner->leave(*site);
}

void index_out_of_bounds(const abi::Site* site, assay_u64 index, const char* type, assay_u64 count, const void* pc) {
  if (!current_runner) end_lone_call(fmt::format("an index outside of an array, at {}", to_string(position_of(*site))));
  current_runner->index_out_of_bounds(*site, index, type, count, pc);
}

void undefined_integer(abi::IntegerOperation operation, const abi::IntegerOperand* left,
                       const abi::IntegerOperand* right, const abi::Site* site, const void* pc) {
  if (!current_runner)
    end_lone_call(fmt::format("{}, {}, at {}", undefined_in_words(operation),
                              operands_in_words(operation, *left, *right), to_string(position_of(*site))));
  current_runner->undefined_integer(operation, *left, *right, pc);
}

void texture_out_of_bounds(const abi::Texture* texture, const abi::TexelPlace* place, const abi::Site* site) {
  runner_for("a texel outside of a texture").texture_out_of_bounds(*texture, *place, *site);
}

void log(const char* format, const abi::LogValue* values, assay_u32 count, const abi::Site* site) {
  if (current_runner) current_runner->log(format, {values, count}, *site);
}

void blocks(assay_u64 count, const void* pc) {
  current_runner ? current_runner->blocks(count, pc) : count_lone_blocks(count);
}

Follower* follower_here() {
  return current_runner ? current_runner->follower() : nullptr;
}

assay_u32 operation(const abi::Site* site, assay_u32 code, assay_u32 count, const double* operands, double result,
                    const assay_u32* entries) {
  Follower* const follower = follower_here();
  return follower ? follower->operation(site, code, count, operands, result, entries) : 0;
}

assay_u32 load_entry(const void* address, double value) {
  Follower* const follower = follower_here();
  return follower ? follower->load(address, value) : 0;
}

void store_entry(const void* address, assay_u32 entry, assay_u32 bytes) {
  if (Follower* const follower = follower_here()) follower->store(address, entry, bytes);
}

void move_entries(const void* to, const void* from, assay_u64 bytes) {
  if (Follower* const follower = follower_here()) follower->move(to, from, bytes);
}

void compare(const abi::Site* site, assay_u32 predicate, double left, double right, assay_u32 left_entry,
             assay_u32 right_entry) {
  if (Follower* const follower = follower_here())
    follower->compare(site, predicate, left, right, left_entry, right_entry);
}

constexpr abi::NumericsServices numerics_services{&operation, &load_entry, &store_entry, &move_entries, &compare};

}  // namespace

GroupRunner* runner_here() {
  return current_runner;
}

GroupRunner* set_runner_here(GroupRunner* next) {
  fast_barrier_here = next ? &next->fast_barrier() : &no_fast_barrier;
  return std::exchange(current_runner, next);
}

const abi::Services& services() {
  static const abi::Services all{&access,
                                 &access_word<abi::Access::read>,
                                 &access_word<abi::Access::write>,
                                 &threadgroup_variable,
                                 &fence,
                                 &position,
                                 &barrier,
                                 &all_gather,
                                 &undefined_lane,
                                 &leave,
                                 &index_out_of_bounds,
                                 &undefined_integer,
                                 &texture_out_of_bounds,
                                 &log,
                                 &blocks,
                                 offset_of(static_cast<const void*>(&fast_barrier_here)),
                                 &numerics_services,
                                 offset_of(&blocks_left_here)};
  return all;
}

}  // namespace assay::metal::emulator
