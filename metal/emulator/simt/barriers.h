// Barriers of threadgroups and simdgroups, and collectives: operations to which each lane of a simdgroup or quadgroup
// brings a value (simd_sum, simd_shuffle, ...), all of which are made of one all-gather.
// Metal Shading Language Specification, 6.9 (synchronization and SIMD-group functions).
//
// A threadgroup barrier is passed when all unfinished threads of the group wait at it, a simdgroup barrier when all
// unfinished lanes of the simdgroup do. A collective is among the active lanes only. Which lanes are active is decided
// when every lane of the simdgroup waits somewhere or has finished: of the sites where lanes wait for a collective, the
// first in the text runs first. So lanes that left a loop early wait behind it for the lanes still inside, as on a GPU.
// A barrier or collective in a helper function has the helper's site, whoever called the helper.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "metal/emulator/abi/shader_abi.h"
#include "metal/emulator/simt/order.h"

namespace assay::metal::emulator {

class BarrierListener {
 public:
  virtual ~BarrierListener() = default;

  /// These threads go on, in this order.
  virtual void release(std::span<const std::uint32_t> threads) = 0;
  /// All `threads` of the group go on, in the order in which they arrived.
  virtual void release_in_order_of_arrival(std::uint32_t threads) = 0;
  virtual void threadgroup_barrier_passed(std::uint32_t flags) = 0;
  virtual void simdgroup_barrier_passed(std::uint32_t simdgroup, std::uint32_t flags) = 0;

  /// A collective at `site`, whose result depends on them, runs among the lanes `active` without the lanes `missing`.
  /// Both have a bit for each lane.
  virtual void lanes_missing(std::uint32_t simdgroup, std::uint32_t active, std::uint32_t missing,
                             const abi::Site& site) = 0;

  /// Thread `finished` has returned without reaching the barrier at which `waiting` waits; the barrier is passed
  /// without it.
  virtual void barrier_skipped(std::uint32_t waiting, const abi::Site& site, std::uint32_t finished) = 0;

  /// The threads wait at barriers that can never be passed; nobody is released.
  virtual void barriers_differ(std::uint32_t one, const abi::Site& site_of_one, std::uint32_t other,
                               const abi::Site& site_of_other) = 0;

  /// Whether value_moved() is to be called for each value that a collective copies from lane to lane.
  virtual bool follows_values() const { return false; }
  virtual void value_moved(const void* /*to*/, const void* /*from*/, std::uint64_t /*bytes*/) {}
};

class Barriers {
 public:
  /// Keeps `fast_barrier` up to date: the barrier at which threads may wait without a call of arrive().
  Barriers(BarrierListener& listener, const Order& order, abi::FastBarrier& fast_barrier)
      : listener_(listener), order_(order), fast_barrier_(fast_barrier) {}

  void begin(std::uint32_t threads);

  /// The site of the fast barrier, if there is one.
  const abi::Site& fast_barrier_site() const { return common_site_; }

  /// Notes that these threads wait at the fast barrier.
  void add_arrivals(std::span<const abi::ReadyThread> threads);

  /// The thread waits at a barrier. This may release the thread and others before it returns. `site` must live until
  /// the thread is released.
  void arrive(std::uint32_t thread, abi::Scope scope, std::uint32_t flags, const abi::Site& site);

  /// Called for a thread that arrives at a barrier while `others` wait at the fast barrier. If that completes the fast
  /// barrier, releases all threads and returns true.
  bool completes_fast_barrier(std::size_t others, abi::Scope scope, std::uint32_t flags, const abi::Site& site);

  /// The thread waits for a collective: it brings `mine` [bytes] and gets `all` [lanes][bytes]. `mine`, `all` and
  /// `site` must live until the thread is released.
  void arrive_at_collective(std::uint32_t thread, abi::Scope scope, const void* mine, std::uint64_t bytes, void* all,
                            const abi::Site& site);

  /// The thread has returned, or a fault has ended it. Barriers that a faulted thread skips are not reported.
  void finish(std::uint32_t thread, bool by_fault);

  /// The thread comes to a `return;`.
  void leave(std::uint32_t thread, const abi::Site& site) { left_at_[thread] = site; }

  /// The lanes that took part in the thread's last collective.
  abi::ActiveLanes result(std::uint32_t thread) const { return results_[thread]; }

