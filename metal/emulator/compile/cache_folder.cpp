#include "metal/emulator/compile/cache_folder.h"

#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "metal/emulator/compile/files.h"

namespace assay::metal::emulator {

namespace fs = std::filesystem;

namespace {

fs::path variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here writes it
  return value == nullptr ? "" : value;
}

/// The home of this user in the user database; empty if there is none.
fs::path home_in_database() {
  passwd entry{}, *found = nullptr;
  std::array<char, 16384> text{};
  if (getpwuid_r(geteuid(), &entry, text.data(), text.size(), &found) != 0 || found == nullptr) return {};
  return entry.pw_dir;
}

/// Empty if this user has no home.
fs::path usual_folder() {
  if (const fs::path cache = variable("XDG_CACHE_HOME"); cache.is_absolute()) return cache / "assay";
  if (const fs::path home = variable("HOME"); home.is_absolute()) return home / ".cache/assay";
  if (const fs::path home = home_in_database(); home.is_absolute()) return home / ".cache/assay";
  return {};
}

/// Why others could replace what is below the folder; empty if they cannot. An entry of a folder with the sticky bit,
/// as /tmp is, can only be replaced by its owner.
std::string why_unsafe(const fs::path& folder, bool is_cache) {
  struct stat status{};
  if (stat(folder.c_str(), &status) != 0) return fmt::format("'{}': {}", folder.string(), std::strerror(errno));
  if (status.st_uid != geteuid() && (is_cache || status.st_uid != 0))
    return fmt::format("'{}' belongs to user {}, and this process to user {}", folder.string(), status.st_uid,
                       geteuid());
  if ((status.st_mode & 022U) != 0 && (is_cache || (status.st_mode & S_ISVTX) == 0))
    return fmt::format("other users can write '{}'", folder.string());
  return {};
}

std::string why_unsafe_above(const fs::path& folder) {
  for (fs::path at = folder;; at = at.parent_path()) {
    if (std::string reason = why_unsafe(at, false); !reason.empty()) return reason;
    if (at == at.root_path()) return {};
  }
}

/// Makes the folder and those above it, for this user alone. Returns why not.
std::string make(const fs::path& folder) {
  std::vector<fs::path> missing;
  std::error_code problem;
  fs::path at = folder.lexically_normal();
  for (; !fs::exists(at, problem) && at.has_relative_path(); at = at.parent_path()) missing.push_back(at);
  const fs::path existing = fs::canonical(at, problem);
  if (problem) return fmt::format("'{}': {}", at.string(), problem.message());
  if (std::string reason = why_unsafe_above(existing); !reason.empty()) return reason;
  for (; !missing.empty(); missing.pop_back())
    if (mkdir(missing.back().c_str(), 0700) != 0 && errno != EEXIST)
      return fmt::format("'{}': {}", missing.back().string(), std::strerror(errno));
  return {};
}

/// Whether there is space. Returns why not.
std::string try_to_write(const fs::path& folder) {
  const auto work = TemporaryFolder::make(folder);
  if (!work) return work.error().text;
  constexpr std::size_t bytes = std::size_t{1} << 18;
  const auto written = write_file(work->path() / "space", std::string(bytes, ' '));
  return written ? std::string() : written.error().text;
}

/// Why the folder cannot be used; empty if it can. Makes it if it is missing.
std::string why_unusable(const fs::path& folder) {
  if (folder.empty()) return "this user has no home";
  if (std::string reason = make(folder); !reason.empty()) return reason;
  std::error_code problem;
  const fs::path real = fs::canonical(folder, problem);
  if (problem) return fmt::format("'{}': {}", folder.string(), problem.message());
  if (std::string reason = why_unsafe(real, true); !reason.empty()) return reason;
  if (std::string reason = why_unsafe_above(real.parent_path()); !reason.empty()) return reason;
  return try_to_write(real);
}

/// The folder of this process alone, which is made when it is first needed.
Result<fs::path> private_folder() {
  static const auto folder = temporary_files().and_then(TemporaryFolder::make);
  if (!folder) return tl::make_unexpected(folder.error());
  return folder->path();
}

Result<fs::path> usable(const fs::path& wanted) {
  const std::string reason = why_unusable(wanted);
  if (reason.empty()) return fs::canonical(wanted);
  auto folder = private_folder();
  if (folder)
    fmt::print(stderr,
               "assay: compiled shaders are not kept for later runs: {}; expected a folder of your own in "
               "XDG_CACHE_HOME that others cannot write\n",
               reason);
  return folder;
}

}  // namespace

Result<fs::path> cache_folder(const fs::path& wanted) {
  static std::mutex mutex;
  static std::map<fs::path, fs::path> known;
  const fs::path folder = wanted.empty() ? usual_folder() : fs::absolute(wanted);
  const std::lock_guard guard(mutex);
  std::error_code ignored;
  if (const auto found = known.find(folder); found != known.end() && fs::exists(found->second, ignored))
    return found->second;
  auto chosen = usable(folder);
  if (chosen) known[folder] = *chosen;
  return chosen;
}

}  // namespace assay::metal::emulator
