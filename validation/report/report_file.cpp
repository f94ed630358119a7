#include "validation/report/report_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <pugixml.hpp>
#include <set>
#include <stdexcept>

#include "metal/device/read_file.h"
#include "validation/core/parse.h"
#include "validation/core/report.h"
#include "validation/core/terminal.h"
#include "validation/report/html.h"
#include "validation/report/json.h"
#include "validation/report/junit.h"

namespace assay::validation {
namespace {

std::string read_text(const std::filesystem::path& path) {
  auto text = metal::read_file(path);
  if (!text) throw std::runtime_error(fmt::format("{}: is the path right?", text.error().text));
  return *std::move(text);
}

bool is_html(const std::string& text) {
  return text.starts_with("<!doctype html>");
}

ReportedFailure failure_of(const std::string& property, const std::string& line, int digits) {
  const bool is_replay = !line.starts_with("./assay gate ");
  return {property, is_replay ? words_of_replay_line(line) : "", digits, line};
}

/// The value of the property "digits" of a testsuite.
int digits_of(const pugi::xml_node& suite, const std::string& source) {
  const auto property = suite.child("properties").find_child_by_attribute("property", "name", "digits");
  if (const auto digits = parse_number<int>(property.attribute("value").value())) return *digits;
  throw std::invalid_argument(fmt::format("{}: testsuite '{}' has no property 'digits' that is a number", source,
                                          suite.attribute("name").value()));
}

std::vector<ReportedFailure> failures_in_junit(const std::string& text, const std::string& source) {
  pugi::xml_document document;
  const auto result = document.load_string(text.c_str());
  if (!result) throw std::invalid_argument(fmt::format("{}: not XML to its end: {}", source, result.description()));
  const auto suites = document.child("testsuites");
  if (std::string(suites.attribute("name").value()) != report_name)
    throw std::invalid_argument(source + ": XML, but not what `assay gate --junit` wrote");
  std::vector<ReportedFailure> failures;
  for (const auto& suite : suites.children("testsuite")) {
    for (const auto& test : suite.children("testcase")) {
      const auto line = test.child("properties").find_child_by_attribute("property", "name", "reproducer");
      if (!line) continue;
      failures.push_back(
          failure_of(test.attribute("name").value(), line.attribute("value").value(), digits_of(suite, source)));
    }
  }
  return failures;
}

std::vector<ReportedFailure> failures_in(const Report& report) {
  std::vector<ReportedFailure> failures;
  for (const auto& run : report.runs)
    for (const auto& property : run.properties)
      if (property.failure)
        failures.push_back(failure_of(property.property, property.failure->reproducer, run.question.digits));
  return failures;
}

/// A device takes all of them; two reports in one file would leave the last.
void require_different(const ReportFiles& files) {
  if (files.junit == "-" || files.html == "-")
    throw std::runtime_error("-: expected a file for JUnit and HTML; only JSON is written to standard output");
  std::set<std::filesystem::path> paths;
  std::error_code ignored;
  for (const std::filesystem::path file : {files.json, files.junit, files.html}) {
    const bool is_device = std::filesystem::exists(file, ignored) && !std::filesystem::is_regular_file(file, ignored);
    if (file.empty() || is_device) continue;
    if (!paths.insert(std::filesystem::absolute(file, ignored).lexically_normal()).second)
      throw std::runtime_error(fmt::format("{}: expected a file for each of JSON, JUnit and HTML", file.string()));
  }
}

void require_no_folder(const std::filesystem::path& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored))
    throw std::runtime_error(fmt::format("{}: it is a folder: expected the name of a file to write", file.string()));
}

}  // namespace

void write_atomically(const std::filesystem::path& path, const std::string& text) {
  require_no_folder(path);
  std::error_code problem;
  const bool in_place = std::filesystem::exists(path, problem) && !std::filesystem::is_regular_file(path, problem);
  const std::string written = in_place ? path.string() : fmt::format("{}.{}.tmp", path.string(), getpid());
  errno = EIO;  // what is said if the library names no other cause
  std::ofstream file(written, std::ios::binary);
  file << text;
  file.close();
  problem = file ? std::error_code() : std::error_code(errno, std::generic_category());
  if (file && !in_place) std::filesystem::rename(written, path, problem);
  if (file && !problem) return;
  std::error_code ignored;
  if (!in_place) std::filesystem::remove(written, ignored);
  throw std::runtime_error(
      fmt::format("{}: cannot be written: {}: does its folder exist, with room and the right to write?", path.string(),
                  problem.message()));
}

void require_folders(const ReportFiles& files) {
  require_different(files);
  for (const auto& file : {files.json, files.junit, files.html}) {
    require_no_folder(file);
    const auto folder = std::filesystem::path(file).parent_path();
    if (!folder.empty() && !std::filesystem::is_directory(folder))
      throw std::runtime_error(
          fmt::format("{}: there is no folder '{}' to write it to: make it first", file, folder.string()));
  }
}

void write_report(const Report& report, const ReportFiles& files) {
  if (files.json == "-") {
    write_text(stdout, to_json(report));
    flush(stdout);
  } else if (!files.json.empty()) {
    write_atomically(files.json, to_json(report));
  }
  if (!files.junit.empty()) write_atomically(files.junit, to_junit(report));
  if (!files.html.empty()) write_atomically(files.html, to_html(report));
}

Report read_report(const std::filesystem::path& path) {
  return report_from_json(read_text(path), path.string());
}

bool Checkpoint::is_due() const {
  using Clock = std::chrono::steady_clock;
  return !path_.empty() && path_ != "-" && (last_ == Clock::time_point{} || Clock::now() - last_ >= interval_);
}

void Checkpoint::write(const Report& report) {
  const bool is_first = last_ == std::chrono::steady_clock::time_point{};
  last_ = std::chrono::steady_clock::now();
  try {
    write_atomically(path_, to_json(report));
  } catch (const std::runtime_error&) {
    if (is_first) throw;  // what has come since is said by the last write, when the results have been printed
  }
}

std::vector<ReportedFailure> reported_failures(const std::filesystem::path& path) {
  const std::string text = read_text(path);
  if (is_html(text)) return failures_in(report_from_json(json_of_html(text, path.string()), path.string()));
  if (text.starts_with('<')) return failures_in_junit(text, path.string());
  return failures_in(report_from_json(text, path.string()));
}

}  // namespace assay::validation
