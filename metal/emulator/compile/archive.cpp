#include "metal/emulator/compile/archive.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>

#include "metal/device/read_file.h"
#include "metal/emulator/compile/cache_folder.h"
#include "metal/emulator/compile/file_bytes.h"
#include "metal/emulator/compile/files.h"
#include "metal/emulator/compile/zip.h"

namespace assay::metal::emulator {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t largest = std::uint64_t{8} << 30;     ///< of what is unpacked, in bytes
constexpr std::uint64_t kept_bytes = std::uint64_t{4} << 30;  ///< of the libraries in the cache
constexpr std::uint64_t piece = std::uint64_t{1} << 22;

tl::unexpected<Error> refused(const fs::path& archive, const std::string& what) {
  return error(Error::Kind::argument, fmt::format("'{}': {}", archive.string(), what));
}

/// A name on one line: archives may have anything in it.
std::string printable(std::string name) {
  std::ranges::replace_if(name, [](unsigned char c) { return c < ' ' || c == 127; }, '?');
  return name;
}

/// Writes the libraries of one archive, one after the other, to a file.
class Unpacking {
 public:
  Unpacking(fs::path archive, zip_t* zip, fs::path work)
      : archive_(std::move(archive)), zip_(zip), work_(std::move(work)), libraries_(libraries(), std::ios::binary) {}

  fs::path libraries() const { return work_ / "libraries"; }
  const std::vector<std::string>& members() const { return members_; }

  Result<void> run() {
    const auto entries = zip::entries_of(zip_);
    for (std::uint64_t index = 0; index < entries; ++index)
      if (const auto done = unpack(index); !done) return done;
    if (members_.empty())
      return refused(archive_, fmt::format("expected a .metallib, or a program that has libraries in it, among its "
                                           "{} files",
                                           entries));
    if (!libraries_.flush())
      return error(Error::Kind::environment, fmt::format("cannot write '{}'", libraries().string()));
    return {};
  }

 private:
  Result<void> unpack(std::uint64_t index) {
    const std::string name = printable(zip::name_of(zip_, index));
    const auto failed = [&](const char* why) { return refused(archive_, fmt::format("{}: {}", name, why)); };
    const zip::Entry entry(zip_fopen_index(zip_, index, 0));
    if (!entry) return failed(zip_strerror(zip_));
    std::string bytes(4, '\0');
    const zip_int64_t begin = zip_fread(entry.get(), bytes.data(), bytes.size());
    if (begin < 0) return failed(zip_file_strerror(entry.get()));
    bytes.resize(static_cast<std::size_t>(begin));
    const auto read_bytes = [&](std::uint64_t, std::uint64_t) -> Result<std::string> { return bytes; };
    if (!begins_as_library({bytes.size(), read_bytes})) return {};
    std::ofstream file(work_ / "file", std::ios::binary | std::ios::trunc);
    bytes.resize(piece);
    for (zip_int64_t got = begin; got > 0; got = zip_fread(entry.get(), bytes.data(), piece)) {
      file.write(bytes.data(), got);
      unpacked_ += static_cast<std::uint64_t>(got);
      if (unpacked_ > largest) return failed("the archive unpacks to more than 8 GiB");
    }
    if (zip_error_code_zip(zip_file_get_error(entry.get())) != ZIP_ER_OK) return failed(zip_file_strerror(entry.get()));
    if (!file.flush()) return error(Error::Kind::environment, fmt::format("cannot write '{}'", work_.string()));
    return add_libraries(name);
  }

  /// Programs may have none.
  Result<void> add_libraries(const std::string& member) {
    const auto bytes = bytes_of(work_ / "file");
    if (!bytes) return tl::unexpected(bytes.error());
    const auto found = air::find_libraries(*bytes);
    if (!found && member.ends_with(".metallib"))
      return refused(archive_, fmt::format("{}: {}", member, found.error().text));
    if (!found) return {};
    for (const air::Library& library : *found) {
      for (std::uint64_t done = 0; done < library.bytes; done += piece) {
        const auto text = bytes->read(library.offset + done, std::min(piece, library.bytes - done));
        if (!text) return tl::unexpected(text.error());
        libraries_.write(text->data(), static_cast<std::streamsize>(text->size()));
      }
      members_.push_back(member);
    }
    return {};
  }

  fs::path archive_;
  zip_t* zip_;
  fs::path work_;
  std::ofstream libraries_;
  std::vector<std::string> members_;
  std::uint64_t unpacked_ = 0;
};

/// The name in the cache of what was unpacked of the archive, as it is now.
std::string kept_name(const fs::path& archive) {
  std::error_code unknown;
  return content_name(fmt::format("libraries 1\n{}\n{}\n{}", fs::canonical(archive, unknown).string(),
                                  fs::file_size(archive, unknown),
                                  fs::last_write_time(archive, unknown).time_since_epoch().count()));
}

Result<void> unpack_into(const fs::path& folder, const fs::path& kept, const fs::path& archive) {
  const auto zip = zip::open(archive, ZIP_RDONLY);
  if (!zip) return refused(archive, fmt::format("expected a zip archive ({})", zip.error()));
  const auto work = TemporaryFolder::make(folder);
  if (!work) return tl::unexpected(work.error());
  Unpacking unpacking(archive, zip->get(), work->path());
  if (const auto done = unpacking.run(); !done) return done;
  const fs::path names = work->path() / "members";
  if (const auto written = write_file(names, fmt::format("{}\n", fmt::join(unpacking.members(), "\n"))); !written)
    return written;
  std::error_code problem;
  fs::rename(names, fs::path(kept) += ".members", problem);
  if (!problem) fs::rename(unpacking.libraries(), kept, problem);
  if (problem) return error(Error::Kind::environment, fmt::format("'{}': {}", kept.string(), problem.message()));
  trim_cache(folder, kept_bytes);
  return {};
}

Result<Unpacked> read_kept(const fs::path& kept) {
  const fs::path names = fs::path(kept) += ".members";
  const auto text = read_own_file(names);
  if (!text) return tl::unexpected(text.error());
  auto bytes = bytes_of(kept);
  if (!bytes) return tl::unexpected(bytes.error());
  note_use(kept);
  note_use(names);
  Unpacked result{std::move(*bytes), {}};
  for (std::size_t begin = 0, end = 0; (end = text->find('\n', begin)) != std::string::npos; begin = end + 1)
    result.members.push_back(text->substr(begin, end - begin));
  return result;
}

}  // namespace

bool is_archive(const fs::path& file) {
  const auto bytes = bytes_of(file);
  if (!bytes) return false;
  if (file.extension() == ".whl") return true;
  const auto begin = bytes->read(0, std::min<std::uint64_t>(bytes->size, 4));
  return begin && *begin == "PK\3\4";
}

Result<Unpacked> unpacked(const fs::path& archive) {
  const auto cache = cache_folder();
  if (!cache) return tl::unexpected(cache.error());
  const fs::path folder = *cache / "libraries", kept = folder / kept_name(archive);
  if (auto known = read_kept(kept)) return known;
  std::error_code problem;
  fs::create_directory(folder, problem);
  if (problem) return error(Error::Kind::environment, fmt::format("'{}': {}", folder.string(), problem.message()));
  if (const auto done = unpack_into(folder, kept, archive); !done) return tl::unexpected(done.error());
  return read_kept(kept);
}

}  // namespace assay::metal::emulator
