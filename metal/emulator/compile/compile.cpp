#include "metal/emulator/compile/compile.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <atomic>
#include <stdexcept>
#include <utility>

#include "metal/device/read_file.h"
#include "metal/emulator/air/contraction.h"
#include "metal/emulator/compile/analysis.h"
#include "metal/emulator/compile/build.h"
#include "metal/emulator/compile/cache_folder.h"
#include "metal/emulator/compile/clang.h"
#include "metal/emulator/compile/compiled_kernel.h"
#include "metal/emulator/compile/files.h"
#include "metal/emulator/compile/flags.h"
#include "metal/emulator/compile/library_path.h"
#include "metal/emulator/compile/overloads.h"
#include "metal/emulator/compile/preprocess.h"
#include "metal/emulator/numerics/instrument.h"
#include "metal/emulator/translate/translate.h"
#include "metal/system/system.h"

namespace assay::metal::emulator {

namespace {

namespace fs = std::filesystem;

/// Opens a copy: of what was read and checked, and because dlopen of a file that is already open returns the same
/// object, with the same constants.
Result<std::shared_ptr<const CompiledShader>> load(const fs::path& object, bool is_checked, const fs::path& work) {
  static std::atomic<unsigned> count = 0;
  const fs::path copy = work / fmt::format("shader-{}.so", count++);
  const auto code = read_own_file(object);
  if (!code) return tl::make_unexpected(code.error());
  const auto analysis = is_checked ? read_own_file(analysis_of(object)) : "";
  if (!analysis) return tl::make_unexpected(analysis.error());
  if (const auto written = write_file(copy, *code); !written) return tl::make_unexpected(written.error());
  try {
    note_use(object);
    if (is_checked) note_use(analysis_of(object));
    return std::make_shared<const CompiledShader>(object, copy, *analysis);
  } catch (const std::runtime_error& cause) {
    return error(Error::Kind::environment, fmt::format("cannot load '{}': {}", object.string(), cause.what()));
  }
}

}  // namespace

CompiledShader::CompiledShader(const fs::path& object, const fs::path& copy, std::string analysis)
    : object_(object), handle_(dlopen(copy.c_str(), RTLD_NOW | RTLD_LOCAL)), analysis_(std::move(analysis)) {
  if (handle_ == nullptr) throw std::runtime_error(dlerror());
  void* const symbol = dlsym(handle_, "assay_shader");
  Dl_info information{};
  if (symbol != nullptr && dladdr(symbol, &information) != 0) {
    load_address_ = information.dli_fbase;
    shader_ = reinterpret_cast<abi::GetShader>(symbol)();
  }
  if (shader_ == nullptr || shader_->version != abi::version) {
    dlclose(handle_);
    throw std::runtime_error("it is not a shader of this version");
  }
}

std::vector<PrivateRead> CompiledShader::private_reads() const {
  const auto headers = find_shader_headers();
  return emulator::private_reads(analysis_, headers ? headers->string() : "");
}

CompiledShader::~CompiledShader() {
  dlclose(handle_);
}

namespace {

Result<std::shared_ptr<const CompiledShader>> compile_kernel_of_library(const fs::path& file,
                                                                        const CompileOptions& options) {
  if (const auto fit = require_fit(file, options); !fit) return tl::make_unexpected(fit.error());
  const auto kernel = read_kernel(file, options.kernels);
  if (!kernel) return tl::make_unexpected(kernel.error());
  const auto text = preprocessed_kernel(*kernel, file, options);
  if (!text) return tl::make_unexpected(text.error());
  const bool may_fuse = options.math_mode != MathMode::ieee;
  return compile_preprocessed(*text, options, may_fuse ? kernel->module : air::unfused(kernel->module));
}

Result<ShaderListing> list_library(const fs::path& file, const CompileOptions& options) {
  if (!options.kernels.empty()) {
    const auto kernel = read_kernel(file, options.kernels);
    if (!kernel) return tl::make_unexpected(kernel.error());
    const auto text = preprocessed_kernel(*kernel, file, options);
    if (!text) return tl::make_unexpected(text.error());
    return list_kernels(*text);
  }
  const auto libraries = libraries_in(file);
  if (!libraries) return tl::make_unexpected(libraries.error());
  ShaderListing listing;
  for (const NamedLibrary& one : *libraries)
    for (const air::LibraryKernel& kernel : one.library.kernels)
      listing.kernels.push_back({kernel.name, "", 0, {}, {}});
  return listing;
}

Result<std::string> preprocessed(std::string_view source, const fs::path& name, const CompileOptions& options) {
  const auto work = cache_folder(options.cache).and_then(TemporaryFolder::make);
  if (!work) return tl::make_unexpected(work.error());
  const auto clang = find_clang();
  if (!clang) return tl::make_unexpected(clang.error());
  return preprocess(*clang, source, name, options, Purpose::run, work->path());
}

}  // namespace

Result<std::shared_ptr<const CompiledShader>> compile_source(std::string_view source, const fs::path& name,
                                                             const CompileOptions& options) {
  const auto text = preprocessed(source, name, options);
  if (!text) return tl::make_unexpected(text.error());
  return compile_preprocessed(*text, options);
}

Result<std::shared_ptr<const CompiledShader>> compile_preprocessed(std::string_view preprocessed,
                                                                   const CompileOptions& options,
                                                                   std::string_view module) {
  const auto cache = cache_folder(options.cache);
  const auto work = cache.and_then(TemporaryFolder::make);
  if (!work) return tl::make_unexpected(work.error());
  const auto clang = find_clang();
  if (!clang) return tl::make_unexpected(clang.error());
  const bool is_lax = options.math_mode >= MathMode::relaxed;
  const auto text = translate_resolved(*clang, is_lax ? with_safe_sections(preprocessed) : std::string(preprocessed),
                                       options, work->path());
  if (!text) return tl::make_unexpected(text.error());

  std::string flags;
  for (const CompilingStep& step : compiling_steps(options, ""))
    flags += fmt::format("{}\n", fmt::join(step.flags, " "));
  const std::string key =
      fmt::format("{}\n{}\n{}\n{}{}\n{}{}", abi::version, options.with_numerics ? instrumentation : 0, clang->version,
                  flags, system::processor_features(), *text, module);
  const fs::path object = *cache / (content_name(key) + ".so");
  if (fs::exists(object))
    if (auto cached = load(object, options.is_checked, work->path())) return cached;
  const auto built = build(*clang, *text, module, options, work->path(), object);
  if (!built) return tl::make_unexpected(built.error());
  trim_cache(*cache, options.cache_limit);
  return load(object, options.is_checked, work->path());
}

Result<std::shared_ptr<const CompiledShader>> compile_file(const fs::path& file, const CompileOptions& options) {
  if (is_library_file(file)) return compile_kernel_of_library(file, options);
  const auto source = read_text(file);
  if (!source) return tl::make_unexpected(source.error());
  return compile_source(*source, file, options);
}

Result<std::string> preprocess_file(const fs::path& file, const CompileOptions& options) {
  if (const auto fit = require_source(file, "a preprocessor"); !fit) return tl::make_unexpected(fit.error());
  const auto source = read_text(file);
  if (!source) return tl::make_unexpected(source.error());
  return preprocessed(*source, file, options);
}

Result<ShaderListing> list_file(const fs::path& file, const CompileOptions& options) {
  if (is_library_file(file)) return list_library(file, options);
  const auto text = preprocess_file(file, options);
  if (!text) return tl::make_unexpected(text.error());
  return list_kernels(*text);
}

}  // namespace assay::metal::emulator
