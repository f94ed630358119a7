// Files that the compiler of shaders works with.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "metal/device/result.h"

namespace assay::metal::emulator {

/// Errors: environment, with the file's name and the reason.
Result<void> write_file(const std::filesystem::path& file, std::string_view text);

/// A new folder, which the destructor removes with all that is in it.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> make(const std::filesystem::path& parent);
  ~TemporaryFolder();
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

/// A name for the text in a cache: 32 hexadecimal digits (FNV-1a, forwards and backwards). It is no signature.
std::string content_name(std::string_view text);

/// Notes for trim_cache() that the file of a cache was used.
void note_use(const std::filesystem::path& file);

/// Removes those files of a cache that were not used for longest, by the time of their last change, until `limit` bytes
/// are left, and temporary folders that are a day old. A process that loads one of them compiles again.
void trim_cache(const std::filesystem::path& folder, std::uint64_t limit);

}  // namespace assay::metal::emulator
