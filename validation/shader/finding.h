// Findings in a shader, by a check, by lint or by the compiler, in one form from which all formats are written.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "metal/emulator/check/report.h"
#include "validation/shader/run.h"

namespace assay::validation {

struct ShaderFinding {
  std::string rule;  ///< one of finding_rules()
  bool is_warning = false;
  std::string message;
  std::string advice;  ///< how to mend it
  metal::emulator::SourcePosition position;
  std::string other_message = {};  ///< what happened at the other place; empty if there is none
  metal::emulator::SourcePosition other = {};
  std::optional<std::string> reason = {};  ///< of the comment or suppression that allows it (allow.h)
  bool is_allowed_in_source = true;        ///< by a comment, if it is allowed
  std::string text = {};                   ///< the whole report, in several lines
};

struct FindingRule {
  const char* name;
  const char* description;
};

/// The checks, then "lint", "compile" and "run".
const std::vector<FindingRule>& finding_rules();

/// The findings of an outcome: reports, warnings, allowed findings, and the error.
std::vector<ShaderFinding> findings_of(const ShaderScript& script, const ShaderOutcome& outcome);

/// From lines "file:line:column: error: text" and "... warning: text", and notes behind each.
std::vector<ShaderFinding> findings_in(std::string_view messages, const std::string& rule);

/// The path of a file below the working folder, relative to that folder; of another file, its absolute path.
std::string path_in_folder(const std::string& file);

/// Whether each error is allowed.
bool passed(const std::vector<ShaderFinding>& findings);

/// {"findings": [{"rule", "level": "error" or "warning", "message", "advice", "file", "line", "column", "allowed": null
/// or the reason}]}
std::string to_json(const std::vector<ShaderFinding>& findings);

}  // namespace assay::validation
