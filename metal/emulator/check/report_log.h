// The reports of a device, one for each place in the source.
//
// A repeated finding is cheap, since it is looked up by its code addresses. These become places in the source only when
// the reports are read.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "metal/emulator/check/report.h"

namespace assay::metal::emulator {

/// A report whose positions may still be addresses of instructions: `offset` in `object`.
struct Finding {
  Report report;
  std::string object, other_object;  ///< loaded files; empty if the report has the position already
  std::uint64_t offset = 0, other_offset = 0;
};

class ReportLog {
 public:
  /// Findings with the same key are counted, and made only once.
  struct Key {
    Check check = Check::memcheck;
    const void* place = nullptr;
    std::uintptr_t other_place = 0;
    auto operator<=>(const Key&) const = default;
  };

  void add(const Key& key, const std::function<Finding()>& make);

  /// The two writes of a race were of different values.
  void note_different_values(const Key& key);

  /// The reports so far that are no warnings, in the order of their first finding, with their positions.
  std::vector<Report> reports() const;

  /// The warnings so far, without those at lines for which there is a report of the same check.
  std::vector<Report> warnings() const;
  void clear();

  /// Whether there is neither a finding nor a message.
  bool is_empty() const;

  /// Keeps a message of os_log; beyond the first max_messages, only counts it.
  void add_message(LogMessage message);
  std::vector<LogMessage> messages() const;
  std::uint64_t messages_dropped() const;

 private:
  static constexpr std::size_t max_messages = 1000;

  std::vector<Report> all() const;

  mutable std::mutex mutex_;
  std::map<Key, std::size_t> index_;
  std::vector<Finding> findings_;
  std::vector<LogMessage> messages_;
  std::uint64_t messages_dropped_ = 0;
};

}  // namespace assay::metal::emulator
