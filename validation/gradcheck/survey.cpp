#include "validation/gradcheck/survey.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::validation {
namespace {

/// How many wrong cases are kept to see what they share.
constexpr std::size_t enough = 24;

}  // namespace

void GradcheckSurvey::add(const GradientJudgement& judgement, const std::string& origin,
                          const std::string& reproducer) {
  ++record_.cases;
  for (const JudgedGradient& gradient : judgement.gradients) {
    record_.elements += static_cast<std::int64_t>(gradient.size());
    record_.wrong += std::count(gradient.wrong.begin(), gradient.wrong.end(), true);
    for (std::size_t i = 0; i < gradient.size(); ++i)
      if (!(gradient.share(i) <= record_.worst.share))
        record_.worst.take(gradient.share(i), fmt::format("{} of {}", gradient.place(i), origin));
  }
  if (!judgement.is_wrong()) return;
  ++record_.wrong_cases;
  if (record_.explanation.empty() && !judgement.out_of_bounds_write.empty())
    record_.explanation = fmt::format("{}: {}", origin, judgement.out_of_bounds_write);
  if (wrong_.size() < enough)
    wrong_.push_back(
        {judgement.patterns, judgement.variables, worst_elements(judgement.gradients, worst_), origin, reproducer});
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

/// The sentences of the shown case that hold in most wrong cases. A sentence that does not hold in all of them says in
/// how many it does.
std::vector<std::string> GradcheckSurvey::common(std::vector<Pattern> Wrong::* patterns, const Wrong& shown) const {
  std::vector<std::string> sentences;
  for (const Pattern& pattern : shown.*patterns) {
    const std::size_t held = count(pattern.key, patterns);
    if (held < min_wrong_cases_) continue;
    const std::string in = fmt::format(" (in {} of {} wrong cases looked at)", held, wrong_.size());
    sentences.push_back(pattern.sentence + (held < wrong_.size() ? in : ""));
  }
  return sentences;
}

/// How many wrong cases must show a pattern: two thirds, or as many as show the most common pattern if that is fewer.
std::size_t GradcheckSurvey::min_wrong_cases() const {
  const std::size_t two_thirds = (2 * wrong_.size() + 2) / 3;
  std::size_t best = 0;
  for (const Wrong& wrong : wrong_) {
    for (const Pattern& pattern : wrong.patterns) best = std::max(best, count(pattern.key, &Wrong::patterns));
    for (const Pattern& pattern : wrong.variables) best = std::max(best, count(pattern.key, &Wrong::variables));
  }
  return best >= two_thirds || best < 2 || 4 * best < wrong_.size() ? two_thirds : best;
}

/// Chooses the wrong case that shows the most common patterns, and among equals the one with the fewest wrong elements.
void GradcheckSurvey::choose_shown() {
  min_wrong_cases_ = min_wrong_cases();
  const auto shows = [&](const Wrong& wrong) {
    return common(&Wrong::patterns, wrong).size() + 2 * common(&Wrong::variables, wrong).size();
  };
  const Wrong* shown = nullptr;
  std::size_t most = 0;
  for (const Wrong& wrong : wrong_) {
    const std::size_t here = shows(wrong);
    if (shown != nullptr && (here < most || (here == most && wrong.elements.size() >= shown->elements.size())))
      continue;
    shown = &wrong;
    most = here;
  }
  record_.origin = shown->origin;
  record_.worst_elements = shown->elements;
  record_.patterns = common(&Wrong::patterns, *shown);
  if (const auto variables = common(&Wrong::variables, *shown); !variables.empty()) record_.variable = variables[0];
  if (record_.reproducer.empty()) record_.reproducer = shown->reproducer;
}

GradcheckRecord GradcheckSurvey::conclude() {
  if (!wrong_.empty()) choose_shown();
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
