// Comments in a shader that allow what was found at their line, with the reason:
//
//   flag[0] = 1;  // assay: allow racecheck - all threads write 1
//
// A comment alone on its line speaks of the next line of code. Of a race, either place may have the comment.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "metal/emulator/check/report.h"

namespace assay::validation {

class Allowances {
 public:
  /// The reason for which a comment at one of the places allows the rule: a check, or "lint". Throws
  /// std::invalid_argument, naming file and line, for a comment in one of these files that has no reason or names
  /// no rule.
  std::optional<std::string> reason(const std::string& rule,
                                    const std::vector<metal::emulator::SourcePosition>& places);

 private:
  /// Reasons by rule, by line.
  using Lines = std::map<std::uint32_t, std::map<std::string, std::string>>;
  const Lines& of_file(const std::string& file);

  std::map<std::string, Lines> files_;
};

}  // namespace assay::validation
