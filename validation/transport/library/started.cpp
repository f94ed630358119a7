#include "validation/transport/library/started.h"

#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <thread>

namespace assay::validation::transport {
namespace {

bool has_mark(const std::filesystem::path& process, const std::string& mark) {
  std::ifstream file(process / "environ");
  const std::string variables = '\0' + std::string(std::istreambuf_iterator<char>(file), {});
  return variables.find('\0' + mark + '\0') != std::string::npos;
}

/// How many processes were told to end.
int end_those_found(const std::string& mark) {
  int count = 0;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", none)) {
    const auto process = static_cast<pid_t>(std::atoi(entry.path().filename().c_str()));
    if (process > 0 && process != getpid() && has_mark(entry.path(), mark) && kill(process, SIGKILL) == 0) ++count;
  }
  return count;
}

}  // namespace

std::string new_mark() {
  static std::atomic<int> count = 0;
  return std::string(mark_name) + "=" + std::to_string(getpid()) + "-" + std::to_string(++count);
}

void end_marked(const std::string& mark) {
  constexpr int most = 100;  // what is found may start others while it is looked for
  for (int i = 0; i < most && end_those_found(mark) > 0; ++i) usleep(1000);
}

void leave() {
  if (const char* const mark = std::getenv(mark_name)) end_marked(std::string(mark_name) + "=" + mark);
  if (getpgrp() == getpid()) kill(0, SIGKILL);
  _exit(0);
}

void leave_when_closed(int file) {
  std::thread([file] {
    pollfd closed{.fd = file, .events = 0, .revents = 0};
    while (poll(&closed, 1, -1) < 0 && errno == EINTR) {
    }
    leave();
  }).detach();
}

}  // namespace assay::validation::transport
