// --json, --junit and --html: the files for the report of a command.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdio>

#include "validation/report/report_file.h"

namespace assay::validation {

inline void add_report_options(CLI::App& command, ReportFiles& files) {
  command.add_option("--json", files.json, "Write the report to this file as JSON; - is standard output");
  command.add_option("--junit", files.junit, "Write it as JUnit XML");
  command.add_option("--html", files.html, "Write it as a page for a browser, complete in itself");
}

/// The stream of the table, which must not mix with the JSON.
inline std::FILE* table_stream(const ReportFiles& files) {
  return files.json == "-" ? stderr : stdout;
}

}  // namespace assay::validation
