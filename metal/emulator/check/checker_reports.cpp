// The reports of the checker.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "metal/emulator/check/checker.h"
#include "metal/emulator/check/symbolizer.h"

namespace assay::metal::emulator {

namespace {

const char* memory_of(const Allocation& allocation) {
  if (allocation.space == abi::mem_texture) return "texture";
  return allocation.space == abi::mem_threadgroup ? "threadgroup" : "device";
}

std::string flags_in_words(std::uint32_t flags) {
  switch (flags) {
    case abi::mem_none:
      return "mem_none";
    case abi::mem_device:
      return "mem_device";
    case abi::mem_threadgroup:
      return "mem_threadgroup";
    default:
      return "mem_texture";
  }
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
  found.report.event.action = in_words(kind, bytes);
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
    found.report.advice =
        found.report.address.ends_with("(before its begin)")
            ? "see whether the index is negative, or exceeds 32 bits: compute it in long or ulong"
            : "compare the index with the number of elements before the access, or bind a longer buffer";
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
    found.report.advice = request.allocation.space == abi::mem_threadgroup
                              ? "write it in each threadgroup before it is read: it holds nothing at first"
                              : "write it before it is read, in the host or in a kernel";
    return found;
  });
}

void Checker::report_race(Request& request, Trace earlier, const char* action, std::uint64_t offset) {
  if (!checks_.racecheck || request.is_reported || clock_.has_stopped()) return;
  const Group& group = group_at(earlier.time());
  const std::uint32_t memory = request.allocation.space;
  if (fences_.order({group.start, earlier.thread()}, earlier.time(), {clock_.group_start(), request.thread}, memory))
    return;
  request.is_reported = true;
  const void* const pc = pc_of(earlier, *group.dispatch, request.pc);
  const ReportLog::Key key{Check::racecheck, request.pc, reinterpret_cast<std::uintptr_t>(pc)};
  const bool is_of_writes = request.kind == abi::Access::write && action == std::string_view("write");
  log_.add(key, [&] {
    const std::byte* const address = request.allocation.begin() + offset;
    Finding found = finding(Check::racecheck, request.thread, address, request.bytes, request.kind, request.pc);
    explain_race(request, earlier, &group == &groups_.back(), found.report);
    found.report.is_of_equal_values = is_of_writes;
    found.report.other = Event{fmt::format("earlier {}{}", earlier.is_atomic() ? "atomic " : "", action),
                               group.dispatch->grid.place_of(group.number, earlier.thread()),
                               {}};
    const CodePlace place = place_in(*group.dispatch, pc);
    found.other_object = place.object;
    found.other_offset = place.offset;
    return found;
  });
  if (is_of_writes) await_value(request, offset, key);
}

void Checker::explain_race(const Request& request, Trace earlier, bool same_group, Report& report) const {
  if (!same_group) {
    report.message = "threads of two threadgroups, which nothing orders, access the same memory";
    report.advice =
        "give each threadgroup elements of its own, use atomic functions, or split the kernel: dispatches are ordered";
    return;
  }
  const char* const memory = memory_of(request.allocation);
  const auto flags = clock_.barrier_since(earlier, request.thread);
  if (flags) {
    report.message = fmt::format(
        "two threads of a threadgroup access the same memory, and the barrier between the accesses has "
        "mem_flags::{}, which does not cover {} memory",
        flags_in_words(*flags), memory);
    report.advice = fmt::format("give that barrier mem_flags::mem_{}", memory);
    return;
  }
  report.message = "two threads of a threadgroup access the same memory, and no barrier that covers it lies between";
  report.advice = fmt::format(
      "put threadgroup_barrier(mem_flags::mem_{}) between the two accesses, where all threads of the threadgroup come "
      "to it",
      memory);
}

const Checker::Group& Checker::group_at(std::uint32_t time) const {
  const auto after = std::ranges::upper_bound(groups_, time, {}, &Group::start);
  return *std::prev(after);
}

}  // namespace assay::metal::emulator
