// Which interesting places a set of cases reached: what was never generated was never tested.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace assay::validation {

/// How often each class of cases was met; classes never met are there with 0.
class Coverage {
 public:
  explicit Coverage(const std::vector<std::string>& classes) {
    for (const auto& name : classes) counts_[name] = 0;
  }

  /// One case, by the classes that it belongs to.
  void count(const std::vector<std::string>& classes) {
    ++cases_;
    for (const auto& name : classes) ++counts_[name];
  }

  const std::map<std::string, int>& counts() const { return counts_; }
  int cases() const { return cases_; }

 private:
  int cases_ = 0;
  std::map<std::string, int> counts_;
};

}  // namespace assay::validation
