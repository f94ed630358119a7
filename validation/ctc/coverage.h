// Which interesting places a set of cases reached: what was never generated was never tested.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "validation/ctc/case.h"

namespace assay::validation {

/// The names of the classes that `c` belongs to: "no labels", "one frame too few", "-inf", ...
std::vector<std::string> classes_of(const CtcCase& c);

/// How often each class was met; classes never met are there with 0.
class Coverage {
 public:
  Coverage();
  void count(const CtcCase& c);
  const std::map<std::string, int>& counts() const { return counts_; }
  int cases() const { return cases_; }

 private:
  int cases_ = 0;
  std::map<std::string, int> counts_;
};

}  // namespace assay::validation
