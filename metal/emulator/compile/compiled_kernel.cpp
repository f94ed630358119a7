#include "metal/emulator/compile/compiled_kernel.h"

#include <fmt/format.h>

#include "metal/emulator/air/declarations.h"
#include "metal/emulator/air/module.h"
#include "metal/emulator/compile/cache_folder.h"
#include "metal/emulator/compile/clang.h"
#include "metal/emulator/compile/files.h"
#include "metal/emulator/compile/flags.h"
#include "metal/emulator/compile/library_path.h"
#include "metal/emulator/compile/preprocess.h"

namespace assay::metal::emulator {

namespace {

Result<air::LibraryKernel> kernel_called(const std::filesystem::path& file, const KernelNames& names) {
  if (names.size() == 1) return find_kernel(file, *names.begin());
  const auto libraries = libraries_in(file);
  if (!libraries) return tl::unexpected(libraries.error());
  std::vector<air::LibraryKernel> kernels;
  for (const NamedLibrary& one : *libraries)
    kernels.insert(kernels.end(), one.library.kernels.begin(), one.library.kernels.end());
  if (names.empty() && kernels.size() == 1) return kernels.front();
  return error(Error::Kind::argument,
               fmt::format("'{}' has {} kernels: expected the name of one", file.string(), kernels.size()));
}

}  // namespace

Result<std::string> module_text(const std::filesystem::path& file, const air::LibraryKernel& kernel) {
  auto bitcode = bitcode_of(file, kernel);
  if (!bitcode) return bitcode;
  const auto clang = find_clang();
  if (!clang) return tl::unexpected(clang.error());
  const auto work = temporary_files().and_then(TemporaryFolder::make);
  if (!work) return tl::unexpected(work.error());
  const auto written = write_file(work->path() / "bitcode", *bitcode);
  if (!written) return tl::unexpected(written.error());
  auto run = run_clang(*clang, disassembling_flags(), work->path() / "bitcode", {});
  if (!run) return tl::unexpected(run.error());
  if (run->status == 0) return std::move(run->output);
  const Error failed = error_of(*run);
  return error(failed.kind, fmt::format("kernel {}: its bitcode cannot be read: {}", kernel.name, failed.text));
}

Result<CompiledKernel> read_kernel(const std::filesystem::path& file, const KernelNames& names, air::Target target) {
  auto kernel = kernel_called(file, names);
  if (!kernel) return tl::unexpected(kernel.error());
  const auto text = module_text(file, *kernel);
  if (!text) return tl::unexpected(text.error());
  const auto refused = [&](const Error& cause) {
    return error(cause.kind, fmt::format("{}: error: kernel {}: {}", file.string(), kernel->name, cause.text));
  };
  auto metadata = air::read_metadata(*text);
  if (!metadata) return refused(metadata.error());
  auto module = air::translate_module(*text, *metadata, file.string(), target);
  if (!module) return refused(module.error());
  CompiledKernel made{
      std::move(*kernel), std::move(*metadata), {}, std::move(module->text), std::move(module->barriers)};
  made.metal = air::metal_text(made.metadata, made.kernel.name, module->metal);
  return made;
}

Result<std::string> preprocessed_kernel(const CompiledKernel& kernel, const std::filesystem::path& file,
                                        const CompileOptions& options, air::Target target) {
  const auto work = cache_folder(options.cache).and_then(TemporaryFolder::make);
  if (!work) return tl::unexpected(work.error());
  const auto clang = find_clang();
  if (!clang) return tl::unexpected(clang.error());
  const Purpose purpose = target == air::Target::nvidia ? Purpose::ptx : Purpose::run;
  return preprocess(*clang, kernel.metal, file, options, purpose, work->path());
}

Result<void> require_fit(const std::filesystem::path& file, const CompileOptions& options) {
  if (!options.language.macros.empty())
    return error(Error::Kind::argument, fmt::format("{}: '{}' is a compiled library, in which macros change nothing",
                                                    options.language.macros.begin()->first, file.string()));
  if (options.math_mode >= MathMode::relaxed)
    return error(
        Error::Kind::argument,
        fmt::format("arithmetic = {}: '{}' is a compiled library, whose operations say what was permitted: expected "
                    "ieee or safe",
                    math_mode_names.at(static_cast<std::size_t>(options.math_mode) - 1), file.string()));
  return {};
}

}  // namespace assay::metal::emulator
