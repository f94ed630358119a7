// The choice of the thread that runs next, where the threads of several threadgroups are in flight together.
//
// Threads are free of data races (racecheck), so that nothing but the order of their atomic accesses decides what they
// see of each other. So a run has one choice in front of each atomic access: the thread that comes to it goes on, or
// another one does. Choices are numbered from 0; the same choices give the same run.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "metal/emulator/check/report.h"

namespace assay::metal::emulator {

/// A thread of the running dispatch.
struct ThreadNumber {
  std::uint64_t group = 0;   ///< along x, then y, then z
  std::uint32_t thread = 0;  ///< in the group
  auto operator<=>(const ThreadNumber&) const = default;
};

struct Schedule {
  static constexpr std::uint64_t all = ~std::uint64_t{0};

  std::uint64_t seed = 1;
  /// The first choices, as many as this, are random; at later ones the thread goes on, unless it has made many atomic
  /// accesses in a row.
  std::uint64_t random_choices = all;

  struct Switch {
    std::uint64_t choice = 0;
    ThreadNumber to;  ///< nothing is switched if it has ended or waits
  };
  std::vector<Switch> switches = {};  ///< rather than what the above says

  std::vector<std::uint64_t> watched = {};  ///< the choices that ScheduleRecord::watched tells of
};

/// An atomic access that is about to be performed.
struct WatchedAccess {
  std::uint64_t choice = 0;
  ThreadNumber thread, next;  ///< which comes to it, and which goes on
  std::string kernel;
  Event event;
};

struct ScheduleRecord {
  std::uint64_t choices = 0;
  std::vector<WatchedAccess> watched;
};

}  // namespace assay::metal::emulator
