#include "validation/cli/explain_options.h"

#include <fmt/format.h>

#include "validation/cli/shader_options.h"
#include "validation/core/terminal.h"
#include "validation/report/report_file.h"
#include "validation/shader/json.h"
#include "validation/shader/numerics_html.h"
#include "validation/shader/numerics_text.h"

namespace assay::validation {
namespace {

ShaderOutcome outcome_of(const Explanation& explanation) {
  ShaderOutcome outcome;
  outcome.is_checked = true;
  for (const auto& report : explanation.reports())
    (report.is_warning ? outcome.warnings : outcome.reports).push_back(report);
  if (const auto* const worst = explanation.worst()) outcome.losses = {*worst};
  return outcome;
}

}  // namespace

CLI::Option* ExplainOptions::add(CLI::App& command) {
  auto* explain = command.add_flag("--explain", explains_,
                                   "Follow the operations of a shader or of an instrumented plug-in, and report as "
                                   "`metal check --numerics` does");
  command.add_option("--json", json_, "Also write what --explain finds to this file")->needs(explain);
  command.add_option("--html", html_, "Likewise, the source as a heat map of the error")->needs(explain);
  add_files(command);
  for (const char* const name : {"--sarif", "--github"}) command.get_option(name)->needs(explain);
  return explain;
}

void ExplainOptions::report(const Explanation& explanation, const std::string& kernel) const {
  ShaderScript script;
  script.source = kernel;
  const ShaderOutcome outcome = outcome_of(explanation);
  tell("\n");
  print_outcome(script, outcome);
  for (const auto& losses : outcome.losses) tell("{}", numerics_text(losses));
  if (outcome.losses.empty()) tell("{}", explanation.why().text);
  write(findings_of(script, outcome));
  if (!html_.empty()) write_atomically(html_, numerics_html(script, outcome));
  if (!json_.empty()) write_atomically(json_, to_json(script, outcome));
}

}  // namespace assay::validation
