// The faults that end threads and groups early, and their reports.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string>

#include "metal/device/read_file.h"
#include "metal/emulator/check/symbolizer.h"
#include "metal/emulator/compile/message.h"
#include "metal/emulator/dispatch/events.h"
#include "metal/emulator/dispatch/group_runner.h"
#include "metal/emulator/dispatch/log_format.h"

namespace assay::metal::emulator {

SourcePosition position_of(const abi::Site& site) {
  return {std::filesystem::path(site.file).lexically_normal(), site.line, site.column};
}

std::string waiting_at(const abi::Site& site) {
  return *site.operation == '\0' ? "waiting" : fmt::format("waiting at {}", site.operation);
}

namespace {

constexpr const char* all_come =
    "move the barrier to where all threads come to it as often, out of the branch, the loop or behind the return";
constexpr const char* page_fault =
    "Caused GPU Address Fault Error (0000000b:kIOGPUCommandBufferCallbackErrorPageFault)";
constexpr const char* timeout = "Caused GPU Timeout Error (00000002:kIOGPUCommandBufferCallbackErrorTimeout)";

/// The name of the array whose index is at this place of its file: an identifier in front of [. Empty if the file is
/// not there, or has something else at this place, as after a macro on the same line.
std::string array_at(const abi::Site& site) {
  const auto lines = read_named_lines(site.file);
  if (!lines || site.line == 0 || site.line > lines->size()) return {};
  const std::string& line = (*lines)[site.line - 1];
  if (site.column == 0 || site.column > line.size()) return {};
  const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  const auto begin = line.begin() + (site.column - 1), end = std::find_if_not(begin, line.end(), is_part);
  const auto next = std::find_if_not(end, line.end(), [](char c) { return c == ' '; });
  return next != line.end() && *next == '[' ? std::string(begin, end) : std::string();
}

/// A key for one site, or for two.
std::uintptr_t number_of(const abi::Site& site, const abi::Site& other = {}) {
  const auto number = [](const abi::Site& place) { return std::uintptr_t{place.line} << 12 ^ place.column; };
  return number(site) << 32 ^ number(other);
}

}  // namespace

Event GroupRunner::event_of(std::uint32_t thread, std::string action, SourcePosition position) const {
  return {std::move(action), launch_->info.grid.place_of(group_, thread), std::move(position)};
}

Finding GroupRunner::finding(Check check, std::string message, Event event, std::optional<Event> other) const {
  Finding found;
  found.report = {check, launch_->info.kernel, std::move(message), {}, std::move(event), std::move(other), 1};
  return found;
}

void GroupRunner::end_by_fault() {
  end_by_fault(page_fault);
}

void GroupRunner::end_by_fault(const std::string& error) {
  fail(error);
  if (checker_) checker_->note_fault();
  note_yielded();
  barriers_.finish(scheduler_.current(), true);
  scheduler_.end_current();
}

void GroupRunner::barrier_skipped(std::uint32_t waiting, const abi::Site& site, std::uint32_t finished) {
  if (!options_.synccheck) return;
  log_.add({Check::synccheck, site.file, number_of(site)}, [&] {
    Finding found = finding(Check::synccheck, "a thread has ended without coming to a barrier",
                            event_of(waiting, waiting_at(site), position_of(site)),
                            event_of(finished, "ended", launch_->info.position));
    found.report.advice = all_come;
    return found;
  });
}

void GroupRunner::barriers_differ(std::uint32_t one, const abi::Site& site_of_one, std::uint32_t other,
                                  const abi::Site& site_of_other) {
  fail(timeout);
  if (options_.synccheck)
    log_.add({Check::synccheck, site_of_one.file, number_of(site_of_one, site_of_other)}, [&] {
      Finding found =
          finding(Check::synccheck, "threads wait for each other at different barriers; the dispatch is stopped",
                  event_of(one, waiting_at(site_of_one), position_of(site_of_one)),
                  event_of(other, waiting_at(site_of_other), position_of(site_of_other)));
      found.report.advice = all_come;
      return found;
    });
  scheduler_.stop();
}

void GroupRunner::report_endless(const abi::Site* site, const void* pc) {
  fail(timeout);
  if (!options_.synccheck) return;
  log_.add({Check::synccheck, site ? site->file : pc, site ? number_of(*site, *site) : 0}, [&] {
    Finding found =
        finding(Check::synccheck,
                fmt::format("a threadgroup has not ended after {} steps: an endless loop? The dispatch is stopped",
                            launch_->step_limit),
                event_of(scheduler_.current(), "running", site ? position_of(*site) : SourcePosition{}));
    found.report.advice = "look for a loop whose condition never becomes false, or that waits for another thread";
    if (!site) {
      const CodePlace place = place_in(launch_->info, pc);
      found.object = place.object;
      found.offset = place.offset;
    }
    return found;
  });
}

void GroupRunner::index_out_of_bounds(const abi::Site& site, std::uint64_t index, const char* type, std::uint64_t count,
                                      const void* pc) {
  const bool has_line = site.line > 0;
  log_.add({Check::memcheck, has_line ? site.file : pc, number_of(site)}, [&] {
    Finding found =
        finding(Check::memcheck, "an index outside of an array; its access is not performed, and its thread ends there",
                event_of(scheduler_.current(), "access", has_line ? position_of(site) : SourcePosition{}));
    found.report.advice = "keep the index below the length of the array";
    const auto shown = static_cast<std::int64_t>(index);
    if (has_line) {
      const std::string name = array_at(site);
      found.report.address = fmt::format("index {} of {}{}", shown, name.empty() ? "" : fmt::format("`{}`, ", name),
                                         without_own_types(type));
    } else {
      found.report.address = fmt::format("index {} of the {} {}", shown, count, type);
      const CodePlace place = place_in(launch_->info, pc);
      found.object = place.object;
      found.offset = place.offset;
    }
    return found;
  });
  end_by_fault();
}

void GroupRunner::log(const char* format, std::span<const abi::LogValue> values, const abi::Site& site) const {
  log_.add_message({log_text(format ? format : "", values), launch_->info.grid.place_of(group_, scheduler_.current()),
                    position_of(site)});
}

void GroupRunner::texture_out_of_bounds(const abi::Texture& texture, const abi::TexelPlace& place,
                                        const abi::Site& site) {
  log_.add({Check::memcheck, site.file, number_of(site)}, [&] {
    Finding found =
        finding(Check::memcheck, "a texel outside of a texture; its access is not performed, and its thread ends there",
                event_of(scheduler_.current(), site.operation, position_of(site)));
    found.report.address = name_of(launch_->info, texture, place);
    found.report.advice = "compare the coordinates with the texture's size before the access";
    return found;
  });
  end_by_fault();
}

void GroupRunner::fault(const void* address, const void* pc) {
  const bool is_overflow = scheduler_.current_fiber().guards(address);
  log_.add({Check::memcheck, pc, 0}, [&] {
    Finding found = finding(Check::memcheck,
                            is_overflow ? fmt::format("a thread's own memory exceeds {} bytes", Fiber::stack_bytes)
                                        : "the processor refused an access; its thread ends there",
                            event_of(scheduler_.current(), "access", {}));
    found.report.advice = is_overflow ? "move large arrays to device or threadgroup memory, and end recursion"
                                      : "look for a pointer or an index that is far out of bounds";
    if (!is_overflow) found.report.address = name_of(launch_->info, address);
    const CodePlace place = place_in(launch_->info, pc);
    found.object = place.object;
    found.offset = place.offset + 1;  // a lookup takes the instruction before the offset, a call; here it is this one
    return found;
  });
  end_by_fault();
}

void GroupRunner::refused_instruction(const void* pc) {
  log_.add({Check::memcheck, pc, 0}, [&] {
    Finding found = finding(Check::memcheck, "the processor refused an instruction; its thread ends there",
                            event_of(scheduler_.current(), "running", {}));
    found.report.advice = "look for what C++ leaves undefined, as a function that ends without its return";
    const CodePlace place = place_in(launch_->info, pc);
    found.object = place.object;
    found.offset = place.offset + 1;
    return found;
  });
  end_by_fault(fmt::format("kernel {}: the processor refused an instruction", launch_->info.kernel));
}

}  // namespace assay::metal::emulator
