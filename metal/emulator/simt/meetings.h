// Where the threads of a group meet: barriers, and exchanges between the lanes of a simdgroup.
// Metal Shading Language Specification, 6.9 (synchronization and SIMD-group functions).
//
// A threadgroup barrier is passed when all threads that have not ended wait at it, a simdgroup barrier likewise by
// lanes. An exchange is among the lanes that are active there. Which those are is decided when every lane of the
// simdgroup waits somewhere or has ended: of the sites where lanes wait for an exchange, the one that comes first in
// the text goes first. So lanes that left a loop early wait behind it for those that are still inside, as on a device.
// What a helper does is at the helper's site, wherever it was called from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "metal/emulator/shader_abi.h"
#include "metal/emulator/simt/order.h"

namespace assay::metal::emulator {

/// What the meetings tell of.
class MeetingListener {
 public:
  virtual ~MeetingListener() = default;

  /// These threads go on, in this order.
  virtual void release(std::span<const std::uint32_t> threads) = 0;
  /// All `threads` of the group go on, in the order in which they came.
  virtual void release_again(std::uint32_t threads) = 0;
  virtual void threadgroup_barrier_passed(std::uint32_t flags) = 0;
  virtual void simdgroup_barrier_passed(std::uint32_t simdgroup, std::uint32_t flags) = 0;

  /// `ended` has ended without coming to the barrier where `waiting` waits; the barrier is passed without it.
  virtual void barrier_skipped(std::uint32_t waiting, const abi::Site& site, std::uint32_t ended) = 0;

  /// The threads wait at barriers that can never be passed; nobody is released.
  virtual void barriers_differ(std::uint32_t one, const abi::Site& site_of_one, std::uint32_t other,
                               const abi::Site& site_of_other) = 0;
};

class Meetings {
 public:
  /// Tells in `round` to which barrier threads may come by themselves.
  Meetings(MeetingListener& listener, const Order& order, abi::Round& round)
      : listener_(listener), order_(order), round_(round) {}

  void begin(std::uint32_t threads);

  /// The barrier that the round names, if any.
  const abi::Site& site_of_round() const { return common_site_; }

  /// These threads have come there by themselves.
  void have_come(std::span<const abi::Turn> threads);

  /// The thread waits at a barrier; it and others may be released before this returns. The site must stay until the
  /// thread is.
  void come_to_barrier(std::uint32_t thread, abi::Scope scope, std::uint32_t flags, const abi::Site& site);

  /// Lets all go on where this is the last of the group's threads, and all others came to the same barrier by
  /// themselves.
  bool passes(std::size_t others, abi::Scope scope, std::uint32_t flags, const abi::Site& site);

  /// The same at an exchange, of [bytes] `mine` for [lanes][bytes] `all`, which must stay until the thread is released.
  void come_to_exchange(std::uint32_t thread, abi::Scope scope, const void* mine, std::uint64_t bytes, void* all,
                        const abi::Site& site);

  /// The thread is no longer there. One that was stopped because of a fault is not missed at barriers.
  void end(std::uint32_t thread, bool by_fault);

  /// Of the exchange that the thread came to last.
  abi::Meeting result(std::uint32_t thread) const { return results_[thread]; }

 private:
  static constexpr std::uint32_t lanes = abi::lanes_per_simdgroup;
  static std::uint32_t bit(std::uint32_t lane) { return std::uint32_t{1} << lane; }

  /// What the lanes of an exchange give and get.
  struct Exchange {
    const void* mine = nullptr;  ///< [bytes]
    std::uint64_t bytes = 0;
    void* all = nullptr;  ///< [lanes][bytes]
  };
  /// What a thread waits for.
  struct Arrival {
    abi::Scope scope = abi::Scope::threadgroup;
    std::uint32_t flags = 0;  ///< of a barrier: the memory that it orders
    const abi::Site* site = nullptr;
    Exchange exchange;
  };
  /// A bit for each lane.
  struct Simdgroup {
    std::uint32_t live = 0, waiting = 0, left = 0;
    std::uint32_t elsewhere = 0;    ///< of those that wait: not at a threadgroup barrier
    std::uint32_t at_exchange = 0;  ///< of these
  };

  void wait(std::uint32_t thread, Simdgroup& simdgroup) {
    simdgroup.waiting |= bit(thread % lanes);
    if (simdgroup.waiting == simdgroup.live) settle(thread / lanes);
  }
  void wait_elsewhere(std::uint32_t thread, Simdgroup& simdgroup);
  bool is_common(std::uint32_t flags, const abi::Site& site) const {
    return flags == common_flags_ && site.file == common_site_.file && site.line == common_site_.line &&
           site.column == common_site_.column;
  }
  void tell_round();
  void note_barrier(std::uint32_t flags, const abi::Site& site);
  void settle(std::uint32_t simdgroup);
  bool all_are_at_threadgroup_barrier() const;
  void settle_threadgroup();
  void report_different_threadgroup_barriers();
  void report_skipped_threadgroup_barrier();
  void settle_simdgroup_barrier(std::uint32_t simdgroup);
  void exchange(std::uint32_t simdgroup);
  void release(std::uint32_t simdgroup, std::uint32_t released);
  std::uint32_t lanes_at_first_site(std::uint32_t simdgroup) const;
  /// The first thread of the mask that waits elsewhere than `thread`, or `thread`.
  std::uint32_t one_elsewhere(std::uint32_t simdgroup, std::uint32_t mask, std::uint32_t thread) const;

  MeetingListener& listener_;
  Order order_;
  Order lane_order_ = order_;
  abi::Round& round_;
  std::uint32_t threads_ = 0, live_ = 0;
  std::uint32_t elsewhere_ = 0;  ///< of those that wait: not at a threadgroup barrier
  // Of those that wait at threadgroup barriers, else of those that did last: the flags they share, and whether all came
  // to one and the same site.
  std::uint32_t common_flags_ = 0;
  abi::Site common_site_{};
  bool is_one_site_ = true;
  std::vector<Simdgroup> simdgroups_;
  std::vector<Arrival> arrivals_;
  std::vector<abi::Meeting> results_;
  std::vector<std::byte> gathered_;
  std::vector<std::uint32_t> released_;
};

}  // namespace assay::metal::emulator
