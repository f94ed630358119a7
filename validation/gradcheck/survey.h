// Collects the results of many cases: counts, the worst margin, and the patterns that the wrong cases share.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "validation/gradcheck/judge.h"
#include "validation/gradcheck/record.h"

namespace assay::validation {

class GradcheckSurvey {
 public:
  GradcheckSurvey(std::string subject, std::size_t worst) : worst_(worst) { record_.subject = std::move(subject); }

  void skip(const std::string& reason) { ++skipped_[reason]; }

  /// Adds a judged case; `reproducer` is the command that judges it again.
  void add(const GradientJudgement& judgement, const std::string& origin, const std::string& reproducer);

  /// Adds a case without a gradient, because the kernel refused it or threw.
  void add_error(const std::string& what, const std::string& origin, const std::string& reproducer);

  /// Adds a case for which the reference is not certain.
  void add_mistrust(const std::string& what, const std::string& origin);

  bool is_wrong() const { return record_.wrong_cases > 0; }

  GradcheckRecord conclude();

 private:
  /// The parts of a wrong case that a record can show.
  struct Wrong {
    std::vector<Pattern> patterns, variables;
    std::vector<GradcheckElement> elements;
    std::string origin, reproducer;
  };

  void show_worst();
  std::size_t count(const std::string& key, std::vector<Pattern> Wrong::* patterns) const;
  std::vector<std::string> common(std::vector<Pattern> Wrong::* patterns) const;

  GradcheckRecord record_;
  std::size_t worst_;
  std::map<std::string, int> skipped_;
  std::vector<Wrong> wrong_;  ///< the first ones
  Wrong shown_;               ///< the one with the worst margin
};

}  // namespace assay::validation
