#include "metal/emulator/compile/compile.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <atomic>
#include <future>
#include <stdexcept>
#include <utility>

#include "metal/device/read_file.h"
#include "metal/emulator/compile/clang.h"
#include "metal/emulator/compile/files.h"
#include "metal/emulator/compile/flags.h"
#include "metal/emulator/compile/preprocess.h"
#include "metal/emulator/numerics/inexact_division.h"
#include "metal/emulator/numerics/instrument.h"
#include "metal/emulator/translate/translate.h"
#include "metal/system/system.h"

namespace assay::metal::emulator {

namespace {

namespace fs = std::filesystem;

/// The processor's features, on which the result of -march=native depends.
std::string processor() {
  return system::processor_features();
}

/// Where the messages of the analysis are kept, if there are any.
fs::path analysis_of(const fs::path& object) {
  return fs::path(object).replace_extension(".analysis");
}

/// The messages of the analysis up to its end or its time limit. If the analysis fails, the compilation fails too.
std::string analyse(const Clang& clang, const fs::path& input, const fs::path& output) {
  const auto run = run_clang(clang, analysis_flags(true), input, output, analysis_seconds);
  return run ? run->messages : "";
}

/// Rewrites the output of a step: divisions become the divisions that the mode permits, and floating-point operations
/// call hooks.
Result<void> rewrite(const fs::path& output, const CompileOptions& options, bool is_safe) {
  auto text = read_file(output);
  const auto headers = find_shader_headers();
  if (!text) return tl::make_unexpected(text.error());
  if (!headers) return tl::make_unexpected(headers.error());
  *text = with_inexact_division(*text);
  if (is_safe) *text = with_infinite_arguments(std::move(*text));
  return write_file(output, options.with_numerics ? instrument_numerics(*text, headers->string()) : *text);
}

/// Compiles into another file and renames it to `object`, since other processes may do the same at the same time.
Result<void> build(const Clang& clang, const std::string& text, const CompileOptions& options, const fs::path& work,
                   const fs::path& object) {
  const fs::path built = work / "object";
  fs::path input = work / "translated";
  const auto written = write_file(input, text);
  if (!written) return tl::make_unexpected(written.error());
  std::future<std::string> analysis;
  if (options.is_checked) analysis = std::async(std::launch::async, analyse, clang, input, work / "analysis");
  for (const CompilingStep& step : compiling_steps(options, built)) {
    const auto run = run_clang(clang, step.flags, input, work / "messages");
    if (!run) return tl::make_unexpected(run.error());
    if (run->status != 0) {
      const auto linker = step.output == built ? require_linker(clang) : Result<void>();
      return linker ? error(Error::Kind::compile, run->messages) : linker;
    }
    if (step.is_rewritten)
      if (const auto rewritten = rewrite(step.output, options, is_safe(text)); !rewritten) return rewritten;
    input = step.output;
  }
  std::error_code failure;
  if (analysis.valid())
    if (const std::string messages = analysis.get(); !messages.empty()) {
      if (const auto kept = write_file(work / "kept", messages); !kept) return kept;
      fs::rename(work / "kept", analysis_of(object), failure);
    }
  if (!failure) fs::rename(built, object, failure);
  if (failure)
    return error(Error::Kind::environment, fmt::format("cannot write '{}': {}", object.string(), failure.message()));
  return {};
}

/// Opens a copy, because dlopen of a file that is already open returns the same object, with the same constants.
Result<std::shared_ptr<const CompiledShader>> load(const fs::path& object, const fs::path& work) {
  static std::atomic<unsigned> count = 0;
  const fs::path copy = work / fmt::format("shader-{}.so", count++);
  std::error_code failure;
  fs::copy_file(object, copy, failure);
  if (failure)
    return error(Error::Kind::environment, fmt::format("cannot read '{}': {}", object.string(), failure.message()));
  try {
    note_use(object);
    return std::make_shared<const CompiledShader>(object, copy, read_file(analysis_of(object)).value_or(""));
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

Result<std::string> preprocessed(std::string_view source, const fs::path& name, const CompileOptions& options) {
  const auto work = TemporaryFolder::make(cache_folder(options));
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
                                                                   const CompileOptions& options) {
  const fs::path cache = cache_folder(options);
  auto work = TemporaryFolder::make(cache);
  if (!work) return tl::make_unexpected(work.error());
  const auto clang = find_clang();
  if (!clang) return tl::make_unexpected(clang.error());
  const bool is_lax = options.math_mode >= MathMode::relaxed;
  const auto text = translate(is_lax ? with_safe_sections(preprocessed) : std::string(preprocessed), options.kernel);
  if (!text) return tl::make_unexpected(text.error());

  std::string flags;
  for (const CompilingStep& step : compiling_steps(options, ""))
    flags += fmt::format("{}\n", fmt::join(step.flags, " "));
  const std::string key = fmt::format("{}\n{}\n{}{}\n{}", abi::version, clang->version, flags, processor(), *text);
  const fs::path object = cache / (content_name(key) + ".so");
  if (fs::exists(object))
    if (auto cached = load(object, work->path())) return cached;
  const auto built = build(*clang, *text, options, work->path(), object);
  if (!built) return tl::make_unexpected(built.error());
  trim_cache(cache, options.cache_limit);
  return load(object, work->path());
}

Result<std::shared_ptr<const CompiledShader>> compile_file(const fs::path& file, const CompileOptions& options) {
  const auto source = read_file(file);
  if (!source) return tl::make_unexpected(source.error());
  return compile_source(*source, file, options);
}

Result<std::string> preprocess_file(const fs::path& file, const CompileOptions& options) {
  const auto source = read_file(file);
  if (!source) return tl::make_unexpected(source.error());
  return preprocessed(*source, file, options);
}

Result<ShaderListing> list_file(const fs::path& file, const CompileOptions& options) {
  const auto text = preprocess_file(file, options);
  if (!text) return tl::make_unexpected(text.error());
  return list_kernels(*text);
}

}  // namespace assay::metal::emulator
