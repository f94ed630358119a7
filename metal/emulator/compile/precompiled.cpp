#include "metal/emulator/compile/precompiled.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <system_error>

#include "metal/emulator/compile/cache_folder.h"
#include "metal/emulator/compile/files.h"
#include "metal/emulator/compile/preprocess.h"
#include "metal/system/system.h"

namespace assay::metal::emulator {

namespace {

namespace fs = std::filesystem;

/// Precompiles the library to `kept`, unless it is there. Other processes may do the same at the same time.
Result<void> precompile(const Clang& clang, std::string_view library, const CompilingStep& first, const fs::path& work,
                        const fs::path& kept) {
  std::error_code problem;
  if (fs::exists(kept, problem)) return {};
  const fs::path input = work / "library", output = work / "library.made";
  if (const auto written = write_file(input, library); !written) return written;
  const auto run = run_clang(clang, precompiling_flags(first, output), input, {});
  if (!run) return tl::make_unexpected(run.error());
  if (run->status != 0) return tl::make_unexpected(error_of(*run));
  fs::rename(output, kept, problem);
  if (!problem) return {};
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
  std::error_code problem;
  for (int tries = 0; tries < 2; ++tries) {  // another process may trim the cache
    if (const auto made = precompile(clang, library, first, work, kept); !made)
      return tl::make_unexpected(made.error());
    fs::copy_file(kept, own, problem);
    if (!problem) break;
  }
  if (problem) return error(Error::Kind::environment, fmt::format("cannot copy '{}': {}", kept.string(), problem.message()));
  note_use(kept);
  include_precompiled(first, own);
  return text.substr(end + end_of_library.size());
}

}  // namespace assay::metal::emulator
