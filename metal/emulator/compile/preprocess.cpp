#include "metal/emulator/compile/preprocess.h"

#include <fmt/format.h>

#include <cstdlib>

#include "metal/device/read_file.h"
#include "metal/emulator/compile/files.h"
#include "metal/emulator/compile/flags.h"

namespace assay::metal::emulator {

namespace fs = std::filesystem;

fs::path cache_folder(const CompileOptions& options) {
  if (!options.cache.empty()) return options.cache;
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here writes it
    return fs::path(value == nullptr ? "" : value);
  };
  if (const fs::path cache = variable("XDG_CACHE_HOME"); cache.is_absolute()) return cache / "assay";
  if (const fs::path home = variable("HOME"); home.is_absolute()) return home / ".cache/assay";
  return fs::temp_directory_path() / "assay";
}

Result<std::string> preprocess(const Clang& clang, std::string_view source, const fs::path& name,
                               const CompileOptions& options, Purpose purpose, const fs::path& work) {
  const auto headers = find_shader_headers();
  if (!headers) return tl::make_unexpected(headers.error());
  const fs::path input = work / "source", output = work / "preprocessed";
  const auto written = write_file(input, fmt::format("# 1 \"{}\"\n{}\n", name.string(), source));
  if (!written) return tl::make_unexpected(written.error());
  const auto run = run_clang(clang, preprocessing_flags(options, purpose, *headers, name.parent_path()), input, output);
  if (!run) return tl::make_unexpected(run.error());
  if (run->status != 0) return error(Error::Kind::compile, run->messages);
  return read_file(output);
}

}  // namespace assay::metal::emulator
