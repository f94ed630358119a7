#include "validation/transport/library/plugin.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "validation/core/call_time.h"
#include "validation/core/explanation.h"
#include "validation/core/followed_run.h"
#include "validation/core/kernel_died.h"
#include "validation/core/printable.h"
#include "validation/core/support.h"
#include "validation/transport/library/call_ends.h"
#include "validation/transport/library/findings.h"

namespace assay::validation::transport {
namespace {

std::atomic<double> seconds_allowed = 10;
constexpr double far_patience = 3;        ///< arrays past 2^32 elements get so many times the time limit
constexpr double followed_patience = 30;  ///< and so many times a call whose operations are followed

/// Whether some array is past 2^32 elements.
bool is_far(const Request& request) {
  return std::ranges::any_of(request.slots, [](const Slot& slot) { return slot.far.bytes > 0; });
}

std::string require_library(const std::string& path) {
  // The words of a line that replays a failure are separated by white space.
  if (path.find_first_of(" \t\n'") != std::string::npos)
    throw std::invalid_argument(fmt::format("kernel '{}': expected a path without spaces and quotes", path));
  std::error_code problem;
  const auto status = std::filesystem::status(path, problem);
  if (!std::filesystem::is_regular_file(status)) {
    const char* const is = std::filesystem::is_directory(status) ? "it is a folder"
                           : std::filesystem::exists(status)     ? "it is a device or a pipe"
                                                                 : "there is no such file";
    throw std::invalid_argument(fmt::format("kernel '{}': {}; expected a shared library", path, is));
  }
  return std::filesystem::absolute(path).string();
}

std::string text_of(const char* begin, std::size_t size) {
  return {begin, std::find(begin, begin + size, '\0')};
}

}  // namespace

bool is_library(const std::string& name) {
  if (name.ends_with(".json")) return false;  // another kind of plug-in
  return name.find('/') != std::string::npos || name.ends_with(".so") || name.ends_with(".dylib");
}

void set_time_limit(double seconds) {
  const bool sensible = seconds > 0 && seconds <= 1e6;
  if (!sensible) throw std::invalid_argument(fmt::format("time limit {}: expected seconds above 0", seconds));
  seconds_allowed = seconds;
}

Plugin::Plugin(const std::string& path, std::string operation, std::vector<std::string> operations)
    : path_(path),
      library_(require_library(path)),
      operation_(std::move(operation)),
      operations_(std::move(operations)),
      process_(start()) {
  const std::string name = text_of(loaded_.name.data(), loaded_.name.size());
  if (!name.empty()) name_ = fmt::format("the plug-in '{}'", printable_line(name));
}

std::string Plugin::symbol() const {
  return "assay_" + operation_;
}

std::unique_ptr<WorkerProcess> Plugin::start() const {
  auto process = std::make_unique<WorkerProcess>(library_, operation_, operations_, memory_.file());
  const CallDeadline deadline = process->deadline(seconds_allowed);
  const auto reply = process->receive(deadline, call_ends());
  if (reply.is_forged) throw std::runtime_error(path_ + ": while being loaded it wrote into its process's socket");
  if (!reply.in_time) throw std::runtime_error(fmt::format("{}: not loaded within {}", path_, deadline.text()));
  if (!reply.answer || reply.answer->event == Event::faulted) {
    const std::string words = process->last_words();
    const std::string how = reply.answer ? ended_by(reply.answer->signal) : process->ending();
    throw std::runtime_error(fmt::format("{}: while being loaded it {}{}", path_, how, words));
  }
  loaded_ = *reply.answer;
  if (loaded_.event != Event::loaded)
    throw std::invalid_argument(fmt::format("{}: {}", path_, text_of(loaded_.message.data(), loaded_.message.size())));
  return process;
}

WorkerProcess& Plugin::process() const {
  if (!process_) process_ = start();
  return *process_;
}

/// Shrinking calls a hanging kernel again and again, so a kernel that has hung before gets a shorter limit.
Plugin::Seconds Plugin::time_limit() const {
  const Seconds limit(seconds_allowed.load());
  return has_hung_ ? std::min(limit, std::max(limit / 10, 3 * longest_)) : limit;
}

void Plugin::died(const std::string& how) const {
  const std::string words = process_ ? process_->last_words() : "";
  process_.reset();
  throw KernelDied(name_ + " " + how + words);
}

WorkerProcess::Reply Plugin::ask(const Request& request) const {
  const bool far = is_far(request);
  WorkerProcess& worker = process();
  const auto start = Clock::now();
  const double patience = far ? far_patience : request.follows != Follows::nothing ? followed_patience : 0;
  const Seconds limit = patience > 0 ? Seconds(patience * seconds_allowed.load()) : time_limit();
  const CallDeadline deadline = worker.deadline(limit.count(), hangs_waiting_ ? 1 : CallDeadline::patience_for_waiting);
  worker.send(request, deadline, call_ends());
  const auto reply = worker.receive(deadline, call_ends());
  if (reply.is_forged) died("wrote into the socket by which its process answers");
  if (!reply.in_time && call_ends()()) died("was interrupted");
  if (!reply.in_time && far) {
    process_.reset();
    throw Unsupported(fmt::format("the kernel needs more than {:g} s for arrays past 2^32 elements", limit.count()));
  }
  if (!reply.in_time) {
    const char* const less = std::exchange(has_hung_, true) ? "; this was less, as it had hung before" : "";
    hangs_waiting_ = deadline.is_waiting();
    died(fmt::format("did not return within {} (a longer time limit gives it more{})", deadline.text(), less));
  }
  if (!reply.answer) died(worker.ending());
  if (request.follows == Follows::numerics && !reply.findings.empty()) {
    NumericFindings found = findings_of(reply.findings);
    Explanation::current()->take(found.reports, found.losses);
  }
  processor_time_elsewhere += reply.answer->processor_time;
  if (!far) longest_ = std::max<Seconds>(longest_, Clock::now() - start);
  return reply;
}

const Answer& Plugin::loaded() const {
  const std::scoped_lock lock(one_call_at_a_time_);
  process();
  return loaded_;
}

void Plugin::call(Request request, std::span<const Array> arrays, std::int64_t alignment) const {
  const std::scoped_lock lock(one_call_at_a_time_);
  process();  // which says whether the library is instrumented
  const bool is_instrumented = loaded_.is_instrumented != 0;
  if (FollowedRun::current() != nullptr && is_instrumented) {
    request.follows = Follows::algebra;
    request.chain = static_cast<std::uint32_t>(reference::chain_in_use);
    request.roots_are_turned = reference::roots_are_turned ? 1 : 0;
  } else if (Explanation* const explanation = Explanation::current()) {
    if (is_instrumented) request.follows = Follows::numerics;
    if (!is_instrumented) explanation->note_not_instrumented(path_);
  }
  memory_.put(arrays, static_cast<std::size_t>(alignment), request);
  try {
    const WorkerProcess::Reply reply = ask(request);
    take(*reply.answer);
    if (request.follows == Follows::algebra) give_residues(request, arrays, reply.findings);
  } catch (const KernelDied& death) {
    if (!is_far(request) || call_ends()()) throw;
    const std::string how = death.what();
    throw Unsupported("it has no memory for arrays past 2^32 elements, or fails: " + how.substr(0, how.find('\n')));
  }
}

void Plugin::give_residues(const Request& request, std::span<const Array> arrays, std::string_view residues) {
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const Slot& slot = request.slots.at(i);
    if (!has_residues(slot)) continue;
    for (std::size_t at = 0; at < arrays[i].bytes; at += slot.element) {
      reference::Residue residue;
      if (residues.size() < sizeof residue) throw std::runtime_error("a plug-in's worker: expected more residues");
      std::memcpy(&residue, residues.data(), sizeof residue);
      residues.remove_prefix(sizeof residue);
      FollowedRun::current()->give(arrays[i].output + at, residue);
    }
  }
}

