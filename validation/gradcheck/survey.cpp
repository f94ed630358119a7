#include "validation/gradcheck/survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace assay::validation {
namespace {

/// How many wrong cases are kept to see what they share.
constexpr std::size_t enough = 24;

}  // namespace

void GradcheckSurvey::add(const GradientJudgement& judgement, const std::string& origin,
                          const std::string& reproducer) {
  ++record_.cases;
  Margin worst;
  for (const JudgedGradient& gradient : judgement.gradients) {
    record_.elements += static_cast<std::int64_t>(gradient.size());
    record_.wrong += std::count(gradient.wrong.begin(), gradient.wrong.end(), true);
    for (std::size_t i = 0; i < gradient.size(); ++i)
      if (!(gradient.share(i) <= worst.share)) worst.take(gradient.share(i), gradient.place(i));
  }
  const bool is_worst = !std::isnan(record_.worst.share) && !(worst.share <= record_.worst.share);
  if (is_worst) record_.worst.take(worst.share, fmt::format("{} of {}", worst.place, origin));
  if (!judgement.is_wrong()) return;
  ++record_.wrong_cases;
  if (record_.explanation.empty() && !judgement.out_of_bounds_write.empty())
    record_.explanation = fmt::format("{}: {}", origin, judgement.out_of_bounds_write);
  const Wrong wrong{judgement.patterns, judgement.variables, worst_elements(judgement.gradients, worst_), origin,
                    reproducer};
  if (is_worst || record_.wrong_cases == 1) shown_ = wrong;
  if (wrong_.size() < enough) wrong_.push_back(wrong);
}

void GradcheckSurvey::add_error(const std::string& what, const std::string& origin, const std::string& reproducer) {
  ++record_.cases;
  record_.verdict = Verdict::error;
  if (!record_.explanation.empty()) return;
  record_.explanation = fmt::format("{}: {}", origin, what);
  record_.reproducer = reproducer;
}

void GradcheckSurvey::add_mistrust(const std::string& what, const std::string& origin) {
  if (record_.verdict == Verdict::skipped) record_.verdict = Verdict::mistrusted;
  record_.notes.push_back(fmt::format("{}: the reference is not certain: {}", origin, what));
}

std::size_t GradcheckSurvey::count(const std::string& key, std::vector<Pattern> Wrong::* patterns) const {
  const auto has = [&](const Wrong& wrong) {
    const auto& all = wrong.*patterns;
    return std::any_of(all.begin(), all.end(), [&](const Pattern& pattern) { return pattern.key == key; });
  };
  return static_cast<std::size_t>(std::count_if(wrong_.begin(), wrong_.end(), has));
}

/// The sentences that hold in more than half of the wrong cases, in the words of the shown case if it is one of them. A
/// sentence that does not hold in all of them says in how many it does.
std::vector<std::string> GradcheckSurvey::common(std::vector<Pattern> Wrong::* patterns) const {
  std::vector<Pattern> all = shown_.*patterns;
  for (const Wrong& wrong : wrong_) all.insert(all.end(), (wrong.*patterns).begin(), (wrong.*patterns).end());
  std::vector<std::string> sentences;
  std::set<std::string> seen;
  for (const Pattern& pattern : all) {
    const std::size_t held = count(pattern.key, patterns);
    if (!seen.insert(pattern.key).second || 2 * held <= wrong_.size()) continue;
    const std::string in = fmt::format(" (in {} of {} wrong cases looked at)", held, wrong_.size());
    sentences.push_back(pattern.sentence + (held < wrong_.size() ? in : ""));
  }
  return sentences;
}

void GradcheckSurvey::show_worst() {
  record_.origin = shown_.origin;
  record_.worst_elements = shown_.elements;
  record_.patterns = common(&Wrong::patterns);
  if (const auto variables = common(&Wrong::variables); !variables.empty()) record_.variable = variables[0];
  if (record_.reproducer.empty()) record_.reproducer = shown_.reproducer;
}

GradcheckRecord GradcheckSurvey::conclude() {
  if (!wrong_.empty()) show_worst();
  for (const auto& [reason, times] : skipped_)
    record_.notes.push_back(fmt::format("{} cases skipped: {}", times, reason));
  if (record_.verdict == Verdict::error) return record_;
  if (record_.wrong_cases > 0) {
    record_.verdict = Verdict::fail;
  } else if (record_.elements > 0 && record_.verdict == Verdict::skipped) {
    record_.verdict = Verdict::pass;
  }
  return record_;
}

}  // namespace assay::validation
