#include "validation/transport/library/started.h"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

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

}  // namespace assay::validation::transport
