#include "metal/emulator/compile/preprocess.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "metal/device/line_marker.h"
#include "metal/device/read_file.h"
#include "metal/emulator/compile/cache_folder.h"
#include "metal/emulator/compile/files.h"
#include "metal/emulator/compile/flags.h"
#include "metal/emulator/compile/preprocessed_cache.h"
#include "metal/emulator/compile/source_columns.h"

namespace assay::metal::emulator {

namespace fs = std::filesystem;

namespace {

/// Takes the mark of a system header from all files that are not in `headers`. The translator leaves those alone, but
/// clang also marks folders that the environment names, and files with `#pragma GCC system_header`.
std::string with_own_system_headers(const std::string& text, const std::string& headers) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    const auto marker = line_marker(line);
    const bool is_own = !marker || marker->file().starts_with(headers);
    const std::string_view flags = is_own ? "" : marker->flags;
    const std::size_t kept = std::min(flags.find(" 3"), flags.size());
    result.append(line.substr(0, line.size() - flags.size() + kept)).append("\n");
    begin = end + 1;
  }
  return result;
}

/// What is read before the source: Metal's library, which Apple's compiler knows without an #include too, so that no
/// macro changes the names in it; and the macros.
std::string preamble(const std::map<std::string, std::string>& macros) {
  std::string text = "# 1 \"<command line>\"\n#include <metal_stdlib>\n";
  for (const auto& [name, value] : macros) text += fmt::format("#define {} {}\n", name, value);
  return text;
}

/// What is read behind the source `name`: the files that define what it declares, but for itself.
std::string linked_files(const std::vector<fs::path>& files, const fs::path& name) {
  std::string text;
  std::error_code ignored;  // a source may be no file
  for (const fs::path& file : files)
    if (!fs::equivalent(file, name, ignored)) text += fmt::format("#include \"{}\"\n", file.string());
  return text;
}

}  // namespace

Result<std::string> preprocess(const Clang& clang, std::string_view source, const fs::path& name,
                               const CompileOptions& options, Purpose purpose, const fs::path& work) {
  const auto headers = find_shader_headers();
  if (!headers) return tl::make_unexpected(headers.error());
  const auto flags = preprocessing_flags(options, purpose, *headers, name.parent_path());
  const auto folder = cache_folder(options.cache);
  if (!folder) return tl::make_unexpected(folder.error());
  const std::string text_before = preamble(options.language.macros),
                    behind = linked_files(options.language.linked, name);
  const PreprocessedCache cache(*folder, clang, flags, name, text_before + std::string(source) + behind);
  if (auto kept = cache.find()) return *std::move(kept);
  const auto start = std::chrono::file_clock::now();
  const fs::path input = work / "source", output = work / "preprocessed";
  const auto written = write_file(input, fmt::format("{}# 1 \"{}\"\n{}\n{}", text_before, escaped_file(name.string()),
                                                     without_byte_order_mark(source), behind));
  if (!written) return tl::make_unexpected(written.error());
  const auto run = run_clang(clang, flags, input, output);
  if (!run) return tl::make_unexpected(run.error());
  if (run->status != 0) return tl::make_unexpected(error_of(*run));
  auto text = read_file(output);
  if (!text) return text;
  *text = with_columns_of_source(with_own_system_headers(*text, headers->string()), name, source);
  cache.keep(*text, start, work);
  trim_cache(*folder, options.cache_limit);
  return text;
}

}  // namespace assay::metal::emulator
