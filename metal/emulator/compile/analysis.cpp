#include "metal/emulator/compile/analysis.h"

namespace assay::metal::emulator {

namespace fs = std::filesystem;

Result<std::string> analysis_of_text(const Clang& clang, const CompilingStep& first, const fs::path& input,
                                     const fs::path& output) {
  auto run = run_clang(clang, analysis_flags(first, true), input, output, limits_for_analysis);
  if (run && run->status > 1) run = run_clang(clang, analysis_flags(first, false), input, output);
  if (!run) return tl::make_unexpected(run.error());
  if (run->status != 0) return tl::make_unexpected(error_of(*run));
  return run->messages;
}

fs::path analysis_of(const fs::path& object) {
  return fs::path(object).replace_extension(".analysis");
}

}  // namespace assay::metal::emulator
