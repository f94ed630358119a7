#include "metal/emulator/compile/clang.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <sstream>

#include "metal/device/program_file.h"
#include "metal/device/read_file.h"
#include "metal/emulator/compile/cleanup.h"
#include "metal/emulator/compile/files.h"

extern char** environ;

namespace assay::metal::emulator {

namespace {

constexpr const char* advice =
    "install the package clang-19 (apt-get install clang-19), or name a clang++ of version 17 or later in ASSAY_CLANG";

/// Redirects a program's standard streams to files.
class Streams {
 public:
  Streams(const std::string& input, const std::string& output, const std::string& messages) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, input.c_str(), O_RDONLY, 0);
    constexpr int overwrite = O_WRONLY | O_CREAT | O_TRUNC;
    posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, output.c_str(), overwrite, 0600);
    posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, messages.c_str(), overwrite, 0600);
  }
  ~Streams() { posix_spawn_file_actions_destroy(&actions_); }
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;

  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

/// Gives the compiler a process group of its own if this program ends its compilers when it is interrupted. Otherwise
/// the compiler stays in the group that Ctrl-C reaches.
class Group {
 public:
  Group() {
    posix_spawnattr_init(&attributes_);
    if (cleans_up_when_interrupted()) posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP);
  }
  ~Group() { posix_spawnattr_destroy(&attributes_); }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

/// The exit status, or 128 plus the number of the signal that ended the process.
int wait_for(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

Result<std::string> version_of(const std::string& path) {
  auto folder = TemporaryFolder::make(std::filesystem::temp_directory_path());
  if (!folder) return tl::make_unexpected(folder.error());
  const auto output = folder->path() / "version";
  const auto run = run_clang({path, {}}, {"--version"}, "/dev/null", output);
  if (!run) return tl::make_unexpected(run.error());
  const std::string text = read_file(output).value_or("");
  if (run->status != 0 || text.find("clang version") == std::string::npos)
    return error(Error::Kind::environment, fmt::format("'{}' is not clang: {}", path, advice));
  return text.substr(0, text.find('\n'));
}

Result<void> link_nothing(const Clang& clang) {
  auto folder = TemporaryFolder::make(std::filesystem::temp_directory_path());
  if (!folder) return tl::make_unexpected(folder.error());
  const auto library = folder->path() / "library";
  const auto run = run_clang(clang, {"-shared", "-nostdlib++", "-x", "c", "-o", library.string(), "-"}, "/dev/null",
                             folder->path() / "output");
  if (!run) return tl::make_unexpected(run.error());
  if (run->status == 0) return {};
  return error(Error::Kind::environment,
               fmt::format("'{}' cannot link a shared library: install a linker and the C library (apt-get install "
                           "binutils libc6-dev), and put the linker on the PATH\n{}",
                           clang.path, run->messages.substr(0, run->messages.find('\n'))));
}

}  // namespace

Result<Clang> find_clang() {
  const char* chosen = std::getenv("ASSAY_CLANG");  // NOLINT(concurrency-mt-unsafe): nothing here writes it
  return clang_at(chosen != nullptr && *chosen != '\0' ? chosen : ASSAY_CLANG);
}

Result<Clang> clang_at(const std::string& path) {
  static std::mutex mutex;
  static std::map<std::string, std::string> versions;
  Clang clang{path, {}};
  const std::lock_guard lock(mutex);
  if (const auto known = versions.find(clang.path); known != versions.end()) {
    clang.version = known->second;
    return clang;
  }
  const auto version = version_of(clang.path);
  if (!version) return tl::make_unexpected(version.error());
  clang.version = versions[clang.path] = *version;
  return clang;
}

Result<void> require_linker(const Clang& clang) {
  static std::mutex mutex;
  static std::set<std::string> known;
  const std::lock_guard lock(mutex);
  if (known.contains(clang.path)) return {};
  auto linked = link_nothing(clang);
  if (linked) known.insert(clang.path);
  return linked;
}

Result<std::filesystem::path> find_shader_headers() {
  namespace fs = std::filesystem;
  std::vector<fs::path> places;
  const char* chosen = std::getenv("ASSAY_SHADER_HEADERS");  // NOLINT(concurrency-mt-unsafe): nothing here writes it
  if (chosen != nullptr) places.emplace_back(chosen);
  std::error_code ignored;
  places.push_back(installation_prefix() / "include/assay/metal/emulator/include");
  places.emplace_back(ASSAY_SHADER_HEADERS);
  for (const fs::path& place : places)
    if (fs::exists(place / "metal_stdlib", ignored)) return fs::canonical(place, ignored);
  return error(Error::Kind::environment,
               fmt::format("Metal's standard headers are not at {}: name their folder in ASSAY_SHADER_HEADERS",
                           places.front().string()));
}

Result<ClangRun> run_clang(const Clang& clang, const std::vector<std::string>& arguments,
                           const std::filesystem::path& input, const std::filesystem::path& output,
                           unsigned cpu_seconds) {
  const std::filesystem::path messages = output.string() + ".messages";
  const Streams streams(input, output, messages);
  std::vector<std::string> words{clang.path};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pid_t process = 0;
  const Group group;
  const int failure = posix_spawnp(&process, clang.path.c_str(), streams.get(), group.get(), pointers.data(), environ);
  if (failure != 0)
    return error(Error::Kind::environment, fmt::format("clang could not be started as '{}' ({}): {}", clang.path,
                                                       std::strerror(failure), advice));
  ClangRun run;
  note_process(process);
  const rlimit limit{cpu_seconds, cpu_seconds};
  if (cpu_seconds != 0) prlimit(process, RLIMIT_CPU, &limit, nullptr);
  run.status = wait_for(process);
  forget_process(process);
  run.messages = read_file(messages).value_or("");
  return run;
}

}  // namespace assay::metal::emulator
