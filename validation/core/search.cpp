#include "validation/core/search.h"

#include <rapidcheck.h>

#include <chrono>

namespace assay::validation::detail {
namespace {

/// The sequence of cases that the steps give; each case is made on demand.
class ShrinkSequence {
 public:
  using ValueType = AnyCase;

  explicit ShrinkSequence(std::vector<std::function<AnyCase()>> steps) : steps_(std::move(steps)) {}

  rc::Maybe<AnyCase> operator()() {
    while (next_ < steps_.size()) {
      if (auto smaller = steps_[next_++](); smaller.data) return smaller;
    }
    return rc::Nothing;
  }

 private:
  std::vector<std::function<AnyCase()>> steps_;
  std::size_t next_ = 0;
};

rc::Gen<AnyCase> cases_of(const SearchSteps& steps) {
  return rc::Gen<AnyCase>([steps](const rc::Random& random, int size) {
    Random ours(rc::Random(random).next());
    return rc::shrinkable::shrinkRecur(steps.generate(ours, size), [shrinks = steps.shrinks](const AnyCase& c) {
      return rc::makeSeq<ShrinkSequence>(shrinks(c));
    });
  });
}

/// The verdicts and the time that are left for shrinking after a failure.
class Budget {
 public:
  explicit Budget(int verdicts) : verdicts_(verdicts) {}
  void start() { end_ = std::chrono::steady_clock::now() + std::chrono::seconds(10); }
  bool spend() { return verdicts_-- > 0 && std::chrono::steady_clock::now() < end_; }

 private:
  int verdicts_;
  std::chrono::steady_clock::time_point end_{};
};

/// Ignores rapidcheck's reports, which are strings: search() itself keeps the last failing case.
class Silent : public rc::detail::TestListener {
  void onTestCaseFinished(const rc::detail::CaseDescription&) override {}
  void onShrinkTried(const rc::detail::CaseDescription&, bool) override {}
  void onTestFinished(const rc::detail::TestMetadata&, const rc::detail::TestResult&) override {}
};

}  // namespace

std::optional<AnyCounterexample> search(const SearchSteps& steps, int cases, std::uint64_t seed, int shrink_budget) {
  std::optional<AnyCounterexample> found;
  Budget budget(shrink_budget);
  const auto generator = cases_of(steps);
  const auto testable = [&] {
    if (steps.stop && steps.stop()) return;
    const AnyCase c = *generator;
    if (found && !budget.spend()) return;
    Finding finding = steps.judge(c);
    if (!is_failure(finding.verdict)) return;
    if (!found) budget.start();
    found = AnyCounterexample{c, std::move(finding), found ? found->shrinks + 1 : 0};
    RC_FAIL("counterexample");
  };
  rc::detail::TestParams params;
  params.seed = seed;
  params.maxSuccess = cases;
  Silent silent;
  // Without an explicit map of cases to reproduce, rapidcheck reads and announces its own configuration.
  rc::detail::checkTestable(testable, rc::detail::TestMetadata{}, params, silent,
                            std::unordered_map<std::string, rc::detail::Reproduce>{});
  return found;
}

}  // namespace assay::validation::detail
