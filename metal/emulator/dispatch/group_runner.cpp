#include "metal/emulator/dispatch/group_runner.h"

#include <fmt/format.h>

#include "metal/device/encoder_rules.h"
#include "metal/emulator/dispatch/interleaver.h"
#include "metal/emulator/dispatch/services.h"

namespace assay::metal::emulator {

GroupRunner::GroupRunner(const std::shared_ptr<Arena>& arena, ReportLog& log, GroupOptions options)
    : log_(log),
      options_(options),
      memory_(arena),
      order_(options.order, options.seed),
      barriers_(*this, order_, scheduler_.fast_barrier()),
      positions_(Scheduler::max_threads),
      arena_(arena.get()) {}

void GroupRunner::begin_dispatch(const Launch& launch, Checker* checker, Follower* follower) {
  follower_ = follower;
  interleaver_ = nullptr;
  launch_ = &launch;
  checker_ = checker;
  record_ = checker ? checker->record() : 0;
  error_.reset();
  extent_ = {0, 0, 0};
  scheduler_.move_here();
  if (!memory_.begin_dispatch(launch.threadgroup_lengths)) {
    error_ = Error{Error::Kind::limit, "there is no memory for the threadgroup's arguments"};
    return;
  }
  for (std::uint32_t index = 0; checker_ && index < launch.threadgroup_lengths.size(); ++index)
    if (launch.threadgroup_lengths[index] != 0)
      checker_->add({memory_.argument(index), 0, BoundMemory::Kind::threadgroup_argument, index,
                     launch.info.threadgroup_names[index]});
}

void GroupRunner::begin_dispatch(const Launch& launch, Interleaver* interleaver) {
  begin_dispatch(launch, nullptr, nullptr);
  interleaver_ = interleaver;
}

void GroupRunner::begin(std::uint64_t group) {
  group_ = group;
  steps_left_ = launch_->step_limit;
  place_threads();
  const auto threads = static_cast<std::uint32_t>(extent_.count());
  if (checker_) {
    checker_->begin_group(group);
    memory_.poison();
  }
  barriers_.begin(threads);
  scheduler_.begin(order_.of(threads), &run_thread, this);
}

GroupRunner::Progress GroupRunner::go_on(std::optional<std::uint32_t> thread) {
  if (error_ && error_->kind != Error::Kind::execution) return Progress::stopped;
  GroupRunner* const outer = set_runner_here(this);
  is_running_ = true;
  const Scheduler::End end = scheduler_.go_on(thread);
  is_running_ = false;
  set_runner_here(outer);
  if (end == Scheduler::End::paused) return Progress::paused;
  if (scheduler_.lacks_memory() && !error_)
    error_ = Error{Error::Kind::limit, "there is no memory for the stacks of the threads of a threadgroup"};
  if (checker_ && checker_->clock_has_stopped() && !error_)
    error_ = Error{Error::Kind::limit,
                   "the checks have counted as many barriers as they can: run fewer threadgroups at once"};
  const bool has_ended = end == Scheduler::End::all_ended && (!error_ || error_->kind != Error::Kind::limit);
  if (has_ended && launch_->ended_groups) launch_->ended_groups->fetch_add(1, std::memory_order_relaxed);
  return has_ended ? Progress::ended : Progress::stopped;
}

/// Groups of the same extent differ only in the position of the group, which run_thread() fills in.
void GroupRunner::place_threads() {
  const Grid& grid = launch_->info.grid;
  group_position_ = grid.position_of(group_);
  const Size extent = grid.extent_of(group_);
  if (extent == extent_) return;
  extent_ = extent;
  const auto threads = static_cast<std::uint32_t>(extent.count());
  for (std::uint32_t thread = 0; thread < threads; ++thread) positions_[thread] = grid.position(group_, thread);
}

void GroupRunner::run_thread(void* self, std::uint32_t thread) {
  auto& runner = *static_cast<GroupRunner*>(self);
  abi::Position& position = runner.positions_[thread];
  runner.launch_->info.grid.move(position, runner.group_position_);
  const abi::Invocation invocation{runner.launch_->buffers.data(), runner.memory_.arguments(),
                                   runner.launch_->textures.data(), runner.launch_->samplers.data(), &position};
  runner.launch_->entry(&invocation);
  runner.note_yielded();
  runner.barriers_.finish(thread, false);
}

void GroupRunner::judge(Allocation* allocation, const void* address, std::uint64_t bytes, abi::Access kind,
                        const void* pc) {
  if (interleaver_ && is_atomic(kind)) interleaver_->before_atomic(*this, bytes, kind, pc);
  if (checker_ && !checker_->judge(allocation, scheduler_.current(), address, bytes, kind, pc)) end_by_fault();
}

void* GroupRunner::threadgroup_variable(const void* key, std::uint64_t bytes, const char* name) {
  if (void* const known = memory_.find(key)) return known;
  const std::uint64_t all = memory_.argument_bytes() + memory_.variable_bytes() + bytes;
  if (const Result<void> fit = check_threadgroup_memory(all, launch_->limits); !fit) {
    error_ = fit.error();
    scheduler_.stop();
  }
  Allocation* const memory = memory_.add(key, bytes);
  if (!memory) {
    error_ = Error{Error::Kind::limit, fmt::format("there is no memory for threadgroup variable {}", name)};
    scheduler_.stop();
  }
  if (checker_) checker_->add({memory, 0, BoundMemory::Kind::threadgroup_variable, 0, name});
  return memory->begin();
}

abi::ActiveLanes GroupRunner::all_gather(abi::Scope scope, const void* mine, std::uint64_t bytes, void* all,
                                         const abi::Site* site) {
  note_yielded();
  count_steps(1, site, nullptr);
  barriers_.arrive_at_collective(scheduler_.current(), scope, mine, bytes, all, *site);
  scheduler_.wait();
  return barriers_.result(scheduler_.current());
}

void GroupRunner::barrier(abi::Scope scope, std::uint32_t flags, const abi::Site* site) {
  const std::span<const abi::ReadyThread> others = scheduler_.take_yielded();
  count_steps(others.size() + 1, site, nullptr);
  if (!barriers_.completes_fast_barrier(others.size(), scope, flags, *site)) {
    barriers_.add_arrivals(others);
    barriers_.arrive(scheduler_.current(), scope, flags, *site);
  }
  scheduler_.wait();
}

void GroupRunner::note(std::span<const abi::ReadyThread> others) {
  count_steps(others.size(), &barriers_.fast_barrier_site(), nullptr);
  barriers_.add_arrivals(others);
}

void GroupRunner::stop_endless(const abi::Site* site, const void* pc) {
  report_endless(site, pc);
  scheduler_.stop();
}

void GroupRunner::fail(const std::string& text) {
  if (!error_) error_ = Error{Error::Kind::execution, text};
}

void GroupRunner::threadgroup_barrier_passed(std::uint32_t flags) {
  if (checker_) checker_->pass_threadgroup_barrier(flags);
}

void GroupRunner::simdgroup_barrier_passed(std::uint32_t simdgroup, std::uint32_t flags) {
  if (checker_) checker_->pass_simdgroup_barrier(simdgroup, flags);
}

}  // namespace assay::metal::emulator
