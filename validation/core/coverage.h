// Which interesting places a set of cases reached: what was never generated was never tested.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace assay::validation {

/// A class of cases: its name, and whether a case is of it.
template <class Case>
struct CaseClass {
  const char* name;
  bool (*holds)(const Case&);
};

/// The names of those that `c` belongs to.
template <class Case, std::size_t count>
std::vector<std::string> names_of(const CaseClass<Case> (&classes)[count], const Case& c) {
  std::vector<std::string> names;
  for (const auto& one : classes)
    if (one.holds(c)) names.emplace_back(one.name);
  return names;
}

/// The names of all.
template <class Case, std::size_t count>
std::vector<std::string> names_of(const CaseClass<Case> (&classes)[count]) {
  std::vector<std::string> names;
  for (const auto& one : classes) names.emplace_back(one.name);
  return names;
}

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
