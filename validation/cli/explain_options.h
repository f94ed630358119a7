// The options of a command that explains failures: what following each operation finds, as `metal check --numerics`
// reports it.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

#include "validation/cli/finding_options.h"
#include "validation/core/explanation.h"

namespace assay::validation {

class ExplainOptions : public FindingOptions {
 public:
  /// --explain, --json, --html, --sarif and --github. Returns the first.
  CLI::Option* add(CLI::App& command);

  bool explains() const { return explains_; }

  /// Prints the findings about the kernel, and writes them where the options say.
  void report(const Explanation& explanation, const std::string& kernel) const;

 private:
  bool explains_ = false;
  std::string json_, html_;  ///< empty: none
};

}  // namespace assay::validation
