// What a plug-in may not do becomes a verdict with words, and the run goes on.
#include <gtest/gtest.h>

#include "tests/matchers.h"
#include "tests/plugin/plugins.h"
#include "validation/ctc/fields.h"
#include "validation/ctc/operation.h"
#include "validation/registry.h"
#include "validation/transport/library/plugin.h"

namespace assay::validation::transport {
namespace {

struct Deed {
  const char* plugin;
  const char* property;
  Verdict verdict;
  const char* words;  ///< a regular expression
};

class HostilePlugin : public testing::TestWithParam<Deed> {
 protected:
  HostilePlugin() { set_time_limit(0.5); }
  ~HostilePlugin() override { set_time_limit(10); }
};

TEST_P(HostilePlugin, GetsItsVerdict) {
  const Deed& deed = GetParam();
  const auto kernel = kernel_called<CtcOperation>(built(deed.plugin));
  const auto report = judged<CtcOperation>(*kernel, deed.property);
  EXPECT_EQ(report.verdict, deed.verdict);
  ASSERT_TRUE(report.failure);
  EXPECT_THAT(report.failure->explanation, ContainsRegex(deed.words));
}

constexpr Verdict error = Verdict::error;

const Deed deeds[] = {
    {"hangs", "loss", error,
     "^  the plug-in did not return within [0-9.]+ s(, in which it had the processor for .*| of processor time) "
     ".a longer time limit gives it more"},
    {"waits", "loss", error, "^  the plug-in did not return within .* s, in which it had the processor for 0"},
    {"reads_null", "loss", error, "read address 0x0: a null pointer"},
    {"aborts", "loss", error, "was ended by signal 6 .*\n  it had printed\n    assertion failed: frames > 0"},
    {"leaves", "loss", error, "called exit.0."},
    {"exits", "loss", error, "called exit.0."},
    {"exits_like_a_signal", "loss", error, "called exit.135."},
    {"quick_exits", "loss", error, "called exit.0."},
    {"forks_and_leaves", "loss", error, "called exit.0."},
    {"overflows_stack", "loss", error, "wrote address 0x.*SIGSEGV"},
    {"writes_behind", "gradient", error, "wrote gradient.[0-9]+., past its [0-9]+ elements"},
    {"writes_before", "loss", error, "wrote loss.-1., before its beginning"},
    {"writes_far_before", "loss", error, "wrote loss.-3000., before its beginning"},
    {"writes_far_below", "loss", error, "wrote address 0x[0-9a-f]{6,} .SIGSEGV"},
    {"writes_past_addresses", "loss", error, "read or wrote past all addresses that the processor has"},
    {"aligned_writes_behind", "loss", error, "wrote loss.[0-9]+., past its [0-9]+ elements"},
    {"writes_input", "gradient", error, "changed its input activations.[0-9]+."},
    {"unlocks_input", "gradient", error, "changed its input activations.[0-9]+."},
    {"reads_behind", "loss", error, "read input_lengths.1., past its 1 elements"},
    {"loads_aligned", "loss", Verdict::fail, "loss"},
    {"stores_aligned", "gradient", error, "wrote gradient.-[1-3]., before its beginning"},
    {"leaves_unwritten", "inside", Verdict::fail, "loss.0. was not written"},
    {"gives_nan", "loss", Verdict::fail, "got +nan"},
    {"gives_random", "repeat", Verdict::fail, "loss"},
    {"fails", "loss", error, "failed: no device was found"},
    {"refuses", "loss", error, "a valid problem was refused: T is"},
    {"answers_nonsense", "loss", error, "returned 7, which is none of ASSAY_OK"},
};

INSTANTIATE_TEST_SUITE_P(Deeds, HostilePlugin, testing::ValuesIn(deeds),
                         [](const auto& tested) { return std::string(tested.param.plugin); });

TEST(PeacefulPlugin, MayPrintAndAskForAlignment) {
  for (const char* const name : {"prints", "aligned"}) {
    const auto kernel = kernel_called<CtcOperation>(built(name));
    for (const char* const property : {"loss", "gradient", "repeat"})
      EXPECT_EQ(judged<CtcOperation>(*kernel, property).verdict, Verdict::pass) << name << ", " << property;
  }
}

/// What the kernel declines when called is skipped with its reason, and where it declines most nothing is proved.
TEST(DecliningPlugin, IsSkippedWithItsReason) {
  const auto some = judged<CtcOperation>(*kernel_called<CtcOperation>(built("declines_some")), "loss", 40);
  EXPECT_EQ(some.verdict, Verdict::pass);
  EXPECT_GT(some.skipped.at("the kernel does not do, as it answered: the batch is too large"), 0);
  const auto most = judged<CtcOperation>(*kernel_called<CtcOperation>(built("declines_most")), "loss", 40);
  EXPECT_EQ(most.verdict, Verdict::mistrusted);
  EXPECT_THAT(most.why_mistrusted(), ContainsRegex("the kernel declined [0-9]+ of the [0-9]+ cases"));
}

TEST(LimitedPlugin, IsGivenNoActivationBeyondItsLimit) {
  const auto kernel = kernel_called<CtcOperation>(built("limited"));
  const auto report = judged<CtcOperation>(*kernel, "gradient", 40);
  EXPECT_EQ(report.verdict, Verdict::pass) << (report.failure ? report.failure->explanation : "");
  EXPECT_GT(report.skipped.at("the kernel does not do activations beyond 8"), 0);
}

}  // namespace
}  // namespace assay::validation::transport
