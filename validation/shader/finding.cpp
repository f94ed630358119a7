#include "validation/shader/finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "metal/emulator/compile/message.h"
#include "validation/core/json_text.h"

namespace assay::validation {

namespace {

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// Advice on a message of lint or of the compiler.
std::string advice_for(const std::string& rule, std::string_view message) {
  if (rule == "compile") return "change the source as the message says";
  if (has(message, "address space")) return "name the address space of what is pointed to, and keep it";
  if (has(message, "uninitialized") || has(message, "has no value") || has(message, "undefined"))
    return "give the variable a value where it is declared";
  if (has(message, "simd") || has(message, "quad") || has(message, "barrier"))
    return "let all lanes of the simdgroup come to it: move it out of the branch or the loop";
  return "Metal does not allow it: write the shader without";
}

ShaderFinding finding_of(const metal::emulator::Report& report) {
  ShaderFinding finding{to_string(report.check), report.is_warning, {}, report.advice, report.event.position};
  finding.message = fmt::format("kernel {}: {}", report.kernel, report.message);
  if (!report.address.empty()) finding.message += fmt::format(" ({})", report.address);
  if (report.other) {
    finding.other_message = report.other->action;
    finding.other = report.other->position;
  }
  finding.text = to_string(report);
  return finding;
}

/// A note belongs to the message before it.
void add_note(std::vector<ShaderFinding>& findings, const metal::emulator::CompilerMessage& note) {
  if (findings.empty() || !findings.back().other_message.empty()) return;
  findings.back().other_message = note.text;
  findings.back().other = note.position;
}

ShaderFinding error_of_run(const ShaderScript& script, const std::string& text) {
  ShaderFinding finding{"run",
                        false,
                        text,
                        "change what is run, or the kernel, so that it comes to its end",
                        {script.source.string(), 0, 0}};
  finding.text = text;
  return finding;
}

}  // namespace

const std::vector<FindingRule>& finding_rules() {
  static const std::vector<FindingRule> all = {
      {"memcheck", "An access outside of every bound buffer and threadgroup allocation."},
      {"initcheck", "A read of memory or of a variable that nothing has written."},
      {"racecheck", "Two threads access the same memory, one of them writing, and nothing orders them."},
      {"synccheck", "A barrier at which some threads wait while others do not come to it."},
      {"simdcheck", "A simdgroup operation that not all lanes execute."},
      {"intcheck", "An integer operation whose result is undefined, as a division by zero."},
      {"numcheck", "A NaN or an infinity made out of numbers, or a line that loses digits."},
      {"schedcheck", "A result that depends on the order in which threads come to their atomic accesses."},
      {"lint", "What Metal does not allow, or what may not be meant."},
      {"compile", "The shader does not compile."},
      {"run", "The kernel did not run to its end."},
  };
  return all;
}

std::vector<ShaderFinding> findings_of(const ShaderScript& script, const ShaderOutcome& outcome) {
  std::vector<ShaderFinding> findings;
  for (const auto* reports : {&outcome.reports, &outcome.warnings})
    for (const metal::emulator::Report& report : *reports) findings.push_back(finding_of(report));
  for (const auto& [report, reason, is_in_source] : outcome.allowed) {
    ShaderFinding& finding = findings.emplace_back(finding_of(report));
    finding.reason = reason;
    finding.is_allowed_in_source = is_in_source;
  }
  if (outcome.error && outcome.error->kind == metal::Error::Kind::compile)
    std::ranges::move(findings_in(outcome.error->text, "compile"), std::back_inserter(findings));
  if (outcome.error && passed(findings)) findings.push_back(error_of_run(script, outcome.error->text));
  return findings;
}

std::vector<ShaderFinding> findings_in(std::string_view messages, const std::string& rule) {
  std::vector<ShaderFinding> findings;
  std::istringstream lines{std::string(messages)};
  for (std::string line; std::getline(lines, line);) {
    const auto message = metal::emulator::message_in(line);
    if (message && message->kind != "note")
      findings.push_back({rule, message->kind == "warning", std::string(message->text), advice_for(rule, message->text),
                          message->position});
    else if (message)
      add_note(findings, *message);
    if (!findings.empty()) findings.back().text += (findings.back().text.empty() ? "" : "\n") + line;
  }
  return findings;
}

std::string path_in_folder(const std::string& file) {
  const auto path = std::filesystem::absolute(file).lexically_normal();
  const auto relative = path.lexically_relative(std::filesystem::current_path());
  return (relative.empty() || *relative.begin() == ".." ? path : relative).generic_string();
}

bool passed(const std::vector<ShaderFinding>& findings) {
  return std::ranges::all_of(findings, [](const auto& finding) { return finding.is_warning || finding.reason; });
}

std::string to_json(const std::vector<ShaderFinding>& findings) {
  using nlohmann::ordered_json;
  ordered_json list = ordered_json::array();
  for (const ShaderFinding& finding : findings)
    list.push_back({{"rule", finding.rule},
                    {"level", finding.is_warning ? "warning" : "error"},
                    {"message", finding.message},
                    {"advice", finding.advice},
                    {"file", finding.position.file},
                    {"line", finding.position.line},
                    {"column", finding.position.column},
                    {"allowed", finding.reason ? ordered_json(*finding.reason) : ordered_json()}});
  const ordered_json all = {{"findings", list}};
  return json_text(all, 2) + "\n";
}

}  // namespace assay::validation
