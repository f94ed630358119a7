// Files that the compiler of shaders works with.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "metal/device/descriptor.h"
#include "metal/device/result.h"

namespace assay::metal::emulator {

/// Errors: environment, with the file's name and the reason.
Result<void> write_file(const std::filesystem::path& file, std::string_view text);

/// What a file of this user contains, which no other user can write: such a file may be run. Errors: environment.
Result<std::string> read_own_file(const std::filesystem::path& file);

/// Where the system wants temporary files. Errors: environment, if TMPDIR is no folder.
Result<std::filesystem::path> temporary_files();

/// A new folder for this user alone, which the destructor removes with all that is in it. If the process is killed, the
/// next one that makes a folder beside it removes it: it is locked while it is used.
class TemporaryFolder {
 public:
  /// Errors: environment, with the reason.
  static Result<TemporaryFolder> make(const std::filesystem::path& parent);
  ~TemporaryFolder();
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  TemporaryFolder(std::filesystem::path path, Descriptor lock);
  std::filesystem::path path_;
  Descriptor lock_;
  pid_t owner_ = 0;  ///< a process that fork() made of it does not remove the folder
};

/// A name for the text in a cache: 32 hexadecimal digits (FNV-1a, forwards and backwards). It is no signature.
std::string content_name(std::string_view text);

/// Notes for trim_cache() that the file of a cache was used.
void note_use(const std::filesystem::path& file);

/// Removes those files of a cache that were not used for longest, by the time of their last change, until `limit` bytes
/// are left, and temporary folders that are a day old, which no lock protects on some networks. A process that loads
/// one of them compiles again.
void trim_cache(const std::filesystem::path& folder, std::uint64_t limit);

}  // namespace assay::metal::emulator
