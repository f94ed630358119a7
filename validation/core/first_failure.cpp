// The generated cases of built-in operations: rapidcheck gives their seeds and sizes.
#include <rapidcheck.h>

#include <exception>

#include "validation/core/search.h"

namespace assay::validation {
namespace {

/// The cases without shrinks, because shrunk() looks at the clock and at `stop` before it makes a case.
rc::Gen<AnyCase> cases_of(const SearchSteps& steps) {
  return rc::Gen<AnyCase>([generate = steps.generate](const rc::Random& random, int size) {
    Random ours(rc::Random(random).next());
    return rc::shrinkable::just(generate(ours, size));
  });
}

/// Ignores rapidcheck's reports, which are strings: first_failure() itself keeps the last failing case.
class Silent : public rc::detail::TestListener {
  void onTestCaseFinished(const rc::detail::CaseDescription&) override {}
  void onShrinkTried(const rc::detail::CaseDescription&, bool) override {}
  void onTestFinished(const rc::detail::TestMetadata&, const rc::detail::TestResult&) override {}
};

}  // namespace

std::optional<Counterexample> first_failure(const SearchSteps& steps, int cases, std::uint64_t seed) {
  std::optional<Counterexample> found;
  std::exception_ptr thrown;  // rapidcheck would take an exception for a counterexample
  const auto generator = cases_of(steps);
  const auto testable = [&] {
    if (found || thrown || is_stopped(steps)) return;  // rapidcheck asks again for the result that failed
    try {
      found = failure_of(steps, *generator);
    } catch (...) {
      thrown = std::current_exception();
    }
    if (found) RC_FAIL("counterexample");
  };
  rc::detail::TestParams params;  // rc::check would take seed and number of cases from the environment
  params.seed = seed;
  params.maxSuccess = cases;
  Silent silent;
  // Without an explicit map of cases to reproduce, rapidcheck reads and announces its own configuration.
  rc::detail::checkTestable(testable, rc::detail::TestMetadata{}, params, silent,
                            std::unordered_map<std::string, rc::detail::Reproduce>{});
  if (thrown) std::rethrow_exception(thrown);
  return found;
}

}  // namespace assay::validation
