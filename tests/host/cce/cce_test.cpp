// LinearCrossEntropy on mocks, beyond what holds of all hosts: its two halves, bindings, chunks.
#include "metal/host/cce/cce.h"

#include <gtest/gtest.h>

#include "tests/host/host_stream.h"
#include "tests/host/operations.h"
#include "tests/matchers.h"

namespace assay::metal::test {
namespace {

CceCase small_case() {
  return CceOperation::small_case();
}

/// A call of the small case, with its arrays.
struct Call {
  explicit Call(const CceCase& c = small_case()) : typed(c), results(typed.problem()), lse(4, double{poison}) {}

  Typed<float> typed;
  CceResults<float> results;
  std::vector<double> lse;
};

LinearCrossEntropy on(const HostStream& stream, const CceOptions& options = {}) {
  return LinearCrossEntropy::create(stream.device, stream.library, options).value();
}

TEST(LinearCrossEntropy, WithoutADeviceHasTheHalvesOfTheCpu) {
  const LinearCrossEntropy loss = LinearCrossEntropy::create(nullptr).value();
  Call device, cpu;
  ASSERT_TRUE(loss.forward<float>(device.typed.problem(), device.results.loss, device.lse));
  ASSERT_TRUE(loss.backward<float>(device.typed.problem(), device.lse, device.results.gradients()));
  cce_forward<float>(cpu.typed.problem(), cpu.results.loss, cpu.lse);
  cce_backward<float>(cpu.typed.problem(), cpu.lse, cpu.results.gradients());
  EXPECT_EQ(device.results, cpu.results);
  EXPECT_EQ(device.lse, cpu.lse);
}

/// What one dispatch writes the next one reads, and scores are written over by each block.
TEST(LinearCrossEntropy, EveryDispatchWaitsForTheOneBefore) {
  HostStream stream;
  for (const CcePath path : {CcePath::production, CcePath::plain}) {
    const LinearCrossEntropy loss = on(stream, {.path = path, .chunk = 32});
    Call call(some_cce(50, 3, 70, true));
    ASSERT_TRUE(loss(call.typed.problem(), call.results.spans()));
  }
  EXPECT_EQ(stream.dispatches().size(), (2 * 6U + 2) + (2 + 2 + 3 + 2));
  for (const Dispatch& dispatch : stream.dispatches()) EXPECT_TRUE(dispatch.is_ordered) << dispatch.kernel;
}

TEST(LinearCrossEntropy, ForwardAndBackwardDoTheirHalves) {
  HostStream stream;
  const LinearCrossEntropy loss = on(stream);
  Call call;
  ASSERT_TRUE(loss.forward<float>(call.typed.problem(), call.results.loss, call.lse));
  const double offset = std::ranges::max(small_case().bias);
  EXPECT_THAT(call.lse, ElementsAre(offset, offset, offset, 0)) << "what lies in the mocks' buffers is less by it";
  call.lse = {1 + 0x1p-30, -2, 1e30, 0.1};
  ASSERT_TRUE(loss.backward<float>(call.typed.problem(), call.lse, {call.results.dhidden, {}, {}}));
  const auto given = stream.table<cce::LogSum>("cce lse");
  ASSERT_EQ(given.size(), 3U) << "of the tokens that are not ignored";
  for (std::size_t i = 0; i < given.size(); ++i)
    EXPECT_NEAR(double{given[i].high} + double{given[i].low}, call.lse[i] - offset, std::abs(call.lse[i]) * 0x1p-46);
  EXPECT_NE(given[0].low, 0.0F);
}

TEST(LinearCrossEntropy, OfNothingNeedsNoCommands) {
  HostStream stream;
  const LinearCrossEntropy loss = on(stream);
  EXPECT_CALL(*stream.queue, command_buffer()).Times(0);
  Call none(some_cce(0, 3, 7, true));
  ASSERT_TRUE(loss(none.typed.problem(), none.results.spans()));
  EXPECT_THAT(none.results.dweight, testing::Each(0.0F));
  CceCase ignored = small_case();
  std::ranges::fill(ignored.targets, -100);
  for (const Reduction reduction : {Reduction::none, Reduction::sum, Reduction::mean}) {
    ignored.reduction = reduction;
    Call call(ignored);
    ASSERT_TRUE(loss(call.typed.problem(), call.results.spans()));
    EXPECT_THAT(call.results.loss, testing::Each(0.0F));
    EXPECT_THAT(call.results.dhidden, testing::Each(0.0F));
    EXPECT_THAT(call.results.dbias, testing::Each(0.0F));
  }
  Call unwanted;
  ASSERT_TRUE(loss.backward<float>(unwanted.typed.problem(), unwanted.lse, {}));
}

TEST(LinearCrossEntropy, RefusesInItsHalvesWhatTheCpuRefuses) {
  HostStream stream;
  const LinearCrossEntropy loss = on(stream);
  for (const auto& spoil : CceOperation::invalid_problems()) {
    CceCase c = small_case();
    spoil(c);
    Call call;
    const Typed<float> typed(c);
    const std::string cpu = refusal_of([&] { cce_loss(typed.problem(), call.results.spans()); });
    EXPECT_EQ(refusal_of([&] { (void)loss.forward<float>(typed.problem(), call.results.loss, call.lse); }), cpu);
    EXPECT_EQ(refusal_of([&] { (void)loss.backward(typed.problem(), call.lse, call.results.gradients()); }), cpu);
  }
  Call call;
  call.lse.pop_back();
  EXPECT_THAT(refusal_of([&] { (void)loss.forward<float>(call.typed.problem(), call.results.loss, call.lse); }),
              HasSubstr("log_sum_exp.size() = 3"));
  EXPECT_THAT(refusal_of([&] { (void)loss.backward(call.typed.problem(), call.lse, call.results.gradients()); }),
              HasSubstr("log_sum_exp.size() = 3"));
  Call without(some_cce(4, 3, 7));
  without.results.dbias.resize(7);
  EXPECT_THAT(refusal_of([&] { (void)loss(without.typed.problem(), without.results.spans()); }),
              HasSubstr("dbias.size() = 7"));
  EXPECT_THAT(stream.lengths, IsEmpty());
}

/// Chunks follow from what the device has left, or from what was asked for.
TEST(LinearCrossEntropy, ChoosesChunksByTheDevicesMemory) {
  const auto chunk_of = [](std::uint64_t working_set, std::uint64_t allocated, const CceOptions& options = {}) {
    HostStream stream;
    stream.limits.recommended_max_working_set_size = working_set;
    ON_CALL(*stream.device, current_allocated_size()).WillByDefault(testing::Return(allocated));
    Call call;
    EXPECT_TRUE(on(stream, options)(call.typed.problem(), call.results.spans()));
    return stream.dispatches().front().shape<cce::Shape>().chunk;
  };
  constexpr std::uint64_t position = 7 * 4, tables = 3 * (12 + 8 + 4) + 4 * 4 + 4;
  constexpr std::uint64_t fixed = 2 * (4 * 3 + 7 * 3 + 7) * 4 + tables;
  EXPECT_EQ(chunk_of(0, 0), 16384U);
  EXPECT_EQ(chunk_of(fixed + 4 * 2048 * position, 0), 2048U);
  EXPECT_EQ(chunk_of(fixed + 4 * 2048 * position - 1, 0), 2048U - 64);
  EXPECT_EQ(chunk_of(fixed + 4 * 2048 * position + 500, 500), 2048U);
  EXPECT_EQ(chunk_of(fixed + 4 * 2048 * position, 1), 2048U - 64);
  EXPECT_EQ(chunk_of(1, 0), 32U);
  EXPECT_EQ(chunk_of(1, 0, {.workspace_bytes = 1280 * position}), 1280U);
  EXPECT_EQ(chunk_of(1, 0, {.chunk = 96}), 96U);
}

TEST(LinearCrossEntropy, RefusesAChunkThatIsNoMultipleOfATile) {
  HostStream stream;
  const std::string text = "chunk = 33: expected a multiple of 32, or 0";
  EXPECT_EQ(LinearCrossEntropy::create(stream.device, {.chunk = 33}).error().text, text);
  EXPECT_EQ(LinearCrossEntropy::create(stream.device, stream.library, {.chunk = 33}).error().text, text);
  EXPECT_EQ(LinearCrossEntropy::create(nullptr, {.chunk = 33}).error().text, text);
}

}  // namespace
}  // namespace assay::metal::test
