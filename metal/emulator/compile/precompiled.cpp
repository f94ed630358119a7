#include "metal/emulator/compile/precompiled.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "metal/device/read_file.h"
#include "metal/emulator/compile/cache_folder.h"
#include "metal/emulator/compile/files.h"
#include "metal/emulator/compile/preprocess.h"
#include "metal/system/system.h"

namespace assay::metal::emulator {

namespace {

namespace fs = std::filesystem;

/// The library in the cache, which has its name behind it. Nothing if it is not there, or not whole: clang may crash at
/// a library that is damaged.
std::optional<std::string> read_kept(const fs::path& kept) {
  auto text = read_own_file(kept);
  const std::size_t name_length = content_name("").size();
  if (!text || text->size() < name_length) return std::nullopt;
  const std::string name = text->substr(text->size() - name_length);
  text->resize(text->size() - name_length);
  if (content_name(*text) != name) return std::nullopt;
  note_use(kept);
  return *std::move(text);
}

/// Precompiles the library and keeps it in the cache. Other processes may do the same at the same time.
Result<std::string> precompile(const Clang& clang, std::string_view library, const CompilingStep& first,
                               const fs::path& work, const fs::path& kept) {
  const fs::path input = work / "library", output = work / "library.pch";
  if (const auto written = write_file(input, library); !written) return tl::make_unexpected(written.error());
  const auto run = run_clang(clang, precompiling_flags(first, output), input, {});
  if (!run) return tl::make_unexpected(run.error());
  if (run->status != 0) return tl::make_unexpected(error_of(*run));
  auto text = read_file(output);
  if (!text) return text;
  if (const auto written = write_file(work / "kept", *text + content_name(*text)); !written)
    return tl::make_unexpected(written.error());
  std::error_code problem;
  fs::rename(work / "kept", kept, problem);
  if (!problem) return text;
  return error(Error::Kind::environment, fmt::format("cannot write '{}': {}", kept.string(), problem.message()));
}

}  // namespace

Result<std::string_view> take_in_library(const Clang& clang, std::string_view text, const CompileOptions& options,
                                         const fs::path& work, CompilingStep& first) {
  const std::size_t end = text.find(end_of_library);
  if (options.math_mode != MathMode::ieee || end == std::string_view::npos) return text;
  const std::string_view library = text.substr(0, end + 1);
  const auto cache = cache_folder(options.cache);
  if (!cache) return tl::make_unexpected(cache.error());
  const std::string key = fmt::format("library 1\n{}\n{}\n{}\n{}", clang.version, system::processor_features(),
                                      fmt::join(precompiling_flags(first, ""), "\n"), library);
  const fs::path kept = *cache / (content_name(key) + ".library"), own = work / "library.pch";
  const auto known = read_kept(kept);
  const auto made = known ? Result<std::string>(*known) : precompile(clang, library, first, work, kept);
  if (!made) return tl::make_unexpected(made.error());
  if (const auto written = write_file(own, *made); !written) return tl::make_unexpected(written.error());
  include_precompiled(first, own);
  return text.substr(end + end_of_library.size());
}

}  // namespace assay::metal::emulator
