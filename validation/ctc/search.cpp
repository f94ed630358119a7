#include "validation/ctc/search.h"

#include <rapidcheck.h>

#include <chrono>

#include "validation/ctc/shrink.h"

namespace assay::validation {
namespace {

/// The sequence of cases that shrinks_of promises, each made only when asked for.
class ShrinkSequence {
 public:
  using ValueType = CtcCase;

  explicit ShrinkSequence(const CtcCase& c) : steps_(shrinks_of(c)) {}

  rc::Maybe<CtcCase> operator()() {
    while (next_ < steps_.size()) {
      if (auto smaller = steps_[next_++]()) return std::move(*smaller);
    }
    return rc::Nothing;
  }

 private:
  std::vector<CtcShrink> steps_;
  std::size_t next_ = 0;
};

using Generate = std::function<CtcCase(Random&, int size)>;

rc::Gen<CtcCase> cases_of(const Generate& generate) {
  return rc::Gen<CtcCase>([generate](const rc::Random& random, int size) {
    Random ours(rc::Random(random).next());
    return rc::shrinkable::shrinkRecur(generate(ours, size),
                                       [](const CtcCase& c) { return rc::makeSeq<ShrinkSequence>(c); });
  });
}

/// What may still be spent on shrinking once a case has failed.
class Budget {
 public:
  explicit Budget(int verdicts) : verdicts_(verdicts) {}
  void start() { end_ = std::chrono::steady_clock::now() + std::chrono::seconds(10); }
  bool spend() { return verdicts_-- > 0 && std::chrono::steady_clock::now() < end_; }

 private:
  int verdicts_;
  std::chrono::steady_clock::time_point end_{};
};

/// rapidcheck reports through strings; the last failing case it tried is the one it settles on.
class Silent : public rc::detail::TestListener {
  void onTestCaseFinished(const rc::detail::CaseDescription&) override {}
  void onShrinkTried(const rc::detail::CaseDescription&, bool) override {}
  void onTestFinished(const rc::detail::TestMetadata&, const rc::detail::TestResult&) override {}
};

std::optional<CtcCounterexample> drive(const Generate& generate, int cases, std::uint64_t seed, Budget budget,
                                       const std::function<Finding(const CtcCase&)>& judge) {
  std::optional<CtcCounterexample> found;
  const auto generator = cases_of(generate);
  const auto testable = [&] {
    const CtcCase c = *generator;
    if (found && !budget.spend()) return;
    Finding finding = judge(c);
    if (!is_failure(finding.verdict)) return;
    if (!found) budget.start();
    found = CtcCounterexample{c, std::move(finding), found ? found->shrinks + 1 : 0};
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

}  // namespace

std::optional<CtcCounterexample> search(const CtcProfile& profile, int cases, std::uint64_t seed, int shrink_budget,
                                        const std::function<Finding(const CtcCase&)>& judge) {
  const auto generate = [&](Random& random, int size) { return generate_ctc(random, size, profile); };
  return drive(generate, cases, seed, Budget(shrink_budget), judge);
}

std::optional<CtcCounterexample> search_from(const CtcCase& c, int shrink_budget,
                                             const std::function<Finding(const CtcCase&)>& judge) {
  return drive([&](Random&, int) { return c; }, 1, 0, Budget(shrink_budget), judge);
}

}  // namespace assay::validation
