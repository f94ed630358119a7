#include "metal/nvidia/ptx.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstdint>

#include "metal/device/read_file.h"
#include "metal/emulator/compile/build.h"
#include "metal/emulator/compile/cache_folder.h"
#include "metal/emulator/compile/clang.h"
#include "metal/emulator/compile/compiled_kernel.h"
#include "metal/emulator/compile/files.h"
#include "metal/emulator/compile/preprocess.h"
#include "metal/emulator/translate/translate.h"
#include "metal/nvidia/matrix_products.h"

namespace assay::metal::nvidia {

namespace fs = std::filesystem;
using namespace emulator;

Result<std::string> architecture_of(int major, int minor) {
  constexpr std::array known = {70, 72, 75, 80, 86, 87, 89, 90};
  const int capability = 10 * major + minor;
  int newest = 0;
  for (const int architecture : known)
    if (architecture <= capability) newest = architecture;
  if (newest != 0) return fmt::format("sm_{}", newest);
  return error(Error::Kind::environment,
               fmt::format("compute capability = {}.{}: expected a GPU of 7.0 (Volta) or later", major, minor));
}

namespace {

/// A text that is translated, and LLVM's text of a module whose functions it calls, or none.
struct Translated {
  std::string text, module;
};

Result<std::string> build(const Clang& clang, const Translated& shader, const std::string& architecture,
                          const fs::path& work) {
  const fs::path input = work / "translated", output = work / "ptx";
  if (const auto written = write_file(input, shader.text); !written) return tl::make_unexpected(written.error());
  CompilingStep step = ptx_step(architecture, output);
  if (const auto taken_in = take_in_module(clang, shader.module, work, step, ptx_target); !taken_in)
    return tl::make_unexpected(taken_in.error());
  const auto run = run_clang(clang, step.flags, input, work / "messages");
  if (!run) return tl::make_unexpected(run.error());
  if (run->status != 0) return tl::make_unexpected(error_of(*run));
  return read_file(output);
}

/// From the cache, if it was compiled before.
Result<std::string> compiled(const Clang& clang, const Translated& shader, const CompileOptions& options,
                             const std::string& architecture) {
  const auto cache = cache_folder(options.cache);
  const auto work = cache.and_then(TemporaryFolder::make);
  if (!work) return tl::make_unexpected(work.error());
  const std::string key = fmt::format("{}\n{}\n{}{}", clang.version, fmt::join(ptx_step(architecture, "").flags, " "),
                                      shader.text, shader.module);
  const fs::path kept = *cache / (content_name(key) + ".ptx");
  if (auto cached = read_own_file(kept)) return cached;
  auto ptx = build(clang, shader, architecture, work->path());
  if (!ptx) return ptx;
  std::error_code failure;
  fs::rename(work->path() / "ptx", kept, failure);
  trim_cache(*cache, options.cache_limit);
  if (!failure) return ptx;
  return error(Error::Kind::environment, fmt::format("cannot write '{}': {}", kept.string(), failure.message()));
}

}  // namespace

Result<std::string> compile_ptx(std::string_view source, const fs::path& name, const CompileOptions& options,
                                const std::string& architecture) {
  const auto work = cache_folder(options.cache).and_then(TemporaryFolder::make);
  if (!work) return tl::make_unexpected(work.error());
  const auto clang = find_clang();
  if (!clang) return tl::make_unexpected(clang.error());
  const auto preprocessed = preprocess(*clang, source, name, options, Purpose::ptx, work->path());
  if (!preprocessed) return tl::make_unexpected(preprocessed.error());
  auto text = translate_for_ptx(*preprocessed);
  if (!text) return text;
  return compiled(*clang, {std::move(*text), {}}, options, architecture).map(with_matrix_products);
}

Result<std::string> compile_ptx_of_library(const fs::path& file, const CompileOptions& options,
                                           const std::string& architecture) {
  if (const auto fit = require_fit(file, options); !fit) return tl::make_unexpected(fit.error());
  const auto clang = find_clang();
  if (!clang) return tl::make_unexpected(clang.error());
  auto kernel = read_kernel(file, options.kernels, air::Target::nvidia);
  if (!kernel) return tl::make_unexpected(kernel.error());
  auto preprocessed = preprocessed_kernel(*kernel, file, options, air::Target::nvidia);
  if (!preprocessed) return preprocessed;
  auto text = translate_for_ptx(*preprocessed);
  if (!text) return text;
  return compiled(*clang, {std::move(*text), std::move(kernel->module)}, options, architecture);
}

std::string with_thread_limits(const std::string& ptx, const std::vector<std::uint32_t>& limits) {
  std::string text = ptx;
  for (std::size_t n = 0; n < limits.size(); ++n) {
    const std::size_t entry = text.find(fmt::format(".entry assay_launch_{}(", n));
    if (limits[n] == 0 || entry == std::string::npos) continue;
    const std::size_t body = text.find('{', entry);
    if (body != std::string::npos) text.insert(body, fmt::format(".maxntid {}, 1, 1\n", limits[n]));
  }
  return text;
}

}  // namespace assay::metal::nvidia
