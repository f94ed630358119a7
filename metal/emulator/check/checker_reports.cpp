// How the checker says what it found.
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

/// The address whose lower half is `low`: in the image that is nearest to `near`.
const void* whole_address(std::uint32_t low, const void* near) {
  const std::uintptr_t high = reinterpret_cast<std::uintptr_t>(near) >> 32;
  for (const std::uintptr_t half : {high, high + 1, high - 1}) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): half of the address is all that a cell has room for
    const auto* const candidate = reinterpret_cast<const void*>(half << 32 | low);
    if (!code_place(candidate).object.empty()) return candidate;
  }
  return near;
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

void Checker::report_outside(std::uint32_t thread, const void* address, std::uint64_t bytes, abi::Access kind,
                             const void* pc) {
  if (!checks_.memcheck) return;
  log_.add({Check::memcheck, pc, 0}, [&] {
    Finding found = finding(Check::memcheck, thread, address, bytes, kind, pc);
    found.report.message = "access outside of all that is bound; it is not performed, and its thread ends there";
    return found;
  });
}

void Checker::report_unwritten(Request& request, std::uint64_t offset) {
  if (!checks_.initcheck || request.is_reported || has_lost_thread_) return;
  request.is_reported = true;
  log_.add({Check::initcheck, request.pc, 0}, [&] {
    const std::byte* const address = request.allocation.begin() + offset;
    Finding found = finding(Check::initcheck, request.thread, address, request.bytes, request.kind, request.pc);
    found.report.message = "what is read was never written";
    return found;
  });
}

void Checker::report_race(Request& request, const Cell& cell, Cell::Slot slot, std::uint64_t offset) {
  if (!checks_.racecheck || request.is_reported) return;
  request.is_reported = true;
  const Access earlier = cell.get(slot);
  log_.add({Check::racecheck, request.pc, earlier.pc + std::uintptr_t{1}}, [&] {
    const std::byte* const address = request.allocation.begin() + offset;
    Finding found = finding(Check::racecheck, request.thread, address, request.bytes, request.kind, request.pc);
    const Group& group = group_at(earlier.time);
    const bool same_group = &group == &groups_.back();
    found.report.message = same_group
                               ? "two threads of a threadgroup access the same memory, and no barrier that covers "
                                 "it lies between"
                               : "threads of two threadgroups, which nothing orders, access the same memory";
    const char* const action = slot == Cell::write ? "write" : "read";
    found.report.other = Event{fmt::format("earlier {}{}", earlier.is_atomic ? "atomic " : "", action),
                               group.dispatch->grid.place_of(group.number, earlier.thread),
                               {}};
    const CodePlace place = place_in(*group.dispatch, whole_address(earlier.pc, request.pc));
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
