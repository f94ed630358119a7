// The options of `assay metal` that say where findings go, beside standard output.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "validation/shader/finding.h"

namespace assay::validation {

class FindingOptions {
 public:
  /// --sarif and --github.
  void add_files(CLI::App& command);

  /// --sarif and --github, and a paragraph of the help that says how a comment allows findings.
  void add_findings(CLI::App& command);

  /// Writes the findings where the options say.
  void write(const std::vector<ShaderFinding>& findings) const;

  bool writes_findings() const { return github_ || !sarif_.empty(); }

 private:
  std::string sarif_;
  bool github_ = false;
};

}  // namespace assay::validation
