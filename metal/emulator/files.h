// Files of the compiler: whole texts, a folder that goes away, names that depend on content.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "metal/device/result.h"

namespace assay::metal::emulator {

/// Errors: environment, with the file's name and the reason.
Result<std::string> read_file(const std::filesystem::path& file);
Result<void> write_file(const std::filesystem::path& file, std::string_view text);

/// A folder of its own, removed with all that is in it.
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

/// 32 hexadecimal digits that stand for the text (FNV-1a, forwards and backwards): a name in a cache, not a signature.
std::string content_name(std::string_view text);

}  // namespace assay::metal::emulator