  /// Where the thread waits; null if it waits nowhere.
  const abi::Site* site_of(std::uint32_t thread) const {
    const bool is_waiting = thread < threads_ && (simdgroups_[thread / lanes].waiting & bit(thread % lanes)) != 0;
    return is_waiting ? arrivals_[thread].site : nullptr;
  }
  std::uint32_t threads() const { return threads_; }
  bool was_ended_by_fault(std::uint32_t thread) const {
    return thread < threads_ && (faulted_lanes(thread / lanes) & bit(thread % lanes)) != 0;
  }

 private:
  static constexpr std::uint32_t lanes = abi::lanes_per_simdgroup;
  static std::uint32_t bit(std::uint32_t lane) { return std::uint32_t{1} << lane; }

  /// A lane's part of an all-gather.
  struct Gather {
    const void* mine = nullptr;  ///< [bytes]
    std::uint64_t bytes = 0;
    void* all = nullptr;  ///< [lanes][bytes]
  };
  /// Where a thread waits.
  struct Arrival {
    abi::Scope scope = abi::Scope::threadgroup;
    std::uint32_t flags = 0;  ///< the memory that a barrier orders
    const abi::Site* site = nullptr;
    Gather gather;
  };
  /// Each mask has a bit for each lane.
  struct Simdgroup {
    std::uint32_t live = 0, waiting = 0, returned = 0;
    std::uint32_t at_simdgroup_site = 0;  ///< the waiting lanes that are not at a threadgroup barrier
    std::uint32_t at_collective = 0;      ///< the waiting lanes that are at a collective
  };

  void wait(std::uint32_t thread, Simdgroup& simdgroup) {
    simdgroup.waiting |= bit(thread % lanes);
    if (simdgroup.waiting == simdgroup.live) resolve(thread / lanes);
  }
  void wait_at_simdgroup_site(std::uint32_t thread, Simdgroup& simdgroup);
  bool is_common(std::uint32_t flags, const abi::Site& site) const {
    return flags == common_flags_ && site.file == common_site_.file && site.line == common_site_.line &&
           site.column == common_site_.column;
  }
  void update_fast_barrier();
  void merge_into_common(std::uint32_t flags, const abi::Site& site);
  void resolve(std::uint32_t simdgroup);
  bool all_are_at_threadgroup_barrier() const;
  void resolve_threadgroup_barrier();
  void report_different_threadgroup_barriers();
  void report_skipped_threadgroup_barrier();
  void resolve_simdgroup_barrier(std::uint32_t simdgroup);
  void run_collective(std::uint32_t simdgroup);
  void note_gathered(std::uint32_t base, std::uint32_t active, std::uint32_t from, std::uint32_t width,
                     std::uint32_t lane);
  void release(std::uint32_t simdgroup, std::uint32_t released);
  bool has_passed(std::uint32_t thread, const abi::Site& site) const;
  std::uint32_t faulted_lanes(std::uint32_t simdgroup) const;
  std::uint32_t missing_lanes(std::uint32_t simdgroup, std::uint32_t active) const;
  std::uint32_t lanes_at_first_site(std::uint32_t simdgroup) const;
  /// The first thread of `mask` that waits at another site than `thread`; `thread` itself if there is none.
  std::uint32_t first_at_another_site(std::uint32_t simdgroup, std::uint32_t mask, std::uint32_t thread) const;

  BarrierListener& listener_;
  Order order_;
  Order lane_order_ = order_;
  abi::FastBarrier& fast_barrier_;
  std::uint32_t threads_ = 0, live_ = 0;
  std::uint32_t at_simdgroup_sites_ = 0;  ///< waiting threads that are not at a threadgroup barrier
  // The threadgroup barrier at which threads wait, or the last at which threads waited: the flags that all threads
  // share, the site of the first, and whether all are at this site.
  std::uint32_t common_flags_ = 0;
  abi::Site common_site_{};
  bool is_one_site_ = true;
  std::vector<Simdgroup> simdgroups_;
  std::vector<Arrival> arrivals_;
  std::vector<abi::ActiveLanes> results_;
  std::vector<abi::Site> left_at_;  ///< the last `return;` of each thread; line 0 if there was none
  std::vector<std::byte> gathered_;
  std::vector<std::uint32_t> released_;
};

}  // namespace assay::metal::emulator
