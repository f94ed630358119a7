#include "metal/emulator/compile/lint.h"

#include "metal/device/read_file.h"
#include "metal/emulator/compile/analysis.h"
#include "metal/emulator/compile/cache_folder.h"
#include "metal/emulator/compile/clang.h"
#include "metal/emulator/compile/files.h"
#include "metal/emulator/compile/flags.h"
#include "metal/emulator/compile/library_path.h"
#include "metal/emulator/compile/lint_messages.h"
#include "metal/emulator/compile/overloads.h"
#include "metal/emulator/compile/precompiled.h"
#include "metal/emulator/compile/preprocess.h"
#include "metal/emulator/compile/private_reads.h"
#include "metal/emulator/translate/translate.h"

namespace assay::metal::emulator {

namespace {

struct Messages {
  std::string refusals, warnings;
};

Result<Messages> lint_messages(std::string_view source, const std::filesystem::path& name,
                               const CompileOptions& options) {
  const auto work = cache_folder(options.cache).and_then(TemporaryFolder::make);
  if (!work) return tl::make_unexpected(work.error());
  const auto clang = find_clang();
  if (!clang) return tl::make_unexpected(clang.error());
  const auto headers = find_shader_headers();
  if (!headers) return tl::make_unexpected(headers.error());
  auto preprocessed = preprocess(*clang, source, name, options, Purpose::lint, work->path());
  if (!preprocessed) return tl::make_unexpected(preprocessed.error());
  const auto translated = translate_for_lint(*preprocessed);
  if (!translated) return tl::make_unexpected(translated.error());
  const std::filesystem::path input = work->path() / "translated";
  const auto written = write_file(input, translated->text);
  if (!written) return tl::make_unexpected(written.error());
  const auto run = run_clang(*clang, linting_flags(), input, work->path() / "output");
  if (!run) return tl::make_unexpected(run.error());
  return Messages{translated->refusals + address_space_errors(run->messages, headers->string()), translated->warnings};
}

/// The messages of the analysis. If the shader does not compile at all, lint's errors would only follow from the
/// compiler's.
Result<std::string> analysis_messages(std::string_view source, const std::filesystem::path& name,
                                      const CompileOptions& options) {
  const auto work = cache_folder(options.cache).and_then(TemporaryFolder::make);
  if (!work) return tl::make_unexpected(work.error());
  const auto clang = find_clang();
  if (!clang) return tl::make_unexpected(clang.error());
  const auto preprocessed = preprocess(*clang, source, name, options, Purpose::run, work->path());
  if (!preprocessed) return tl::make_unexpected(preprocessed.error());
  const auto translated = translate_resolved(*clang, *preprocessed, options, work->path());
  if (!translated) return tl::make_unexpected(translated.error());
  CompilingStep first = compiling_steps(options, work->path() / "object").front();
  const auto rest = take_in_library(*clang, *translated, options, work->path(), first);
  if (!rest) return tl::make_unexpected(rest.error());
  const std::filesystem::path input = work->path() / "translated";
  if (const auto written = write_file(input, *rest); !written) return tl::make_unexpected(written.error());
  return analysis_of_text(*clang, first, input, work->path() / "output");
}

}  // namespace

Result<std::string> lint_source(std::string_view source, const std::filesystem::path& name,
                                const CompileOptions& options) {
  const auto analysed = analysis_messages(source, name, options);
  if (!analysed) return tl::make_unexpected(analysed.error());
  const auto messages = lint_messages(source, name, options);
  if (!messages) return tl::make_unexpected(messages.error());
  std::string warnings = messages->warnings + to_lines(private_reads(*analysed, find_shader_headers()->string()));
  if (!messages->refusals.empty()) return error(Error::Kind::lint, messages->refusals + warnings);
  return warnings;
}

Result<std::string> lint_file(const std::filesystem::path& file, const CompileOptions& options) {
  if (const auto fit = require_source(file, "lint"); !fit) return tl::make_unexpected(fit.error());
  const auto source = read_text(file);
  if (!source) return tl::make_unexpected(source.error());
  return lint_source(*source, file, options);
}

}  // namespace assay::metal::emulator
