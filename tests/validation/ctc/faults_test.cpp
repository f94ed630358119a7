// Every planted fault is one: no fault that cannot be told from the plain kernel, since no gate could catch it.
#include "validation/ctc/faults/faults.h"

#include <gtest/gtest.h>

#include <bit>
#include <functional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/validation/ctc/fault_cases.h"

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
  } catch (const std::runtime_error&) {
    return "failed";
  }
  return bits_of(out.loss) + "| " + bits_of(out.gradient) + "| " + bits_of(given.activations);
}

/// All that this file can see of a kernel, in one fixed order of calls.
using Sight = std::function<std::string()>;

std::vector<Sight> sights_of(const CtcKernel& kernel) {
  std::vector<Sight> sights;
  for (const CtcCase& c : telling_cases())
    for (const int threads : {1, 3})
      for (const bool with_gradient : {true, false})
        sights.emplace_back(
            [&kernel, c, threads, with_gradient] { return observe(kernel, c, threads, with_gradient); });
  for (const auto& [what, c] : refused_cases())
    sights.emplace_back([&kernel, c] { return refuses(kernel, c, 2) ? "refused" : "accepted"; });
  sights.emplace_back(
      [&kernel] { return refuses(kernel, make_case({4, 4}, {{2, 3}, {3}}, 5, 1, 1), 3) ? "refused" : "accepted"; });
  return sights;
}

/// Up to the first sight that differs: the emulator takes its time.
bool differ(const CtcKernel& a, const CtcKernel& b) {
  const std::vector<Sight> of_a = sights_of(a), of_b = sights_of(b);
  for (std::size_t i = 0; i < of_a.size(); ++i)
    if (of_a[i]() != of_b[i]()) return true;
  return false;
}

TEST(CtcFaults, AreNamedOnceAndEachPropertyHasOne) {
  std::set<std::string> names, properties;
  for (const CtcFault& fault : CtcOperation::faults()) {
    EXPECT_TRUE(names.insert(fault.name).second) << fault.name;
    EXPECT_EQ(fault.kernel->info().name, "fault:" + fault.name);
    EXPECT_EQ(fault.kernel->info().unit_roundoff, fault.healthy->info().unit_roundoff);
    properties.insert(fault.caught_by);
  }
  EXPECT_EQ(properties,
            (std::set<std::string>{"batch-singles", "empty",       "frame-sums", "gradient",         "impossible",
                                   "input-kinds",   "inside",      "layout",     "linearity",        "loss",
                                   "loss-only",     "nonnegative", "outside",    "padding",          "permutation",
                                   "reductions",    "refusals",    "repeat",     "row-independence", "shift",
                                   "threads",       "two-shapes",  "two-step",   "zero-past-length"}));
}

TEST(CtcFaults, DifferFromTheHealthyKernelInWhatCanBeSeen) {
  EXPECT_FALSE(differ(*plain_ctc_kernel(), *plain_ctc_kernel()));
  for (const CtcFault& fault : CtcOperation::faults())
    EXPECT_TRUE(differ(*fault.kernel, *fault.healthy)) << fault.name << " is equivalent: " << fault.description;
}

}  // namespace
}  // namespace assay::validation
