#include "metal/emulator/check/report_log.h"

#include <algorithm>
#include <utility>

#include "metal/emulator/check/symbolizer.h"

namespace assay::metal::emulator {

namespace {

bool same_places(const Report& a, const Report& b) {
  return a.check == b.check && a.is_warning == b.is_warning && a.kernel == b.kernel && a.event.position.line != 0 &&
         a.event.position == b.event.position && a.other.has_value() == b.other.has_value() &&
         (!a.other || a.other->position == b.other->position);
}

/// An update by two threads, such as sum += x: no barrier fits between its read and its write.
bool is_one_update(const Report& report) {
  if (report.check != Check::racecheck || !report.other || report.event.position.line == 0) return false;
  const std::string &later = report.event.action, &earlier = report.other->action;
  return report.event.position == report.other->position &&
         ((later.starts_with("read") && earlier == "earlier write") ||
          (later.starts_with("write") && earlier == "earlier read"));
}

Report resolved(const Finding& finding) {
  Report report = finding.report;
  if (!finding.object.empty()) report.event.position = position_of(finding.object, finding.offset);
  if (report.other && !finding.other_object.empty())
    report.other->position = position_of(finding.other_object, finding.other_offset);
  if (is_one_update(report))
    report.advice =
        "make it one atomic operation, such as atomic_fetch_add_explicit, or give each thread an element of its own";
  return report;
}

}  // namespace

void ReportLog::add(const Key& key, const std::function<Finding()>& make) {
  const std::lock_guard lock(mutex_);
  const auto [entry, is_new] = index_.emplace(key, findings_.size());
  if (is_new)
    findings_.push_back(make());
  else
    ++findings_[entry->second].report.count;
}

void ReportLog::note_different_values(const Key& key) {
  const std::lock_guard lock(mutex_);
  if (const auto entry = index_.find(key); entry != index_.end())
    findings_[entry->second].report.is_of_equal_values = false;
}

std::vector<Report> ReportLog::reports() const {
  std::vector<Report> reports = all();
  std::erase_if(reports, [](const Report& report) { return report.is_warning; });
  return reports;
}

std::vector<Report> ReportLog::warnings() const {
  std::vector<Report> warnings = all();
  std::erase_if(warnings, [reports = reports()](const Report& warning) {
    return !warning.is_warning || std::ranges::any_of(reports, [&](const Report& report) {
      return report.check == warning.check && report.kernel == warning.kernel &&
             report.event.position.file == warning.event.position.file &&
             report.event.position.line == warning.event.position.line;
    });
  });
  return warnings;
}

std::vector<Report> ReportLog::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<Report> reports;
  for (const Finding& finding : findings_) {
    Report report = resolved(finding);
    const auto same = std::ranges::find_if(reports, [&](const Report& known) { return same_places(known, report); });
    if (same == reports.end()) {
      reports.push_back(std::move(report));
    } else {
      same->count += report.count;
      same->is_of_equal_values &= report.is_of_equal_values;
    }
  }
  for (Report& report : reports)
    if (report.is_of_equal_values) report.message += "; both write the same value";
  return reports;
}

void ReportLog::clear() {
  const std::lock_guard lock(mutex_);
  index_.clear();
  findings_.clear();
  messages_.clear();
  messages_dropped_ = 0;
}

bool ReportLog::is_empty() const {
  const std::lock_guard lock(mutex_);
  return findings_.empty() && messages_.empty();
}

void ReportLog::add_message(LogMessage message) {
  const std::lock_guard lock(mutex_);
  if (messages_.size() < max_messages)
    messages_.push_back(std::move(message));
  else
    ++messages_dropped_;
}

std::vector<LogMessage> ReportLog::messages() const {
  const std::lock_guard lock(mutex_);
  return messages_;
}

std::uint64_t ReportLog::messages_dropped() const {
  const std::lock_guard lock(mutex_);
  return messages_dropped_;
}

}  // namespace assay::metal::emulator
