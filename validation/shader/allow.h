// Comments in a shader that allow the findings at their line, with the reason:
//
//   flag[0] = 1;  // assay: allow racecheck - all threads write 1
//
// A comment alone on its line is about the next line of code. A race is allowed by a comment at either of its two
// places. A file of suppressions (suppressions.h) allows findings in shaders that should not be changed.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "metal/emulator/check/report.h"
#include "validation/shader/suppressions.h"

namespace assay::validation {

/// The checks that can be allowed, and "lint", in words.
inline constexpr const char* allowable_checks =
    "memcheck, initcheck, racecheck, synccheck, simdcheck, intcheck, numcheck, schedcheck or lint";
bool can_be_allowed(std::string_view rule);

/// The reason for which a finding is allowed.
struct Allowance {
  std::string reason;
  bool is_in_source = true;  ///< by a comment, and not by a suppression
};

class Allowances {
 public:
  /// `suppressions` is a file, or empty. Throws as Suppressions does.
  explicit Allowances(const std::filesystem::path& suppressions = {})
      : suppressions_(suppressions.empty() ? Suppressions() : Suppressions(suppressions)) {}

  /// The comment or the suppression at one of the places that allows the rule: a check, or "lint". Throws
  /// std::invalid_argument, naming file and line, for a comment in one of these files that has no reason or names
  /// no rule.
  std::optional<Allowance> find(const std::string& rule, const std::vector<metal::emulator::SourcePosition>& places);

 private:
  /// Reasons by rule, by line.
  using Lines = std::map<std::uint32_t, std::map<std::string, std::string>>;
  const Lines& of_file(const std::string& file);

  Suppressions suppressions_;
  std::map<std::string, Lines> files_;
};

}  // namespace assay::validation
