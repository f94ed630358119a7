#include "metal/emulator/compile/cleanup.h"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>

namespace assay::metal::emulator {

namespace {

constexpr std::array signals = {SIGINT, SIGTERM, SIGHUP};

struct Leftovers {
  std::mutex mutex;
  std::set<std::filesystem::path> folders;
  std::set<pid_t> processes;
};

/// Never destroyed: a signal may come while the program ends.
Leftovers& leftovers() {
  static auto* const all = new Leftovers;  // NOLINT(cppcoreguidelines-owning-memory)
  return *all;
}

std::atomic<bool> is_installed = false;
std::array<int, 2> pipe_ends = {-1, -1};

/// A signal handler may call few functions besides write(). The thread that reads from the pipe does the rest.
void pass_on(int signal) {
  const int kept = errno;
  const auto number = static_cast<unsigned char>(signal);
  [[maybe_unused]] const auto written = write(pipe_ends[1], &number, 1);
  errno = kept;
}

/// The mutex stays locked, so that nothing new is begun before the process ends.
void clean_up_and_end() {
  unsigned char number = 0;
  while (read(pipe_ends[0], &number, 1) != 1) {
  }
  Leftovers& all = leftovers();
  all.mutex.lock();
  for (const pid_t process : all.processes) kill(-process, SIGKILL);
  std::error_code ignored;
  for (const auto& folder : all.folders) std::filesystem::remove_all(folder, ignored);
  struct sigaction action{};
  action.sa_handler = SIG_DFL;
  sigaction(number, &action, nullptr);
  kill(getpid(), number);
}

}  // namespace

void clean_up_when_interrupted() {
  if (is_installed.exchange(true)) return;
  if (pipe(pipe_ends.data()) != 0) return;
  std::thread(clean_up_and_end).detach();
  struct sigaction action{};
  action.sa_handler = &pass_on;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const int signal : signals) sigaction(signal, &action, nullptr);
}

bool cleans_up_when_interrupted() {
  return is_installed;
}

void note_folder(const std::filesystem::path& folder) {
  const std::lock_guard lock(leftovers().mutex);
  leftovers().folders.insert(folder);
}

void forget_folder(const std::filesystem::path& folder) {
  const std::lock_guard lock(leftovers().mutex);
  leftovers().folders.erase(folder);
}

void note_process(pid_t process) {
  const std::lock_guard lock(leftovers().mutex);
  leftovers().processes.insert(process);
}

void forget_process(pid_t process) {
  const std::lock_guard lock(leftovers().mutex);
  leftovers().processes.erase(process);
}

}  // namespace assay::metal::emulator
