#include "metal/emulator/compile/child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "metal/device/descriptor.h"
#include "metal/system/system.h"

namespace assay::metal::emulator {

namespace {

using Resource = decltype(RLIMIT_CPU);

/// All that the new process needs, made before it starts: it must not allocate memory.
struct Start {
  std::vector<char*> words = {};
  std::array<int, 3> streams{};
  bool has_own_group = false;
  std::array<std::pair<Resource, rlimit>, 4> limits{};
  pid_t parent = 0;
  sigset_t signals = {};
  int failure = -1;  ///< a pipe that takes errno
};

/// `most` units, 0 for any number, under a limit of this process.
std::pair<Resource, rlimit> lowered(Resource resource, std::uint64_t most) {
  rlimit limit{};
  getrlimit(resource, &limit);
  if (most != 0) limit.rlim_cur = limit.rlim_max = std::min<rlim_t>(limit.rlim_cur, most);
  return {resource, limit};
}

/// A handler of this process would run in the memory of this process. Writing beyond a limit is an error of the write.
void reset_signals(const sigset_t& mask) {
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action{};
    if (sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = signal == SIGXFSZ ? SIG_IGN : SIG_DFL;
    sigaction(signal, &action, nullptr);
  }
  sigprocmask(SIG_SETMASK, &mask, nullptr);
}

int become(void* argument) {
  const auto& start = *static_cast<const Start*>(argument);
  system::end_with_parent(SIGKILL);
  if (getppid() != start.parent) return 1;  // it ended before
  if (start.has_own_group) setpgid(0, 0);
  for (const auto& [resource, limit] : start.limits) setrlimit(resource, &limit);
  for (int n = 0; n < 3; ++n) dup2(start.streams[static_cast<std::size_t>(n)], n);
  reset_signals(start.signals);
  execvp(start.words[0], start.words.data());
  const int reason = errno;
  [[maybe_unused]] const auto written = write(start.failure, &reason, sizeof reason);
  return 127;
}

/// A duplicate above the standard streams, any of which may be closed in this process.
Descriptor above_streams(int number) {
  return Descriptor(fcntl(number, F_DUPFD_CLOEXEC, 3));
}

/// The two ends of a pipe that a new program does not inherit.
std::pair<Descriptor, Descriptor> closed_by_exec() {
  std::array<int, 2> ends = {-1, -1};
  if (pipe(ends.data()) != 0) return {};
  const Descriptor first(ends[0]), second(ends[1]);
  return {above_streams(first.number()), above_streams(second.number())};
}

/// The process, or -1 and errno.
pid_t started(Start& start) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &start.signals);
  const pid_t process = system::start_process(become, &start);
  const int reason = errno;
  pthread_sigmask(SIG_SETMASK, &start.signals, nullptr);
  errno = reason;
  return process;
}

}  // namespace

pid_t start_child(const ChildProgram& program) {
  std::vector<std::string> words = program.words;
  const std::array<Descriptor, 3> streams = {above_streams(program.input), above_streams(program.output),
                                             above_streams(program.messages)};
  auto [reasons, failure] = closed_by_exec();
  if (!streams[0] || !streams[1] || !streams[2] || !failure) return -1;
  const ChildLimits& limits = program.limits;
  Start start{.has_own_group = program.has_own_group,
              .limits = {lowered(RLIMIT_CPU, limits.cpu_seconds),
                         lowered(RLIMIT_AS, limits.memory_bytes),
                         lowered(RLIMIT_FSIZE, limits.file_bytes),
                         {RLIMIT_CORE, {}}},
              .parent = getpid(),
              .failure = failure.number()};
  for (std::string& word : words) start.words.push_back(word.data());
  start.words.push_back(nullptr);
  for (std::size_t n = 0; n < 3; ++n) start.streams[n] = streams[n].number();
  const pid_t process = started(start);
  if (process < 0) return -1;
  failure = Descriptor();
  int reason = 0;
  ssize_t got = 0;
  while ((got = read(reasons.number(), &reason, sizeof reason)) < 0 && errno == EINTR) {
  }
  if (got != sizeof reason) return process;
  while (waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
  }
  errno = reason;
  return -1;
}

}  // namespace assay::metal::emulator