void Plugin::take(const Answer& answer) const {
  if (answer.event == Event::faulted) died(memory_.describe(answer));
  if (const std::string out_of_bounds_write = memory_.out_of_bounds_write(); !out_of_bounds_write.empty())
    died(out_of_bounds_write);
  if (const std::string changed_input = memory_.changed_input(); !changed_input.empty()) died(changed_input);
  const std::string message = text_of(answer.message.data(), answer.message.size());
  switch (answer.status) {
    case ASSAY_OK:
      return memory_.get();
    case ASSAY_REFUSED:
      memory_.get();
      throw std::invalid_argument(message);
    case ASSAY_FAILED:
      died("failed: " + (message.empty() ? "it does not say why" : message));
    case ASSAY_UNSUPPORTED:
      throw Unsupported::said_by_kernel(printable(message));
    default:
      died(fmt::format("returned {}, which is none of ASSAY_OK, ASSAY_REFUSED, ASSAY_FAILED and ASSAY_UNSUPPORTED",
                       answer.status));
  }
}

void Plugin::copy_declaration(void* kernel, std::size_t size) const {
  assay_header header{};
  std::memcpy(&header, loaded_.declaration.data(), sizeof header);
  std::memcpy(kernel, loaded_.declaration.data(), std::min<std::size_t>(size, header.struct_size));
  for (std::size_t at = size; at < header.struct_size; ++at)
    if (loaded_.declaration.at(at) != std::byte{0})
      throw std::invalid_argument(
          fmt::format("{}: {} declares what this program does not know, {} bytes into the struct: build the plug-in "
                      "with the assay_plugin.h that came with this program",
                      path_, symbol(), at));
}

}  // namespace assay::validation::transport
