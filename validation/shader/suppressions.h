// A file that allows findings in shaders that should not be changed, by check, file and line, with the reason:
//
//   # sort.metal of release 1.4
//   racecheck kernels/sort.metal:120 - all threads write the same value
//
// The path may be the end of a longer path. Empty lines and lines that begin with # are ignored.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "metal/emulator/check/report.h"

namespace assay::validation {

class Suppressions {
 public:
  Suppressions() = default;

  /// Throws std::invalid_argument, naming file and line, if the file cannot be read or a line is not of the form above.
  explicit Suppressions(const std::filesystem::path& path);

  /// The reason for which the rule, a check or "lint", is allowed at the place.
  std::optional<std::string> reason(const std::string& rule, const metal::emulator::SourcePosition& place) const;

 private:
  struct Entry {
    std::string rule;
    std::filesystem::path file;
    std::uint32_t line = 0;
    std::string reason;
  };
  std::vector<Entry> entries_;
};

}  // namespace assay::validation
