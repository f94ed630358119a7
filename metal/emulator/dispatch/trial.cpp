#include "metal/emulator/dispatch/trial.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <utility>

#include "metal/emulator/check/trial_records.h"
#include "metal/emulator/dispatch/os_threads.h"
#include "metal/emulator/dispatch/signals.h"
#include "metal/emulator/dispatch/subnormal_flush.h"

namespace assay::metal::emulator {

namespace {

/// Device memory that the kernel may access, each allocation once.
std::vector<Allocation*> memory_of(const DispatchInfo& dispatch, bool only_written) {
  std::vector<Allocation*> memory;
  for (const BoundMemory& bound : dispatch.memory)
    if (bound.is_written || !only_written) memory.push_back(bound.allocation);
  std::ranges::sort(memory);
  memory.erase(std::ranges::unique(memory).begin(), memory.end());
  return memory;
}

}  // namespace

Trial::Trial(std::shared_ptr<Arena> arena, GroupOptions options, Checks checks, bool flushes_subnormals)
    : arena_(std::move(arena)), options_(options), checks_(checks), flushes_subnormals_(flushes_subnormals) {}

/// A trial also costs time for each byte that is bound.
bool Trial::is_worthwhile(const Launch& launch) const {
  constexpr std::uint64_t bytes_per_thread = 512, bytes_always = std::uint64_t{1} << 20;
  std::uint64_t bytes = 0;
  for (const Allocation* allocation : memory_of(launch.info, false)) {
    if (allocation->is_sparse) return false;
    bytes += allocation->length();
  }
  return bytes <= bytes_always + bytes_per_thread * launch.info.grid.threads().count();
}

bool Trial::run(Launch& launch, std::size_t os_threads) {
  const std::uint64_t groups = ChosenGroups(launch.info.grid.groups().count(), launch.only_groups).count();
  const auto count =
      static_cast<std::size_t>(std::min<std::uint64_t>({os_threads, groups, Allocation::max_records - 1}));
  if (!launch.is_alone || options_.order == ThreadOrder::random || failed_.contains(launch.entry) ||
      !is_worthwhile(launch))
    return false;
  std::vector<Saved> saved;
  for (Allocation* allocation : memory_of(launch.info, true)) {
    saved.push_back({allocation, {}});
    if (allocation->is_poison()) continue;  // an output, mostly: it is as before after poison()
    saved.back().contents = ZeroedPages<std::byte>(allocation->length());
    expect_use(saved.back().contents.data(), allocation->length());
    std::memcpy(saved.back().contents.data(), allocation->begin(), allocation->length());
  }
  const bool is_all = run_groups(launch, count) && keep_records(memory_of(launch.info, true), count);
  for (std::size_t worker = 0; worker < count; ++worker) workers_[worker]->checker.end_dispatch();
  if (is_all) return true;
  failed_.insert(launch.entry);
  for (const auto& [allocation, contents] : saved)
    if (contents.data() == nullptr)
      allocation->poison();
    else
      std::memcpy(allocation->begin(), contents.data(), allocation->length());
  return false;
}

/// Returns false, perhaps before all groups have run, if anything was found.
bool Trial::run_groups(const Launch& launch, std::size_t count) {
  constexpr std::uint64_t step_limit = std::uint64_t{1} << 28;  // a group may wait in vain for one that does not run
  Launch limited = launch;
  limited.step_limit = std::min(launch.step_limit, step_limit);
  log_.clear();
  for (std::size_t n = 0; n < count; ++n) {
    if (workers_.size() == n) workers_.push_back(std::make_unique<Worker>(arena_, log_, options_, checks_, n + 1));
    Worker& worker = *workers_[n];
    worker.info = launch.info;
    worker.checker.begin_sequence(*arena_);
    worker.checker.begin_dispatch(worker.info);
    worker.runner.begin_dispatch(limited, &worker.checker, nullptr);
  }
  const ChosenGroups chosen(launch.info.grid.groups().count(), launch.only_groups);
  const std::uint64_t groups = chosen.count(), at_once = std::clamp<std::uint64_t>(groups / (count * 16), 1, 64);
  const bool backwards = options_.order == ThreadOrder::reverse;
  std::atomic<std::uint64_t> next = 0;
  std::atomic<bool> has_failed = false;
  on_os_threads(count, [&](std::size_t n) {
    const FaultGuard guard;
    const SubnormalFlush flush(flushes_subnormals_);
    for (std::uint64_t first = next.fetch_add(at_once); first < groups; first = next.fetch_add(at_once))
      for (std::uint64_t taken = first; taken < std::min(first + at_once, groups); ++taken) {
        if (has_failed) return;
        if (!workers_[n]->runner.run(chosen[backwards ? groups - 1 - taken : taken]) || !log_.is_empty())
          has_failed = true;
      }
  });
  const auto has_error = [](const std::unique_ptr<Worker>& worker) { return worker->runner.error().has_value(); };
  if (has_failed || std::any_of(workers_.begin(), workers_.begin() + static_cast<std::ptrdiff_t>(count), has_error))
    return false;
  for (std::size_t n = 0; n < count; ++n)
    *launch.static_length = std::max(launch.static_length->load(), workers_[n]->runner.static_length());
  return true;
}

/// Returns false, and keeps nothing, if two OS threads conflict.
bool Trial::keep_records(const std::vector<Allocation*>& memory, std::size_t count) const {
  std::vector<TrialRecords::Record> records;
  for (std::size_t n = 0; n < count; ++n) records.push_back({n + 1, workers_[n]->checker.sequence_start()});
  std::deque<TrialRecords> all;
  std::vector<std::pair<TrialRecords*, std::uint64_t>> parts;
  for (Allocation* allocation : memory) {
    TrialRecords& of_allocation = all.emplace_back(*allocation, records);
    for (std::uint64_t part = 0; part < of_allocation.parts(); ++part) parts.emplace_back(&of_allocation, part);
  }
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> conflicts = false;
  on_os_threads(count, [&](std::size_t) {
    for (std::size_t part = next++; part < parts.size() && !conflicts; part = next++)
      if (!parts[part].first->look_at(parts[part].second)) conflicts = true;
  });
  if (conflicts) return false;
  for (const TrialRecords& of_allocation : all) of_allocation.keep();
  return true;
}

}  // namespace assay::metal::emulator
