#include "validation/cli/finding_options.h"

#include <fmt/format.h>

#include "validation/core/terminal.h"
#include "validation/report/report_file.h"
#include "validation/shader/allow.h"
#include "validation/shader/annotations.h"
#include "validation/shader/sarif.h"

namespace assay::validation {

void FindingOptions::add_files(CLI::App& command) {
  command.add_option("--sarif", sarif_, "Also write the findings to this file, in SARIF 2.1.0");
  command.add_flag("--github", github_, "Also print an annotation of each finding for GitHub Actions");
}

void FindingOptions::add_findings(CLI::App& command) {
  add_files(command);
  command.footer(fmt::format(
      "A comment in the shader allows what is found at its line, or at the next if it stands alone:\n"
      "  // assay: allow racecheck - REASON\n"
      "with {}.\n"
      "A file does the same for shaders that you do not change. Give it by --suppress. Each line is of this form:\n"
      "  racecheck kernels/sort.metal:120 - REASON\n"
      "Exit status: 0 nothing found but warnings and what is allowed, 1 something found, 2 bad usage.",
      allowable_checks));
}

void FindingOptions::write(const std::vector<ShaderFinding>& findings) const {
  if (!sarif_.empty()) write_atomically(sarif_, to_sarif(findings));
  if (github_) write_text(stdout, to_annotations(findings));
}

}  // namespace assay::validation
