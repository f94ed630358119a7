#include "validation/transport/library/worker_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <random>
#include <stdexcept>
#include <system_error>

#include "validation/core/printable.h"
#include "validation/transport/library/started.h"
#include "validation/transport/library/worker_path.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX has programs declare it

namespace assay::validation::transport {
namespace {

[[noreturn]] void fail(int error, const std::string& what) {
  throw std::system_error(error, std::generic_category(), what);
}

constexpr std::size_t most_findings = std::size_t{1}
                                      << 32U;  ///< bytes: residues of the largest arrays that are followed

std::uint64_t drawn_number() {
  static std::random_device random;
  return (std::uint64_t{random()} << 32U) | random();
}

/// A duplicate of the descriptor, above those that the worker uses.
metal::Descriptor moved_up(int number) {
  metal::Descriptor file(fcntl(number, F_DUPFD_CLOEXEC, 16));
  if (file.number() < 0) fail(errno, "no file for a plug-in's process");
  return file;
}

/// Sets up the worker's file descriptors 0 to 4.
class FileActions {
 public:
  FileActions(int output, int socket, int memory) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, output, STDERR_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, socket, socket_file);
    posix_spawn_file_actions_adddup2(&actions_, memory, memory_file);
  }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }

  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

/// The worker leads a process group of its own, to which what the plug-in starts belongs.
class OwnGroup {
 public:
  OwnGroup() {
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes_, 0);
  }
  OwnGroup(const OwnGroup&) = delete;
  OwnGroup& operator=(const OwnGroup&) = delete;
  ~OwnGroup() { posix_spawnattr_destroy(&attributes_); }

  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

}  // namespace

std::string ended_by(int signal) {
  return fmt::format("was ended by signal {} ({})", signal, strsignal(signal));  // NOLINT(concurrency-mt-unsafe)
}

WorkerProcess::WorkerProcess(const std::string& library, const std::string& operation,
                             const std::vector<std::string>& operations, int memory)
    : output_(moved_up(anonymous_file().number())), mark_(new_mark()) {
  fcntl(output_.number(), F_SETFL, O_APPEND);
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) fail(errno, "no socket for a plug-in's process");
  const metal::Descriptor mine(ends[0]), given(ends[1]);
  // If the worker inherited our end as well, it would never notice that we closed it.
  for (const int end : ends) fcntl(end, F_SETFD, FD_CLOEXEC);
  socket_ = moved_up(mine.number());
  const metal::Descriptor theirs = moved_up(given.number()), shared = moved_up(memory);
  const std::string program = worker_path().string();
  std::vector<const char*> arguments = {program.c_str(), library.c_str(), operation.c_str()};
  for (const std::string& name : operations) arguments.push_back(name.c_str());
  arguments.push_back(nullptr);
  const FileActions files(output_.number(), theirs.number(), shared.number());
  const OwnGroup group;
  std::vector<char*> variables = {mark_.data()};
  for (char** one = environ; *one != nullptr; ++one) variables.push_back(*one);
  variables.push_back(nullptr);
  const int error = posix_spawn(&process_, program.c_str(), files.get(), group.get(),
                                const_cast<char* const*>(arguments.data()), variables.data());  // NOLINT: POSIX's type
  if (error != 0) {
    process_ = -1;
    fail(error, fmt::format("{} does not start", program));
  }
}

WorkerProcess::~WorkerProcess() {
  if (process_ < 0) return;
  kill(process_, SIGKILL);
  reap();
}

