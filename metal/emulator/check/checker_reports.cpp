// The reports of the checker.
#include <fmt/format.h>

#include <algorithm>

#include "metal/emulator/check/checker.h"
#include "metal/emulator/check/symbolizer.h"

namespace assay::metal::emulator {

namespace {

const char* verb(abi::Access kind) {
  switch (kind) {
    case abi::Access::read:
      return "read";
    case abi::Access::write:
      return "write";
    case abi::Access::atomic_read:
      return "atomic read";
    case abi::Access::atomic_write:
      return "atomic write";
    case abi::Access::atomic_modify:
      return "atomic read and write";
  }
  return "access";
}

/// The instruction of a past access: in the dispatch's shader, or near `near` if the shader is part of this program.
const void* pc_of(Trace trace, const DispatchInfo& dispatch, const void* near) {
  constexpr std::ptrdiff_t half_range = 1 << 19;  // a trace tells 2^20 addresses apart
  if (dispatch.load_address) return trace.pc(dispatch.load_address);
  return trace.pc(static_cast<const std::byte*>(near) - half_range);
}

}  // namespace

Finding Checker::finding(Check check, std::uint32_t thread, const void* address, std::uint64_t bytes, abi::Access kind,
                         const void* pc) const {
  Finding found;
  found.report.check = check;
  found.report.kernel = dispatch_->kernel;
  found.report.address = name_of(*dispatch_, address);
  found.report.event.action = fmt::format("{} of {} byte{}", verb(kind), bytes, bytes == 1 ? "" : "s");
  found.report.event.thread = dispatch_->grid.place_of(groups_.back().number, thread);
  const CodePlace place = place_in(*dispatch_, pc);
  found.object = place.object;
  found.offset = place.offset;
  return found;
}

void Checker::report_out_of_bounds(std::uint32_t thread, const void* address, std::uint64_t bytes, abi::Access kind,
                                   const void* pc) {
  if (!checks_.memcheck) return;
  log_.add({Check::memcheck, pc, 0}, [&] {
    Finding found = finding(Check::memcheck, thread, address, bytes, kind, pc);
    found.report.message = "access outside of all that is bound; it is not performed, and its thread ends there";
    return found;
  });
}

void Checker::report_unwritten(Request& request, std::uint64_t offset) {
  if (!checks_.initcheck || request.is_reported || had_fault_) return;
  request.is_reported = true;
  log_.add({Check::initcheck, request.pc, 0}, [&] {
    const std::byte* const address = request.allocation.begin() + offset;
    Finding found = finding(Check::initcheck, request.thread, address, request.bytes, request.kind, request.pc);
    found.report.message = "what is read was never written";
    return found;
  });
}

void Checker::report_race(Request& request, Trace earlier, const char* action, std::uint64_t offset) {
  if (!checks_.racecheck || request.is_reported || clock_.has_stopped()) return;
  const Group& group = group_at(earlier.time());
  const std::uint32_t memory = request.allocation.is_threadgroup_memory ? abi::mem_threadgroup : abi::mem_device;
  if (fences_.order({group.start, earlier.thread()}, earlier.time(), {clock_.group_start(), request.thread}, memory))
    return;
  request.is_reported = true;
  const void* const pc = pc_of(earlier, *group.dispatch, request.pc);
  log_.add({Check::racecheck, request.pc, reinterpret_cast<std::uintptr_t>(pc)}, [&] {
    const std::byte* const address = request.allocation.begin() + offset;
    Finding found = finding(Check::racecheck, request.thread, address, request.bytes, request.kind, request.pc);
    const bool same_group = &group == &groups_.back();
    found.report.message = same_group
                               ? "two threads of a threadgroup access the same memory, and no barrier that covers "
                                 "it lies between"
                               : "threads of two threadgroups, which nothing orders, access the same memory";
    found.report.other = Event{fmt::format("earlier {}{}", earlier.is_atomic() ? "atomic " : "", action),
                               group.dispatch->grid.place_of(group.number, earlier.thread()),
                               {}};
    const CodePlace place = place_in(*group.dispatch, pc);
    found.other_object = place.object;
    found.other_offset = place.offset;
    return found;
  });
}

const Checker::Group& Checker::group_at(std::uint32_t time) const {
  const auto after = std::ranges::upper_bound(groups_, time, {}, &Group::start);
  return *std::prev(after);
}

}  // namespace assay::metal::emulator
