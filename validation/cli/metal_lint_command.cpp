// assay metal lint FILE.metal: what Apple's compiler would refuse, found without one.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

#include "metal/emulator/compile/lint.h"
#include "validation/cli/commands.h"
#include "validation/cli/finding_options.h"
#include "validation/cli/shader_options.h"
#include "validation/core/terminal.h"
#include "validation/report/report_file.h"
#include "validation/shader/allow.h"
#include "validation/shader/compiled.h"

namespace assay::validation {
namespace {

struct LintOptions : ShaderOptions, FindingOptions {
  std::string json;
};

/// What lint says, with the reasons of comments that allow it. An error whose text has no places is one finding.
std::vector<ShaderFinding> lint_findings(const ShaderScript& script) {
  using Kind = metal::Error::Kind;
  const auto result = metal::emulator::lint_file(script.source, compile_options(script));
  if (!result && result.error().kind != Kind::lint && result.error().kind != Kind::compile)
    throw std::invalid_argument(result.error().text);
  const bool compiles = result || result.error().kind == Kind::lint;
  auto findings = findings_in(result ? *result : result.error().text, compiles ? "lint" : "compile");
  Allowances allowances(script.suppressions);
  for (ShaderFinding& finding : findings)
    if (const auto allowance = allowances.find(finding.rule, {finding.position})) {
      finding.reason = allowance->reason;
      finding.is_allowed_in_source = allowance->is_in_source;
    }
  if (!result && findings.empty())
    findings.push_back({"compile", false, result.error().text, "change the source as the message says", {}});
  return findings;
}

/// "2 found", "warnings only", "nothing found"
std::string lint_summary(const std::vector<ShaderFinding>& findings) {
  const auto allowed = std::ranges::count_if(findings, [](const auto& finding) { return finding.reason.has_value(); });
  const auto errors =
      std::ranges::count_if(findings, [](const auto& finding) { return !finding.is_warning && !finding.reason; });
  const bool is_quiet = std::cmp_equal(allowed, findings.size());
  const std::string found = errors > 0 ? fmt::format("{} found", errors) : is_quiet ? "nothing found" : "warnings only";
  return allowed > 0 ? fmt::format("{}, {} allowed", found, allowed) : found;
}

int lint(const LintOptions& options) {
  const ShaderScript script = options.script();
  const auto findings = lint_findings(script);
  for (const ShaderFinding& finding : findings)
    if (finding.reason)
      tell("{}: allowed: {}\n", to_string(finding.position), *finding.reason);
    else
      tell("{}\n  to mend it, {}\n", finding.text.empty() ? finding.message : finding.text, finding.advice);
  tell("{}: {}\n", script.source.filename().string(), lint_summary(findings));
  options.write(findings);
  if (!options.json.empty()) write_atomically(options.json, to_json(findings));
  return passed(findings) ? 0 : 1;
}

}  // namespace

void add_metal_lint_command(CLI::App& metal, Action& action) {
  auto* command = metal.add_subcommand("lint", "Refuse what Apple's compiler would refuse");
  const auto options = std::make_shared<LintOptions>();
  options->add_source(*command, "The shader, a .metal file");
  command->add_option("--json", options->json, "Also write the findings to this file");
  options->add_findings(*command);
  command->callback([&action, options] { action = [options] { return lint(*options); }; });
}

}  // namespace assay::validation
