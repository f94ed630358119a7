#include "metal/emulator/compile/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "metal/emulator/compile/cleanup.h"

namespace assay::metal::emulator {

Result<void> write_file(const std::filesystem::path& file, std::string_view text) {
  std::ofstream stream(file, std::ios::binary);
  stream.write(text.data(), static_cast<std::streamsize>(text.size())).flush();
  if (!stream)
    return error(Error::Kind::environment, fmt::format("cannot write '{}': {}", file.string(), std::strerror(errno)));
  return {};
}

Result<std::string> read_own_file(const std::filesystem::path& file) {
  const auto failure = [&](const char* why) {
    return error(Error::Kind::environment, fmt::format("cannot read '{}': {}", file.string(), why));
  };
  const Descriptor opened(open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status{};
  if (!opened || fstat(opened.number(), &status) != 0) return failure(std::strerror(errno));
  const bool is_own = S_ISREG(status.st_mode) && status.st_uid == geteuid() && (status.st_mode & 022U) == 0;
  if (!is_own) return failure("it is not a file of this user that no other can write");
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  for (std::size_t got = 0; got < text.size();) {
    const ssize_t count = read(opened.number(), text.data() + got, text.size() - got);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return failure(count < 0 ? std::strerror(errno) : "it became shorter");
    got += static_cast<std::size_t>(count);
  }
  return text;
}

Result<std::filesystem::path> temporary_files() {
  std::error_code problem;
  std::filesystem::path folder = std::filesystem::temp_directory_path(problem);
  if (!problem) return folder;
  const char* named = std::getenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe): nothing here writes it
  return error(Error::Kind::environment, fmt::format("TMPDIR = '{}': expected a folder for temporary files ({})",
                                                     named == nullptr ? "" : named, problem.message()));
}

namespace {

constexpr const char* work_prefix = "assay-work-";

bool lock(const Descriptor& folder, int how) {
  int result = 0;
  while ((result = flock(folder.number(), how)) != 0 && errno == EINTR) {
  }
  return result == 0;
}

Descriptor opened_folder(const std::filesystem::path& folder) {
  return Descriptor(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

/// Removes the folder if it is of a process of this user that was killed.
void remove_if_left_behind(const std::filesystem::path& folder) {
  const Descriptor opened = opened_folder(folder);
  struct stat status{};
  const bool is_own = opened && fstat(opened.number(), &status) == 0 && status.st_uid == geteuid();
  std::error_code ignored;
  if (is_own && lock(opened, LOCK_EX | LOCK_NB)) std::filesystem::remove_all(folder, ignored);
}

/// Once for each parent.
void remove_all_left_behind(const std::filesystem::path& parent) {
  static std::mutex mutex;
  static std::set<std::filesystem::path> known;
  {
    const std::lock_guard guard(mutex);
    if (!known.insert(parent).second) return;
  }
  std::error_code problem;
  for (std::filesystem::directory_iterator entry(parent, problem), end; !problem && entry != end;
       entry.increment(problem))
    if (entry->path().filename().string().starts_with(work_prefix)) remove_if_left_behind(entry->path());
}

/// Whether another process did not take the folder for one that was left behind before it was locked.
bool is_still_there(const Descriptor& folder, const std::string& name) {
  struct stat opened{}, named{};
  return fstat(folder.number(), &opened) == 0 && stat(name.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
         opened.st_dev == named.st_dev;
}

}  // namespace

Result<TemporaryFolder> TemporaryFolder::make(const std::filesystem::path& parent) {
  remove_all_left_behind(parent);
  for (;;) {
    std::string name = (parent / fmt::format("{}XXXXXX", work_prefix)).string();
    if (mkdtemp(name.data()) == nullptr)
      return error(Error::Kind::environment,
                   fmt::format("cannot make a folder in '{}': {}", parent.string(), std::strerror(errno)));
    Descriptor folder = opened_folder(name);
    if (!folder && errno != ENOENT)
      return error(Error::Kind::environment, fmt::format("cannot open '{}': {}", name, std::strerror(errno)));
    if (!folder) continue;
    lock(folder, LOCK_EX);  // fails on some networks; there trim_cache() removes what is left behind
    if (is_still_there(folder, name)) return TemporaryFolder(name, std::move(folder));
  }
}

TemporaryFolder::TemporaryFolder(std::filesystem::path path, Descriptor lock)
    : path_(std::move(path)), lock_(std::move(lock)), owner_(getpid()) {
  note_folder(path_);
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)), owner_(other.owner_) {}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (path_.empty() || getpid() != owner_) return;
  std::filesystem::remove_all(path_, ignored);
  forget_folder(path_);
}

std::string content_name(std::string_view text) {
  // Two 64-bit hashes with different initial values, of the text forwards and backwards.
  constexpr std::uint64_t prime = 1099511628211U;
  std::uint64_t forwards = 14695981039346656037U, backwards = forwards ^ text.size();
  for (const char c : text) forwards = (forwards ^ static_cast<unsigned char>(c)) * prime;
  for (auto c = text.rbegin(); c != text.rend(); ++c) backwards = (backwards ^ static_cast<unsigned char>(*c)) * prime;
  return fmt::format("{:016x}{:016x}", forwards, backwards);
}

void note_use(const std::filesystem::path& file) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const auto now = fs::file_time_type::clock::now();
  if (fs::last_write_time(file, ignored) < now - std::chrono::hours(1)) fs::last_write_time(file, now, ignored);
}

void trim_cache(const std::filesystem::path& folder, std::uint64_t limit) {
  namespace fs = std::filesystem;
  struct Kept {
    fs::file_time_type used;
    fs::path path;
    std::uint64_t bytes;
  };
  std::vector<Kept> files;
  std::uint64_t all = 0;
  std::error_code problem;
  const auto yesterday = fs::file_time_type::clock::now() - std::chrono::hours(24);
  for (fs::directory_iterator entry(folder, problem), end; !problem && entry != end; entry.increment(problem)) {
    std::error_code gone;
    const auto used = entry->last_write_time(gone);
    const bool is_left_behind = entry->path().filename().string().starts_with("assay-") && used < yesterday;
    if (!gone && is_left_behind && entry->is_directory(gone)) fs::remove_all(entry->path(), gone);
    if (gone || !entry->is_regular_file(gone)) continue;
    files.push_back({used, entry->path(), entry->file_size(gone)});
    all += files.back().bytes;
  }
  std::ranges::sort(files, {}, &Kept::used);
  for (const Kept& file : files) {
    if (all <= limit) return;
    std::error_code gone;
    fs::remove(file.path, gone);
    all -= file.bytes;
  }
}

}  // namespace assay::metal::emulator
