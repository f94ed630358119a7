#include "validation/core/npz_archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "metal/emulator/compile/zip.h"
#include "validation/core/file_kind.h"
#include "validation/core/memory_limit.h"
#include "validation/core/printable.h"

namespace assay::validation {
namespace {

namespace zip = metal::zip;
using zip::Archive, zip::Entry;

constexpr std::size_t piece = std::size_t{1} << 20;

[[noreturn]] void refuse_archive(zip_t* zip) {
  throw std::runtime_error(zip_strerror(zip));
}

Archive open(const std::filesystem::path& path, int flags) {
  auto archive = zip::open(path, flags);
  if (!archive) throw std::runtime_error(archive.error());
  return std::move(*archive);
}

/// Appends at most `count` bytes of the entry; fewer come only at its end, where its checksum has been verified.
void append(zip_file_t* entry, std::string& bytes, std::uint64_t count) {
  const std::size_t begin = bytes.size();
  while (bytes.size() - begin < count) {
    const std::size_t end = bytes.size();
    bytes.resize(end + static_cast<std::size_t>(std::min<std::uint64_t>(piece, count - (end - begin))));
    const zip_int64_t got = zip_fread(entry, bytes.data() + end, bytes.size() - end);
    if (got < 0) throw std::runtime_error(zip_file_strerror(entry));
    bytes.resize(end + static_cast<std::size_t>(got));
    if (got == 0) return;
  }
}

std::uint64_t declared_size(zip_t* zip, std::uint64_t index) {
  zip_stat_t stat;
  if (zip_stat_index(zip, index, 0, &stat) != 0) refuse_archive(zip);
  return stat.size;
}

NpyArray read_entry(zip_t* zip, std::uint64_t index) {
  const std::uint64_t size = declared_size(zip, index);
  const Entry entry(zip_fopen_index(zip, index, 0));
  if (!entry) refuse_archive(zip);
  std::string bytes;
  append(entry.get(), bytes, npy_header_limit);
  parse_npy_header(bytes, size);
  append(entry.get(), bytes, size + 1 - std::min<std::uint64_t>(size + 1, bytes.size()));  // one more than declared
  return parse_npy(bytes);
}

/// "logits" of "logits.npy"; other entries keep their name.
std::string array_name(std::string name) {
  if (name.ends_with(".npy")) name.resize(name.size() - 4);
  return name;
}

void add_entry(zip_t* zip, const std::string& name, const std::string& file) {
  zip_source_t* const source = zip_source_buffer(zip, file.data(), file.size(), 0);
  if (source == nullptr) refuse_archive(zip);
  const zip_int64_t index = zip_file_add(zip, name.c_str(), source, ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    zip_source_free(source);
    refuse_archive(zip);
  }
  // MS-DOS dates begin on 1 January 1980: month 1, day 1.
  if (zip_file_set_dostime(zip, static_cast<std::uint64_t>(index), 0, 1 << 5 | 1, 0) != 0) refuse_archive(zip);
}

}  // namespace

NpzContents read_npz_archive(const std::filesystem::path& path, const std::set<std::string>& names) {
  require_npz(path);
  const Archive archive = open(path, ZIP_RDONLY);
  NpzContents contents;
  std::uint64_t unpacked = 0;
  for (std::uint64_t index = 0; index < zip::entries_of(archive.get()); ++index) {
    const std::string name = array_name(zip::name_of(archive.get(), index));
    if (!names.contains(name)) {
      contents.others.push_back(printable_line(name));
      continue;
    }
    unpacked += declared_size(archive.get(), index);
    require_memory(unpacked, "the arrays, unpacked,");
    try {
      if (contents.arrays.contains(name)) throw std::invalid_argument("there twice: expected one array of each name");
      contents.arrays[name] = read_entry(archive.get(), index);
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(fmt::format("{}: {}", name, error.what()));
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(fmt::format("{}: {}", name, error.what()));
    }
  }
  return contents;
}

void write_npz_archive(const std::filesystem::path& path, const NpyArrays& arrays) {
  std::map<std::string, std::string> files;
  for (const auto& [name, array] : arrays) files[name + ".npy"] = format_npy(array);
  Archive archive = open(path, ZIP_CREATE | ZIP_TRUNCATE);
  for (const auto& [name, file] : files) add_entry(archive.get(), name, file);
  if (zip_close(archive.get()) != 0) refuse_archive(archive.get());
  static_cast<void>(archive.release());  // zip_close has freed it
}

}  // namespace assay::validation
