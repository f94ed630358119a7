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
#include <utility>
#include <vector>

namespace assay::validation {
namespace {

/// A text travels after its length.
using Length = std::uint64_t;

/// Writes all of it; false if nobody reads any more.
bool write_all(int pipe, const char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t written = write(pipe, bytes, count);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes += written;
    count -= static_cast<std::size_t>(written);
  }
  return true;
}

}  // namespace

TaskProcesses::~TaskProcesses() {
  for (auto& [index, task] : open_) {
    if (task.process > 0) kill(task.process, SIGKILL);
    end(task);
  }
}

std::optional<std::string> TaskProcesses::next(std::int64_t index, const std::function<bool()>& stop) {
  for (; !open_.empty() && open_.begin()->first < index; open_.erase(open_.begin())) {
    Task& earlier = open_.begin()->second;
    if (earlier.process > 0) kill(earlier.process, SIGKILL);
    end(earlier);
  }
  while (!stop()) {
    begin_tasks(index);
    Task& task = open_.at(index);
    if (!task.texts.empty()) {
      std::string text = std::move(task.texts.front());
      task.texts.pop_front();
      return text;
    }
    if (task.process < 0) return std::nullopt;
    listen();
  }
  return std::nullopt;
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
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return {};
  for (const int one : ends) fcntl(one, F_SETFD, FD_CLOEXEC);
  std::fflush(nullptr);  // or the copy would hold the same text
  const pid_t process = fork();
  if (process == 0) work(index, ends[1]);
  close(ends[1]);
  if (process < 0) {
    close(ends[0]);
    return {};
  }
  return {process, ends[0]};
}

/// In the copy. It ends without the clean-up of a program, which belongs to the original.
void TaskProcesses::work(std::int64_t index, int pipe) const {
  int status = 0;
  try {
    work_(index, [&](const std::string& text) {
      const Length length = text.size();
      std::array<char, sizeof length> head{};
      std::memcpy(head.data(), &length, sizeof length);
      if (!write_all(pipe, head.data(), head.size()) || !write_all(pipe, text.data(), text.size())) _exit(1);
    });
  } catch (...) {
    status = 1;  // the original does what is missing, and meets the exception itself
  }
  _exit(status);
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

void TaskProcesses::end(Task& task) {
  if (task.process <= 0) return;
  close(task.pipe);
  while (waitpid(task.process, nullptr, 0) < 0 && errno == EINTR) {
  }
  task.process = -1;
}

}  // namespace assay::validation
