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

  /// The same, and in the help how findings are allowed.
  void add_findings(CLI::App& command);

  /// Writes them where the options say.
  void write(const std::vector<ShaderFinding>& findings) const;

 private:
  std::string sarif_;
  bool github_ = false;
};

}  // namespace assay::validation
