#include "metal/emulator/compile/build.h"

#include <fmt/format.h>

#include <future>
#include <utility>
#include <vector>

#include "metal/device/read_file.h"
#include "metal/emulator/compile/analysis.h"
#include "metal/emulator/compile/files.h"
#include "metal/emulator/compile/host_code.h"
#include "metal/emulator/compile/precompiled.h"
#include "metal/emulator/numerics/inexact_division.h"
#include "metal/emulator/numerics/instrument.h"
#include "metal/emulator/translate/translate.h"

namespace assay::metal::emulator {

namespace {

namespace fs = std::filesystem;

/// Rewrites the output of a step: divisions become the divisions that the mode permits, and floating-point operations
/// call hooks.
Result<void> rewrite(const fs::path& output, const CompileOptions& options, std::string_view source) {
  auto text = read_file(output);
  const auto headers = find_shader_headers();
  if (!text) return tl::make_unexpected(text.error());
  if (!headers) return tl::make_unexpected(headers.error());
  *text = with_inexact_division(*text);
  if (is_safe(source)) *text = with_infinite_arguments(std::move(*text));
  if (!options.with_numerics) return write_file(output, *text);
  const auto stated = stated_functions(source);
  if (!stated) return tl::make_unexpected(stated.error());
  return write_file(output, instrument_numerics(*text, headers->string(), *stated));
}

/// Takes a step of compiling `text`, and looks at what it made: the first step shows code that would run when the
/// shader is loaded, the last one calls of functions that are not there.
Result<void> take(const CompilingStep& step, const Clang& clang, const fs::path& input, const fs::path& work,
                  std::string_view text) {
  const bool is_first = input == work / "translated", is_last = step.output == work / "object";
  const auto run = run_clang(clang, step.flags, input, work / "messages");
  if (!run) return tl::make_unexpected(run.error());
  if (run->status != 0) {
    auto linker = is_last ? require_linker(clang) : Result<void>();
    if (!linker) return linker;
    return tl::make_unexpected(error_of(*run));
  }
  const auto made = is_first || is_last ? read_file(step.output) : Result<std::string>();
  if (!made) return tl::make_unexpected(made.error());
  if (is_first && runs_when_loaded(*made)) return tl::make_unexpected(error_of_loading(clang, step, input, text));
  return is_last ? refuse_host_calls(*made, text) : Result<void>();
}

}  // namespace

Result<void> take_in_module(const Clang& clang, std::string_view module, const fs::path& work, CompilingStep& step,
                            const std::string& target) {
  if (module.empty()) return {};
  const fs::path text = work / "module", bitcode = work / "module.bc";
  if (const auto written = write_file(text, module); !written) return written;
  const auto run = run_clang(clang, assembling_flags(bitcode, target), text, {});
  if (!run) return tl::make_unexpected(run.error());
  if (run->status != 0) return tl::make_unexpected(error_of(*run));
  link_module(step, bitcode);
  return {};
}

Result<void> build(const Clang& clang, const std::string& text, std::string_view module, const CompileOptions& options,
                   const fs::path& work, const fs::path& object) {
  const fs::path built = work / "object";
  fs::path input = work / "translated";
  auto steps = compiling_steps(options, built);
  const auto rest = take_in_library(clang, text, options, work, steps.front());
  if (!rest) return tl::make_unexpected(rest.error());
  if (const auto written = write_file(input, *rest); !written) return written;
  if (const auto taken_in = take_in_module(clang, module, work, steps.front()); !taken_in) return taken_in;
  std::future<Result<std::string>> analysis;
  if (options.is_checked && module.empty())
    analysis = std::async(std::launch::async, analysis_of_text, clang, steps.front(), input, work / "analysis");
  else if (options.is_checked)  // the text of a module's kernel has no variables of its own
    analysis = std::async(std::launch::deferred, [] { return Result<std::string>(""); });
  for (const CompilingStep& step : steps) {
    if (const auto taken = take(step, clang, input, work, text); !taken) return taken;
    if (step.is_rewritten)
      if (const auto rewritten = rewrite(step.output, options, text); !rewritten) return rewritten;
    input = step.output;
  }
  std::error_code failure;
  if (analysis.valid()) {
    const auto messages = analysis.get();
    if (!messages) return tl::make_unexpected(messages.error());
    if (const auto kept = write_file(work / "kept", *messages); !kept) return kept;
    fs::rename(work / "kept", analysis_of(object), failure);
  }
  if (!failure) fs::rename(built, object, failure);
  if (failure)
    return error(Error::Kind::environment, fmt::format("cannot write '{}': {}", object.string(), failure.message()));
  return {};
}

}  // namespace assay::metal::emulator
