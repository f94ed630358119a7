#include "metal/emulator/compile/clang.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string_view>

#include "metal/device/descriptor.h"
#include "metal/device/program_file.h"
#include "metal/emulator/compile/cleanup.h"
#include "metal/emulator/compile/files.h"
#include "metal/emulator/compile/message.h"
#include "metal/system/system.h"

namespace assay::metal::emulator {

namespace {

constexpr const char* advice =
    "install the package clang-19 (apt-get install clang-19), or name a clang++ of version 17 or later in ASSAY_CLANG";

/// Waits until the process ends. The limit is told by what the process used.
void wait_for(pid_t process, const ChildLimits& limits, ClangRun& run) {
  if (limits.seconds != 0 && !system::ends_within(process, limits.seconds)) {
    kill(process, SIGKILL);
    run.limit = fmt::format("{} s", limits.seconds);
  }
  int status = 0;
  rusage used{};
  while (wait4(process, &status, 0, &used) < 0 && errno == EINTR) {
  }
  run.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  const auto seconds = static_cast<std::uint64_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec);
  if (run.limit.empty() && run.status == 128 + SIGKILL && limits.cpu_seconds != 0 && seconds + 1 >= limits.cpu_seconds)
    run.limit = fmt::format("{} s of processor time", limits.cpu_seconds);
}

/// Whether a line that is about no place in a text has the words.
bool says(const std::string& messages, std::string_view words) {
  for (std::size_t at = messages.find(words); at != std::string::npos; at = messages.find(words, at + 1)) {
    const std::size_t begin = messages.rfind('\n', at) + 1, end = messages.find('\n', at);
    if (!message_in(std::string_view(messages).substr(begin, end - begin))) return true;
  }
  return false;
}

/// What clang had no space for; empty if that is not the reason.
std::string missing_space(const ClangRun& run) {
  for (const int reason : {ENOSPC, EDQUOT, EFBIG})
    if (run.status != 0 && says(run.messages, std::strerror(reason))) return std::strerror(reason);
  return {};
}

/// Without a name, of which only the descriptor tells.
Descriptor anonymous() {
  return Descriptor(system::open_anonymous_file());
}

std::string text_of(const Descriptor& file) {
  const off_t size = lseek(file.number(), 0, SEEK_END);
  std::string text(static_cast<std::size_t>(std::max<off_t>(size, 0)), '\0');
  const ssize_t got = pread(file.number(), text.data(), text.size(), 0);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return text;
}

Descriptor opened(const std::filesystem::path& file, int how) {
  return Descriptor(open(file.c_str(), how | O_CLOEXEC, 0600));
}

Result<std::string> version_of(const std::string& path) {
  const auto run = run_clang({path, {}}, {"--version"}, "/dev/null", {});
  if (!run) return tl::make_unexpected(run.error());
  if (run->status != 0 || run->output.find("clang version") == std::string::npos)
    return error(Error::Kind::environment, fmt::format("'{}' is not clang: {}", path, advice));
  return run->output.substr(0, run->output.find('\n'));
}

Result<void> link_nothing(const Clang& clang) {
  const auto folder = temporary_files().and_then(TemporaryFolder::make);
  if (!folder) return tl::make_unexpected(folder.error());
  const auto library = folder->path() / "library";
  const auto run =
      run_clang(clang, {"-shared", "-nostdlib++", "-x", "c", "-o", library.string(), "-"}, "/dev/null", {});
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
                           const ChildLimits& limits) {
  const auto failure = [](const std::string& what, int reason) {
    return error(Error::Kind::environment, fmt::format("{}: {}", what, std::strerror(reason)));
  };
  const Descriptor given = opened(input, O_RDONLY), messages = anonymous();
  const Descriptor out = output.empty() ? anonymous() : opened(output, O_WRONLY | O_CREAT | O_TRUNC);
  if (!given) return failure(fmt::format("cannot read '{}'", input.string()), errno);
  if (!out || !messages) return failure(fmt::format("cannot write '{}'", output.string()), errno);
  ChildProgram program{{clang.path}, given.number(), out.number(), messages.number(), cleans_up_when_interrupted(),
                       limits};
  program.words.insert(program.words.end(), arguments.begin(), arguments.end());
  const pid_t process = start_child(program);
  if (process < 0)
    return error(Error::Kind::environment,
                 fmt::format("clang could not be started as '{}' ({}): {}", clang.path, std::strerror(errno), advice));
  ClangRun run;
  note_process(process);
  wait_for(process, limits, run);
  forget_process(process);
  run.messages = text_of(messages);
  if (output.empty()) run.output = text_of(out);
  if (const std::string missing = missing_space(run); !missing.empty())
    return error(Error::Kind::environment,
                 fmt::format("clang has no space for its files{}: {}",
                             output.empty() ? "" : fmt::format(" in '{}'", output.parent_path().string()), missing));
  if (run.status != 0 && run.limit.empty() && limits.memory_bytes != 0 && says(run.messages, "out of memory"))
    run.limit = fmt::format("{} GiB of memory", limits.memory_bytes >> 30);
  return run;
}

Error error_of(const ClangRun& run) {
  constexpr std::string_view crash = "PLEASE submit a bug report";
  if (!run.limit.empty())
    return {Error::Kind::compile, fmt::format("this shader takes clang more than {} (docs/limits.md)", run.limit)};
  const std::size_t dump = run.messages.find(crash);
  if (run.status < 128 && dump == std::string::npos) return {Error::Kind::compile, without_own_types(run.messages)};
  return {Error::Kind::compile, fmt::format("{}clang itself failed at this shader, with status {}",
                                            run.messages.substr(0, dump), run.status)};
}

}  // namespace assay::metal::emulator
