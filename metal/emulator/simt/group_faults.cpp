// What ends threads and groups early, and how it is reported.
#include <fmt/format.h>

#include <string>

#include "metal/emulator/check/symbolizer.h"
#include "metal/emulator/simt/group_runner.h"

namespace assay::metal::emulator {

namespace {

constexpr const char* page_fault =
    "Caused GPU Address Fault Error (0000000b:kIOGPUCommandBufferCallbackErrorPageFault)";
constexpr const char* timeout = "Caused GPU Timeout Error (00000002:kIOGPUCommandBufferCallbackErrorTimeout)";

SourcePosition position_of(const abi::Site& site) {
  return {site.file, site.line, site.column};
}

/// One number for a place, or for two.
std::uintptr_t number_of(const abi::Site& site, const abi::Site& other = {}) {
  const auto number = [](const abi::Site& place) { return std::uintptr_t{place.line} << 12 ^ place.column; };
  return number(site) << 32 ^ number(other);
}

}  // namespace

Event GroupRunner::event_of(std::uint32_t thread, const char* action, SourcePosition position) const {
  return {action, launch_->info.grid.place_of(group_, thread), std::move(position)};
}

void GroupRunner::end_by_fault() {
  fail(page_fault);
  if (checker_) checker_->lose_thread();
  catch_up();
  meetings_.end(scheduler_.current(), true);
  scheduler_.end_current();
}

void GroupRunner::barrier_skipped(std::uint32_t waiting, const abi::Site& site, std::uint32_t ended) {
  if (!options_.synccheck) return;
  log_.add({Check::synccheck, site.file, number_of(site)}, [&] {
    Finding found;
    found.report = {Check::synccheck,
                    launch_->info.kernel,
                    "a thread has ended without coming to a barrier",
                    {},
                    event_of(waiting, "waiting", position_of(site)),
                    event_of(ended, "ended", launch_->info.position),
                    1};
    return found;
  });
}

void GroupRunner::barriers_differ(std::uint32_t one, const abi::Site& site_of_one, std::uint32_t other,
                                  const abi::Site& site_of_other) {
  fail(timeout);
  if (options_.synccheck) {
    log_.add({Check::synccheck, site_of_one.file, number_of(site_of_one, site_of_other)}, [&] {
      Finding found;
      found.report = {Check::synccheck,
                      launch_->info.kernel,
                      "threads wait for each other at different barriers; the dispatch is stopped",
                      {},
                      event_of(one, "waiting", position_of(site_of_one)),
                      event_of(other, "waiting", position_of(site_of_other)),
                      1};
      return found;
    });
  }
  scheduler_.stop();
}

void GroupRunner::report_endless(const abi::Site* site, const void* pc) {
  fail(timeout);
  if (!options_.synccheck) return;
  log_.add({Check::synccheck, site ? site->file : pc, site ? number_of(*site, *site) : 0}, [&] {
    Finding found;
    const std::string message = fmt::format(
        "a threadgroup has not ended after {} steps: an endless loop? The dispatch is stopped", launch_->step_limit);
    found.report = {Check::synccheck,
                    launch_->info.kernel,
                    message,
                    {},
                    event_of(scheduler_.current(), "running", site ? position_of(*site) : SourcePosition{}),
                    {},
                    1};
    if (!site) {
      const CodePlace place = place_in(launch_->info, pc);
      found.object = place.object;
      found.offset = place.offset;
    }
    return found;
  });
}

void GroupRunner::overrun(const abi::Site& site, std::uint64_t index, const char* type) {
  log_.add({Check::memcheck, site.file, number_of(site)}, [&] {
    Finding found;
    found.report = {Check::memcheck,
                    launch_->info.kernel,
                    "an index outside of an array; its access is not performed, and its thread ends there",
                    fmt::format("index {} of {}", static_cast<std::int64_t>(index), type),
                    event_of(scheduler_.current(), "access", position_of(site)),
                    {},
                    1};
    return found;
  });
  end_by_fault();
}

void GroupRunner::fault(const void* address, const void* pc) {
  const bool is_overflow = scheduler_.current_fiber().guards(address);
  log_.add({Check::memcheck, pc, 0}, [&] {
    Finding found;
    found.report = {Check::memcheck,
                    launch_->info.kernel,
                    is_overflow ? fmt::format("a thread's own memory exceeds {} bytes", Fiber::stack_bytes)
                                : "the processor refused an access; its thread ends there",
                    is_overflow ? "" : name_of(launch_->info, address),
                    event_of(scheduler_.current(), "access", {}),
                    {},
                    1};
    const CodePlace place = place_in(launch_->info, pc);
    found.object = place.object;
    found.offset = place.offset + 1;  // the instruction itself, not the one after it
    return found;
  });
  end_by_fault();
}

}  // namespace assay::metal::emulator