/// As long as the process has not been waited for, no other process or group can get its number.
int WorkerProcess::reap() {
  siginfo_t ended{};
  while (waitid(P_PID, static_cast<id_t>(process_), &ended, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
  }
  kill(-process_, SIGKILL);
  end_marked(mark_);
  int status = 0;
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  return status;
}

bool WorkerProcess::has_ended() const {
  siginfo_t ended{};
  return waitid(P_PID, static_cast<id_t>(process_), &ended, WEXITED | WNOWAIT | WNOHANG) == 0 && ended.si_pid != 0;
}

bool WorkerProcess::is_readable() const {
  pollfd readable{.fd = socket_.number(), .events = POLLIN, .revents = 0};
  return poll(&readable, 1, 0) > 0 && (readable.revents & POLLIN) != 0 && !has_ended();
}

/// A plug-in that has filled the socket with answers of its own may keep its process from reading.
void WorkerProcess::send(Request request, const CallDeadline& deadline, bool (*stop)()) {
  if (ftruncate(output_.number(), 0) != 0) fail(errno, "the output of a plug-in");
  was_early_ = is_readable();
  call_ = request.call = drawn_number();
  has_findings_ = request.follows != Follows::nothing;
  const auto* bytes = reinterpret_cast<const char*>(&request);
  for (std::size_t sent = 0; sent < sizeof request && !was_early_;) {
    pollfd writable{.fd = socket_.number(), .events = POLLOUT, .revents = 0};
    if (poll(&writable, 1, deadline.milliseconds()) <= 0 && (stop() || deadline.is_over())) return;
    const ssize_t count = ::send(socket_.number(), bytes + sent, sizeof request - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK)) continue;
    if (count <= 0) return;
    sent += static_cast<std::size_t>(count);
  }
}

/// If the plug-in has started processes, they have the worker's end of the socket open, also after the worker has
/// ended.
WorkerProcess::Got WorkerProcess::receive(void* data, std::size_t size, const CallDeadline& deadline, bool (*stop)()) {
  auto* bytes = static_cast<char*>(data);
  for (std::size_t got = 0; got < size;) {
    pollfd readable{.fd = socket_.number(), .events = POLLIN, .revents = 0};
    const bool had_ended = has_ended();  // before the socket is looked at: an answer may have come first
    const int ready = poll(&readable, 1, had_ended ? 0 : deadline.milliseconds());
    if (ready == 0 && had_ended) return Got::ended;
    if (ready <= 0 && (stop() || deadline.is_over())) return Got::late;
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    if (ready < 0) return Got::late;
    const ssize_t count = read(socket_.number(), bytes + got, size - got);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return Got::ended;
    got += static_cast<std::size_t>(count);
  }
  return Got::all;
}

WorkerProcess::Reply WorkerProcess::receive(const CallDeadline& deadline, bool (*stop)()) {
  Reply forged{.answer = std::nullopt, .is_forged = true};
  if (was_early_) return forged;
  Answer answer;
  if (const Got got = receive(&answer, sizeof answer, deadline, stop); got != Got::all)
    return {.answer = std::nullopt, .in_time = got != Got::late};
  if (answer.magic != protocol && call_ == 0)
    throw std::runtime_error(fmt::format("{} is not of this program's version", worker_path().string()));
  const bool fits = has_findings_ ? answer.findings_bytes <= most_findings : answer.findings_bytes == 0;
  if (answer.magic != protocol || answer.call != call_ || !fits) return forged;
  std::string findings(answer.findings_bytes, '\0');
  if (const Got got = receive(findings.data(), findings.size(), deadline, stop); got != Got::all)
    return {.answer = std::nullopt, .in_time = got != Got::late};
  return {answer, std::move(findings)};
}

std::string WorkerProcess::ending() {
  const int status = reap();
  if (WIFEXITED(status)) return fmt::format("called exit({})", WEXITSTATUS(status));
  return ended_by(WTERMSIG(status));
}

std::string WorkerProcess::last_words() const {
  constexpr off_t most = 400;
  struct stat file{};
  if (fstat(output_.number(), &file) != 0 || file.st_size == 0) return "";
  const off_t begin = std::max<off_t>(0, file.st_size - most);
  std::string text(static_cast<std::size_t>(file.st_size - begin), '\0');
  const ssize_t count = pread(output_.number(), text.data(), text.size(), begin);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  text = printable(text);
  while (text.ends_with('\n')) text.pop_back();
  std::string lines = begin > 0 ? "\n    ..." : "\n    ";
  for (const char letter : text) lines += letter == '\n' ? std::string("\n    ") : std::string(1, letter);
  return "\n  it had printed" + lines;
}

}  // namespace assay::validation::transport
