// Zip archives, by libzip: handles that close by themselves, and what every reader of archives needs.
#pragma once

#include <zip.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace assay::metal::zip {

struct Discard {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
struct CloseEntry {
  void operator()(zip_file_t* entry) const { zip_fclose(entry); }
};
using Archive = std::unique_ptr<zip_t, Discard>;
using Entry = std::unique_ptr<zip_file_t, CloseEntry>;

/// The archive, opened with libzip's flags, or why it cannot be.
inline tl::expected<Archive, std::string> open(const std::filesystem::path& file, int flags) {
  int code = 0;
  Archive archive(zip_open(file.c_str(), flags, &code));
  if (archive) return archive;
  zip_error_t cause;
  zip_error_init_with_code(&cause, code);
  std::string why = zip_error_strerror(&cause);
  zip_error_fini(&cause);
  return tl::make_unexpected(std::move(why));
}

/// How many entries it has.
inline std::uint64_t entries_of(zip_t* archive) {
  return static_cast<std::uint64_t>(std::max<zip_int64_t>(zip_get_num_entries(archive, 0), 0));
}

/// The entry's name as it stands in the archive, which may have anything in it; empty if libzip knows none.
inline std::string name_of(zip_t* archive, std::uint64_t index) {
  const char* const raw = zip_get_name(archive, index, ZIP_FL_ENC_RAW);
  return raw == nullptr ? "" : raw;
}

}  // namespace assay::metal::zip
