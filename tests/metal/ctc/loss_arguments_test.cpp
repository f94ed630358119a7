// The error contract: every bad argument is refused by name and value, and nothing is written. The messages about the
// problem itself are those of reference::validate; here each kind must reach the kernel's caller.
#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>

#include "tests/limits.h"
#include "tests/metal/ctc/batch.h"
#include "tests/refusal.h"

namespace assay::metal {
namespace {

using tests::infinity;
using tests::nan;

/// A call that each test spoils in one place: T=4, B=2, C=3, S=2.
struct Call {
  Batch batch{4, 3, {{1, 2}, {2}}};
  std::vector<float> loss = poisoned<float>(2);
  std::vector<float> gradient = poisoned<float>(24);
  CpuOptions options;

  std::string complaint() {
    const std::string refusal = refusal_of([&] { ctc_loss(batch.problem(), {loss, gradient}, options); });
    EXPECT_TRUE(refusal == "accepted" || (are_all(poison, loss) && are_all(poison, gradient)));
    return refusal;
  }
};

TEST(CtcLossArguments, AcceptsTheUnspoiledCall) {
  EXPECT_EQ(Call{}.complaint(), "accepted");
}

TEST(CtcLossArguments, RefusesShapes) {
  Call call;
  call.batch.options.C = 0;
  EXPECT_EQ(call.complaint(), "C = 0: expected at least 1");
  call = {};
  call.batch.activations.pop_back();
  EXPECT_EQ(call.complaint(), "activations.size() = 23: expected T * B * C = 24");
  call = {};
  call.batch.targets.pop_back();
  EXPECT_EQ(call.complaint(), "targets.size() = 3: expected B * S = 4");
  call = {};
  call.batch.upstream = {1.0F};
  EXPECT_EQ(call.complaint(), "upstream.size() = 1: expected B for Reduction::none = 2");
}

TEST(CtcLossArguments, RefusesLengths) {
  Call call;
  call.batch.input_lengths[1] = 5;
  EXPECT_EQ(call.complaint(), "input_lengths[b=1] = 5: expected a length in [0, T=4]");
  call = {};
  call.batch.target_lengths[0] = -1;
  EXPECT_EQ(call.complaint(), "target_lengths[b=0] = -1: expected at least 0");
}

TEST(CtcLossArguments, RefusesLabelsAndBlank) {
  Call call;
  call.batch.targets[1] = 3;
  EXPECT_EQ(call.complaint(), "targets[b=0, s=1] = 3: expected a label in [0, C=3) other than blank=0");
  call = {};
  call.batch.options.blank = 1;
  EXPECT_EQ(call.complaint(), "targets[b=0, s=0] = 1: expected a label in [0, C=3) other than blank=1");
  call.batch.options.blank = 3;
  EXPECT_EQ(call.complaint(), "blank = 3: expected a class in [0, C=3)");
}

TEST(CtcLossArguments, RefusesActivationsThatAreNoNumbers) {
  Call call;
  call.batch.at(3, 1, 2) = nan;
  EXPECT_EQ(call.complaint(), "activations[t=3, b=1, c=2] = nan: expected a finite number or -inf");
  call.batch.at(3, 1, 2) = infinity;
  EXPECT_EQ(call.complaint(), "activations[t=3, b=1, c=2] = inf: expected a finite number or -inf");
  call.batch.input_lengths[1] = 3;
  EXPECT_EQ(call.complaint(), "accepted");
  call = {};
  for (const std::int64_t c : {0, 1, 2}) call.batch.at(1, 0, c) = -infinity;
  EXPECT_EQ(call.complaint(),
            "activations[t=1, b=0] = -inf for every class: expected logits with a finite one, for the softmax of such "
            "a frame is 0/0");
}

TEST(CtcLossArguments, RefusesAnUpstreamThatIsNoNumber) {
  Call call;
  call.batch.upstream = {1.0F, nan};
  EXPECT_EQ(call.complaint(), "upstream[1] = nan: expected a finite number");
}

TEST(CtcLossArguments, RefusesOutputsOfAnotherSize) {
  Call call;
  call.loss.push_back(poison);
  EXPECT_EQ(call.complaint(), "loss.size() = 3: expected B for Reduction::none = 2");
  call = {};
  call.batch.options.reduction = Reduction::mean;
  EXPECT_EQ(call.complaint(), "loss.size() = 2: expected 1 for Reduction::sum or mean = 1");
  call = {};
  call.gradient.pop_back();
  EXPECT_EQ(call.complaint(), "gradient.size() = 23: expected T * B * C, or empty = 24");
}

TEST(CtcLossArguments, RefusesANegativeNumberOfThreads) {
  Call call;
  call.options.threads = -1;
  EXPECT_EQ(call.complaint(), "threads = -1: expected at least 0");
  EXPECT_THROW(ctc_loss_workspace_size(call.batch.problem(), true, -1), std::invalid_argument);
}

TEST(CtcLossArguments, RefusesAWorkspaceTooSmallOrMisaligned) {
  Call call;
  call.options.threads = 1;
  const std::size_t bytes = ctc_loss_workspace_size(call.batch.problem(), true, 1);
  alignas(ctc_loss_workspace_alignment) static std::byte memory[1 << 16];
  ASSERT_LT(bytes + 8, sizeof(memory));
  call.options.workspace = {memory, bytes - 1};
  EXPECT_EQ(call.complaint(), "workspace.size() = " + std::to_string(bytes - 1) +
                                  ": expected at least ctc_loss_workspace_size() = " + std::to_string(bytes));
  call.options.workspace = {memory + 8, bytes};
  EXPECT_EQ(call.complaint(), "workspace.data() is 8 past a multiple of 64: expected an aligned address");
  call.options.workspace = {memory, bytes};
  EXPECT_EQ(call.complaint(), "accepted");
}

TEST(CtcLossArguments, TheWorkspaceSizeOfABadProblemIsRefusedToo) {
  Call call;
  call.batch.targets[0] = 0;
  EXPECT_THROW(ctc_loss_workspace_size(call.batch.problem(), true, 1), std::invalid_argument);
}

}  // namespace
}  // namespace assay::metal
