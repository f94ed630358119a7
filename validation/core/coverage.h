// Counts the classes that a set of cases reached: a class that was never generated was never tested.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace assay::validation {

/// A class of cases: a name, and a test whether a case belongs to the class.
template <class Case>
struct CaseClass {
  const char* name;
  bool (*holds)(const Case&);
};

/// The names of the classes that `c` belongs to.
template <class Operation>
std::vector<std::string> classes_of(const typename Operation::Case& c) {
  std::vector<std::string> names;
  for (const auto& one : Operation::case_classes())
    if (one.holds(c)) names.emplace_back(one.name);
  return names;
}

/// The names of all classes.
template <class Operation>
std::vector<std::string> class_names() {
  std::vector<std::string> names;
  for (const auto& one : Operation::case_classes()) names.emplace_back(one.name);
  return names;
}

/// How often each class of cases was met; a class that was never met has the count 0.
class Coverage {
 public:
  using Counts = std::map<std::string, std::int64_t>;

  Coverage() = default;
  explicit Coverage(const std::vector<std::string>& classes) {
    for (const auto& name : classes) counts_[name] = 0;
  }
  Coverage(std::int64_t cases, Counts counts) : cases_(cases), counts_(std::move(counts)) {}

  /// Counts one case, which belongs to `classes`.
  void count(const std::vector<std::string>& classes) {
    ++cases_;
    for (const auto& name : classes) ++counts_[name];
  }

  void merge(const Coverage& other) {
    cases_ += other.cases_;
    for (const auto& [name, count] : other.counts_) counts_[name] += count;
  }

  const Counts& counts() const { return counts_; }
  std::int64_t cases() const { return cases_; }

  bool operator==(const Coverage&) const = default;

 private:
  std::int64_t cases_ = 0;
  Counts counts_;
};

}  // namespace assay::validation
