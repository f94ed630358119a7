// The reports of a device, each place in the source once.
//
// A finding is cheap to repeat: it is looked up by its code addresses. These become places in the source only when the
// reports are read.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "metal/emulator/check/report.h"

namespace assay::metal::emulator {

/// A report whose positions are still addresses of instructions; null where the report has the position already.
struct Finding {
  Report report;
  std::string object, other_object;  ///< the file that the instruction was loaded from
  std::uint64_t offset = 0, other_offset = 0;
};

class ReportLog {
 public:
  /// Findings with the same key are the same: counted, and made only once.
  struct Key {
    Check check = Check::memcheck;
    const void* place = nullptr;
    std::uintptr_t other_place = 0;
    auto operator<=>(const Key&) const = default;
  };

  void add(const Key& key, const std::function<Finding()>& make);

  /// The reports so far, in the order of their first finding, with their positions.
  std::vector<Report> reports() const;
  void clear();

 private:
  mutable std::mutex mutex_;
  std::map<Key, std::size_t> index_;
  std::vector<Finding> findings_;
};

}  // namespace assay::metal::emulator
