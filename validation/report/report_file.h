// Report files: written so that a reader never sees half a file, and read in any of the three formats.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "validation/report/record.h"

namespace assay::validation {

/// The files that a report is written to. An empty path means no file; the path "-" for `json` means standard output.
struct ReportFiles {
  std::string json;
  std::string junit;
  std::string html;
};

/// Throws std::runtime_error if the folder of a file does not exist, a file is a folder itself, or two of the files are
/// one. Call it before a long run.
void require_folders(const ReportFiles& files);

/// Throws std::runtime_error, naming the file, if a file cannot be written.
void write_report(const Report& report, const ReportFiles& files);

/// Writes a temporary file beside `path` and renames it, so that `path` holds either its old content or all of `text`.
/// A device or a pipe is written to directly. Throws std::runtime_error if writing fails.
void write_atomically(const std::filesystem::path& path, const std::string& text);

/// Reads a JSON report. Throws std::invalid_argument or std::runtime_error, naming the file and what is wrong with it.
Report read_report(const std::filesystem::path& path);

/// Rewrites a JSON report now and then during a run, so that a killed run can be resumed.
class Checkpoint {
 public:
  explicit Checkpoint(std::string path, std::chrono::seconds interval = std::chrono::seconds(30))
      : path_(std::move(path)), interval_(interval) {}

  /// Whether to write now: true at the first call and then once in an interval, and never if the path is not a file.
  bool is_due() const;
  /// Throws as write_report does at the first call alone: a run that has begun ends with its results.
  void write(const Report& report);

 private:
  std::string path_;
  std::chrono::seconds interval_;
  std::chrono::steady_clock::time_point last_{};
};

/// A failure of a report, for `assay replay`.
struct ReportedFailure {
  std::string property;
  std::string words;  ///< "operation=... property=... kernel=... T=..."; empty where no case alone fails
  int digits = 50;
  std::string line = {};  ///< the command that leads to the failure
};

/// The failures of a report in JSON, JUnit XML or HTML. Throws as read_report does.
std::vector<ReportedFailure> reported_failures(const std::filesystem::path& path);

}  // namespace assay::validation
