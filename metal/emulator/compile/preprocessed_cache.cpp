#include "metal/emulator/compile/preprocessed_cache.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>
#include <utility>

#include "metal/device/line_marker.h"
#include "metal/device/read_file.h"
#include "metal/emulator/compile/files.h"

namespace assay::metal::emulator {

namespace fs = std::filesystem;

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here writes it
  return value == nullptr ? "" : value;
}

/// Whether the preprocessor gives the same text for it as long as the included files are the same.
bool depends_on_files_alone(std::string_view text) {
  constexpr std::array<std::string_view, 6> others = {"__has_include", "__has_embed",   "__DATE__",
                                                      "__TIME__",      "__TIMESTAMP__", "include_next"};
  if (std::ranges::any_of(others, [&](std::string_view word) { return text.find(word) != std::string_view::npos; }))
    return false;
  for (std::size_t at = text.find("embed"); at != std::string_view::npos; at = text.find("embed", at + 1)) {
    const std::size_t before = at == 0 ? std::string_view::npos : text.find_last_not_of(" \t", at - 1);
    if (before != std::string_view::npos && text[before] == '#') return false;
  }
  return true;
}

/// All ways in which an #include can have named the file: its path without some of its first folders.
std::set<fs::path> names_of(const std::vector<fs::path>& files) {
  std::set<fs::path> names;
  for (const fs::path& file : files) {
    fs::path name;
    for (auto part = file.end(); part != file.begin();) {
      name = name.empty() ? *--part : *--part / name;
      if (name.is_relative()) names.insert(name);
    }
  }
  return names;
}

/// The folders in which #include looks, without those of the including files.
std::vector<fs::path> searched_folders(const std::vector<std::string>& flags) {
  std::vector<fs::path> folders;
  for (std::size_t n = 0; n < flags.size(); ++n) {
    if (flags[n].starts_with("-I")) folders.emplace_back(flags[n].substr(2));
    if (flags[n] == "-isystem") folders.emplace_back(flags[n + 1]);
  }
  for (const char* name : {"CPATH", "CPLUS_INCLUDE_PATH"}) {
    const std::string list = variable(name);
    for (std::size_t begin = 0; begin < list.size();) {
      const std::size_t end = std::min(list.find(':', begin), list.size());
      folders.emplace_back(list.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  return folders;
}

constexpr std::string_view end_of_files = "\n\n";

}  // namespace

PreprocessedCache::PreprocessedCache(fs::path folder, const Clang& clang, const std::vector<std::string>& flags,
                                     const fs::path& name, std::string_view source)
    : folder_(std::move(folder)),
      name_(name.string()),
      searched_(searched_folders(flags)),
      is_known_(depends_on_files_alone(source)) {
  std::error_code ignored;
  const std::string key =
      fmt::format("preprocessed 2\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}", clang.path, clang.version, fmt::join(flags, "\n"),
                  variable("CPATH"), variable("CPLUS_INCLUDE_PATH"), fs::current_path(ignored).string(), name_, source);
  kept_ = folder_ / (content_name(key) + ".preprocessed");
}

PreprocessedCache::Paths PreprocessedCache::files_of(std::string_view text) const {
  std::set<fs::path> files;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    if (const auto marker = line_marker(line)) {
      const std::string file = marker->file();
      if (file != name_ && !file.starts_with('<')) files.emplace(file);
    }
    begin = end + 1;
  }
  return {files.begin(), files.end()};
}

std::optional<std::string> PreprocessedCache::state_of(const Paths& files) const {
  std::string state;
  std::set<fs::path> folders(searched_.begin(), searched_.end());
  folders.insert(fs::path(name_).parent_path());
  for (const fs::path& file : files) {
    const auto text = read_named_text(file);
    if (!text || !depends_on_files_alone(*text)) return std::nullopt;
    state += fmt::format("{} {}\n", content_name(*text), file.string());
    folders.insert(file.parent_path());
  }
  std::error_code ignored;
  for (const fs::path& name : names_of(files))
    for (const fs::path& folder : folders)
      if (fs::exists(folder / name, ignored)) state += (folder / name).string() + "\n";
  return content_name(state);
}

std::optional<std::string> PreprocessedCache::find() const {
  const auto kept = is_known_ ? read_own_file(kept_) : Result<std::string>(error(Error::Kind::environment, "not kept"));
  if (!kept) return std::nullopt;
  Paths files;
  const std::size_t end = kept->find(end_of_files);
  if (end == std::string::npos) return std::nullopt;
  const std::size_t first = kept->find('\n');
  for (std::size_t begin = first + 1; begin < end;) {
    const std::size_t next = kept->find('\n', begin);
    files.emplace_back(unescaped_file(kept->substr(begin, next - begin)));
    begin = next + 1;
  }
  if (state_of(files) != kept->substr(0, first)) return std::nullopt;
  note_use(kept_);
  return kept->substr(end + end_of_files.size());
}

void PreprocessedCache::keep(const std::string& text, std::chrono::file_clock::time_point start,
                             const fs::path& work) const {
  const Paths files = files_of(text);
  std::error_code problem;
  for (const fs::path& file : files)
    if (fs::last_write_time(file, problem) + std::chrono::seconds(1) > start) return;
  const auto state = is_known_ ? state_of(files) : std::nullopt;
  if (!state) return;
  std::string kept = *state;
  for (const fs::path& file : files) kept += "\n" + escaped_file(file.string());
  if (!write_file(work / "kept", fmt::format("{}{}{}", kept, end_of_files, text))) return;
  fs::rename(work / "kept", kept_, problem);
}

}  // namespace assay::metal::emulator
