// Finds the two atomic accesses that decide a result: the search for two schedules that differ in as little as possible
// and give different results.
//
// Behind random choices, a schedule lets threads go on. So a schedule of no random choices is the plain order of
// threads, and a bisection over their number finds one random choice, a switch to another thread, that changes the
// result. Two more move the switch to the last access before which it has this effect, and back after as few accesses
// as have it. (As delta debugging of schedules: Choi and Zeller, Isolating Failure-Inducing Thread Schedules, ISSTA
// 2002.)
#pragma once

#include <functional>
#include <optional>

#include "metal/device/result.h"
#include "metal/emulator/dispatch/schedule.h"

namespace assay::metal::emulator {

/// The two accesses, and a schedule in which `overtaking` comes first. In its twin `overtaken` does.
struct DecidingAccesses {
  WatchedAccess overtaken, overtaking;
  Schedule schedule;
};

/// One run under a schedule.
struct ScheduledRun {
  bool is_different = false;  ///< from that without random choices
  ScheduleRecord record;
};
using RunScheduled = std::function<Result<ScheduledRun>(const Schedule& schedule)>;

/// `seed` gives a schedule of `choices` random choices, whose run is different. Nothing if runs do not repeat. Errors:
/// those of `run`.
Result<std::optional<DecidingAccesses>> find_deciding_accesses(std::uint64_t seed, std::uint64_t choices,
                                                               const RunScheduled& run);

}  // namespace assay::metal::emulator
