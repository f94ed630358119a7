#include "metal/emulator/compile/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
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

Result<TemporaryFolder> TemporaryFolder::make(const std::filesystem::path& parent) {
  std::error_code failure;
  std::filesystem::create_directories(parent, failure);
  std::string name = (parent / "assay-XXXXXX").string();
  if (failure || mkdtemp(name.data()) == nullptr)
    return error(Error::Kind::environment, fmt::format("cannot make a folder in '{}': {}", parent.string(),
                                                       failure ? failure.message() : std::strerror(errno)));
  note_folder(name);
  return TemporaryFolder(name);
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (path_.empty()) return;
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
