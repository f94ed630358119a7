// Every planted fault is one: no fault that cannot be told from the plain kernel, since no gate could catch it.
#include "validation/ctc/faults/faults.h"

#include <gtest/gtest.h>

#include <bit>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/validation/fault_cases.h"

namespace assay::validation {
namespace {

std::string bits_of(const std::vector<float>& values) {
  std::ostringstream text;
  for (const float value : values) text << std::hex << std::bit_cast<std::uint32_t>(value) << ' ';
  return text.str();
}

/// Outputs to the bit, sentinels and inputs included, or "refused".
std::string observe(const CtcKernel& kernel, const CtcCase& c, int threads, bool with_gradient) {
  CtcCase given = c;
  Outputs out(c, with_gradient);
  try {
    kernel.run(given.view(), out.view(), threads);
  } catch (const std::invalid_argument&) {
    return "refused";
  }
  return bits_of(out.loss) + "| " + bits_of(out.gradient) + "| " + bits_of(given.activations);
}

/// All that this file can see of a kernel, in one fixed order of calls.
std::vector<std::string> observe_all(const CtcKernel& kernel) {
  std::vector<std::string> seen;
  for (const CtcCase& c : telling_cases())
    for (const int threads : {1, 3})
      for (const bool with_gradient : {true, false}) seen.push_back(observe(kernel, c, threads, with_gradient));
  for (const auto& [what, c] : refused_cases()) seen.push_back(refuses(kernel, c, 2) ? "refused" : "accepted " + what);
  const CtcCase sound = make_case({4, 4}, {{2, 3}, {3}}, 5, 1, 1);
  seen.push_back(refuses(kernel, sound, 3) ? "refused" : "accepted a loss of another size");
  return seen;
}

TEST(CtcFaults, AreNamedOnceAndEachPropertyHasOne) {
  std::set<std::string> names, properties;
  for (const CtcFault& fault : ctc_faults()) {
    EXPECT_TRUE(names.insert(fault.name).second) << fault.name;
    EXPECT_EQ(fault.kernel->info().name, "fault:" + fault.name);
    EXPECT_EQ(fault.kernel->info().unit_roundoff, plain_ctc_kernel()->info().unit_roundoff);
    properties.insert(fault.caught_by);
  }
  EXPECT_EQ(properties,
            (std::set<std::string>{"batch-singles", "empty",       "frame-sums", "gradient",         "impossible",
                                   "input-kinds",   "inside",      "layout",     "linearity",        "loss",
                                   "loss-only",     "nonnegative", "outside",    "padding",          "permutation",
                                   "reductions",    "refusals",    "repeat",     "row-independence", "shift",
                                   "threads",       "two-shapes",  "two-step",   "zero-past-length"}));
}

TEST(CtcFaults, DifferFromThePlainKernelInWhatCanBeSeen) {
  const std::vector<std::string> healthy = observe_all(*plain_ctc_kernel());
  EXPECT_TRUE(observe_all(*plain_ctc_kernel()) == healthy);
  for (const CtcFault& fault : ctc_faults())
    EXPECT_FALSE(observe_all(*fault.kernel) == healthy) << fault.name << " is equivalent: " << fault.story;
}

}  // namespace
}  // namespace assay::validation
