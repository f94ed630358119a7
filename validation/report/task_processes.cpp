#include "validation/report/task_processes.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "metal/system/system.h"
#include "validation/core/file.h"

namespace assay::validation {
namespace {

/// The type of the length that is sent before each text.
using Length = std::uint64_t;

/// The two ends of a pipe, to read from and to write to, which no other program inherits; none if the system has no
/// more.
std::optional<std::array<int, 2>> new_pipe() {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return std::nullopt;
  for (const int one : ends) fcntl(one, F_SETFD, FD_CLOEXEC);
  return ends;
}

}  // namespace

TaskProcesses::TaskProcesses(std::vector<Range> order, std::size_t at_once, Work work)
    : order_(std::move(order)), at_once_(at_once), work_(std::move(work)) {
  const auto ends = new_pipe();
  if (!ends) throw std::system_error(errno, std::generic_category(), "no pipe to the processes of the tasks");
  watched_ = (*ends)[0];
  going_on_ = (*ends)[1];
}

TaskProcesses::~TaskProcesses() {
  for (auto& [index, task] : open_) end(task);
  tell_to_stop();
  close(watched_);
}

std::optional<std::string> TaskProcesses::next(std::int64_t index, const std::function<bool()>& stop) {
  for (; !open_.empty() && open_.begin()->first < index; open_.erase(open_.begin())) end(open_.begin()->second);
  for (;;) {
    if (stop()) tell_to_stop();
    if (going_on_ >= 0) begin_tasks(index);
    const auto found = open_.find(index);
    if (found == open_.end()) return std::nullopt;
    Task& task = found->second;
    if (!task.texts.empty()) {
      std::string text = std::move(task.texts.front());
      task.texts.pop_front();
      return text;
    }
    if (task.process < 0) return std::nullopt;
    listen();
  }
}

void TaskProcesses::tell_to_stop() {
  if (going_on_ >= 0) close(going_on_);
  going_on_ = -1;
}

void TaskProcesses::begin_tasks(std::int64_t asked) {
  if (!open_.contains(asked)) open_.emplace(asked, begin(asked));
  auto at_work = static_cast<std::size_t>(
      std::count_if(open_.begin(), open_.end(), [](const auto& one) { return one.second.process > 0; }));
  for (; at_work < at_once_; ++at_work) {
    const auto one = next_in_order(asked);
    if (!one) return;
    open_.emplace(*one, begin(*one));
  }
}

std::optional<std::int64_t> TaskProcesses::next_in_order(std::int64_t asked) {
  for (; range_ < order_.size(); ++range_) {
    auto& [first, end] = order_[range_];
    while (first < end && (first < asked || open_.contains(first))) ++first;
    if (first < end) return first++;
  }
  return std::nullopt;
}

TaskProcesses::Task TaskProcesses::begin(std::int64_t index) {
  const auto ends = new_pipe();
  if (!ends) return {};
  const auto [from_task, to_original] = *ends;
  std::fflush(nullptr);  // otherwise the copy would print the buffered text again
  const pid_t process = fork();
  if (process == 0) work(index, to_original);
  close(to_original);
  if (process < 0) {
    close(from_task);
    return {};
  }
  return {process, from_task};
}

/// Runs in the copy, and ends it by _exit: clean-up belongs to the original.
void TaskProcesses::work(std::int64_t index, int pipe) const {
  metal::system::end_with_parent(SIGKILL);
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, SIG_IGN);
  close(going_on_);
  const auto send = [&](const std::string& text) {
    const Length length = text.size();
    const std::string_view head(reinterpret_cast<const char*>(&length), sizeof length);
    if (!write_all(pipe, head) || !write_all(pipe, text)) _exit(1);
  };
  const auto stop = [&] {
    pollfd watched{watched_, 0, 0};  // no event but the closing of the other end
    return poll(&watched, 1, 0) > 0;
  };
  try {
    work_(index, {send, stop});
  } catch (...) {
    _exit(1);  // the original repeats the task, and the exception is thrown there
  }
  _exit(0);
}

/// Waits up to a tenth of a second for what any task sends.
void TaskProcesses::listen() {
  std::vector<Task*> at_work;
  std::vector<pollfd> polled;
  for (auto& [index, task] : open_) {
    if (task.process <= 0) continue;
    at_work.push_back(&task);
    polled.push_back({task.pipe, POLLIN, 0});
  }
  if (poll(polled.data(), static_cast<nfds_t>(polled.size()), 100) <= 0) return;
  for (std::size_t i = 0; i < polled.size(); ++i)
    if (polled[i].revents != 0) receive(*at_work[i]);
}

void TaskProcesses::receive(Task& task) {
  std::array<char, 1 << 16> buffer{};
  const ssize_t got = read(task.pipe, buffer.data(), buffer.size());
  if (got < 0 && errno == EINTR) return;
  if (got <= 0) return end(task);
  task.bytes.append(buffer.data(), static_cast<std::size_t>(got));
  for (Length length = 0; task.bytes.size() >= sizeof length;) {
    std::memcpy(&length, task.bytes.data(), sizeof length);
    if (task.bytes.size() - sizeof length < length) return;
    task.texts.push_back(task.bytes.substr(sizeof length, length));
    task.bytes.erase(0, sizeof length + length);
  }
}

/// Kills the task's process if it is still running.
void TaskProcesses::end(Task& task) {
  if (task.process <= 0) return;
  kill(task.process, SIGKILL);
  close(task.pipe);
  while (waitpid(task.process, nullptr, 0) < 0 && errno == EINTR) {
  }
  task.process = -1;
}

}  // namespace assay::validation
