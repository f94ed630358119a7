// LinearCrossEntropy on mocks: what goes to the device and what to the CPU, refusals, the order of calls, and every
// call that can fail.
#include "metal/host/cce/cce.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/host/host_stream.h"
#include "tests/kernels/cce/case.h"

namespace assay::metal::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Four tokens, one of them ignored.
CceCase small_case() {
  return some_cce(4, 3, 7, true);
}

/// A call of the small case, with the arrays that it is on.
struct Call {
  explicit Call(const CceCase& c = small_case()) : typed(c), results(typed.problem()), lse(4, 12345.0) {}

  bool is_untouched() const {
    const auto untouched = [](const auto& values) {
      return std::ranges::all_of(values, [](auto value) { return value == 12345.0F; });
    };
    return untouched(results.loss) && untouched(results.dhidden) && untouched(results.dweight) &&
           untouched(results.dbias) && untouched(lse);
  }

  Typed<float> typed;
  CceResults<float> results;
  std::vector<double> lse;
};

std::string refusal_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::invalid_argument& refusal) {
    return refusal.what();
  }
  return "no refusal";
}

LinearCrossEntropy on(const HostStream& stream, const CceOptions& options = {}) {
  return LinearCrossEntropy::create(stream.device, stream.library, options).value();
}

TEST(LinearCrossEntropy, WithoutADeviceIsTheCpus) {
  const LinearCrossEntropy loss = LinearCrossEntropy::create(nullptr).value();
  Call device, cpu;
  ASSERT_TRUE(loss(device.typed.problem(), device.results.spans()));
  cce_loss(cpu.typed.problem(), cpu.results.spans());
  EXPECT_EQ(device.results, cpu.results);
  ASSERT_TRUE(loss.forward<float>(device.typed.problem(), device.results.loss, device.lse));
  ASSERT_TRUE(loss.backward<float>(device.typed.problem(), device.lse, device.results.gradients()));
  cce_forward<float>(cpu.typed.problem(), cpu.results.loss, cpu.lse);
  cce_backward<float>(cpu.typed.problem(), cpu.lse, cpu.results.gradients());
  EXPECT_EQ(device.results, cpu.results);
  EXPECT_EQ(device.lse, cpu.lse);
  EXPECT_FALSE(loss.is_on_device<float>());
  EXPECT_FALSE(loss.reload_if_changed().value());
}

TEST(LinearCrossEntropy, OfBfloatIsTheCpusWhereTheLibraryHasNone) {
  HostStream stream;
  stream.function_names = {"cce_forward_float", "cce_plain_forward_bfloat"};
  const LinearCrossEntropy loss = on(stream);
  EXPECT_TRUE(loss.is_on_device<float>());
  EXPECT_TRUE(loss.is_on_device<Half>());
  EXPECT_FALSE(loss.is_on_device<BFloat16>());
  EXPECT_TRUE(on(stream, {.path = CcePath::plain}).is_on_device<BFloat16>());
  const Typed<BFloat16> typed(small_case());
  CceResults<BFloat16> results(typed.problem());
  ASSERT_TRUE(loss(typed.problem(), results.spans()));
  EXPECT_TRUE(stream.dispatches().empty());
  EXPECT_GT(results.loss[0], 0.0F);
  EXPECT_LT(results.loss[0], 100.0F);
}

TEST(LinearCrossEntropy, CopiesInRunsAndCopiesOut) {
  HostStream stream;
  const LinearCrossEntropy loss = on(stream);
  Call call;
  testing::InSequence order;
  EXPECT_CALL(*stream.commands, compute_encoder(DispatchType::serial));
  EXPECT_CALL(*stream.encoder, end_encoding());
  EXPECT_CALL(*stream.commands, commit());
  EXPECT_CALL(*stream.commands, wait_until_completed());
  ASSERT_TRUE(loss(call.typed.problem(), call.results.spans()));
  EXPECT_EQ(stream.table<float>("cce weight"), small_case().weight);
  EXPECT_EQ(stream.table<float>("cce bias"), small_case().bias);
  EXPECT_EQ(stream.table<cce::Token>("cce tokens").size(), 3U);
  EXPECT_EQ(stream.dispatches().size(), 4U);
  for (const auto* const values :
       {&call.results.loss, &call.results.dhidden, &call.results.dweight, &call.results.dbias})
    EXPECT_THAT(*values, testing::Each(0.0F)) << "what lies in the mocks' buffers, and of an ignored token";
}

TEST(LinearCrossEntropy, BindsEachBufferAtItsIndex) {
  HostStream stream;
  Call call;
  ASSERT_TRUE(on(stream)(call.typed.problem(), call.results.spans()));
  const std::map<std::uint32_t, Binding> expected = {
      {cce::tokens_index, {"cce tokens", 0}},   {cce::hidden_index, {"cce hidden", 0}},
      {cce::weight_index, {"cce weight", 0}},   {cce::bias_index, {"cce bias", 0}},
      {cce::states_index, {"cce states", 0}},   {cce::lse_index, {"cce lse", 0}},
      {cce::losses_index, {"cce losses", 0}},   {cce::sums_index, {"cce sums", 0}},
      {cce::dhidden_index, {"cce dhidden", 0}}, {cce::dweight_index, {"cce dweight", 0}},
      {cce::dbias_index, {"cce dbias", 0}}};
  for (const Dispatch& dispatch : stream.dispatches()) EXPECT_EQ(dispatch.bindings, expected) << dispatch.kernel;
}

/// What one dispatch writes the next one reads, and sums are written over by each chunk.
TEST(LinearCrossEntropy, EveryDispatchWaitsForTheOneBefore) {
  HostStream stream;
  for (const CcePath path : {CcePath::production, CcePath::plain}) {
    const LinearCrossEntropy loss = on(stream, {.path = path, .chunk = 32});
    Call call(some_cce(50, 3, 70, true));
    ASSERT_TRUE(loss(call.typed.problem(), call.results.spans()));
  }
  EXPECT_EQ(stream.dispatches().size(), (2U + 2 + 3) + (2 + 2 + 3));
  for (const Dispatch& dispatch : stream.dispatches()) EXPECT_TRUE(dispatch.is_ordered) << dispatch.kernel;
}

TEST(LinearCrossEntropy, ForwardAndBackwardDoTheirHalves) {
  HostStream stream;
  const LinearCrossEntropy loss = on(stream);
  Call call;
  ASSERT_TRUE(loss.forward<float>(call.typed.problem(), call.results.loss, call.lse));
  EXPECT_THAT(stream.pipelines, ElementsAre("cce_forward_float", "cce_loss"));
  const double offset = std::ranges::max(small_case().bias);
  EXPECT_THAT(call.lse, ElementsAre(offset, offset, offset, 0)) << "what lies in the mocks' buffers is less by it";
  call.lse = {1 + 0x1p-30, -2, 1e30, 0.1};
  ASSERT_TRUE(loss.backward<float>(call.typed.problem(), call.lse, {call.results.dhidden, {}, {}}));
  EXPECT_EQ(stream.pipelines.back(), "cce_dhidden_float");
  EXPECT_EQ(stream.pipelines.size(), 3U);
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

TEST(LinearCrossEntropy, RefusesWhatTheCpuRefusesInTheSameWords) {
  HostStream stream;
  const LinearCrossEntropy loss = on(stream);
  const std::vector<std::function<void(CceCase&)>> faults = {
      [](CceCase& c) { c.N = -1; },
      [](CceCase& c) { c.targets[1] = 7; },
      [](CceCase& c) { c.targets[1] = -1; },
      [](CceCase& c) { c.upstream = {1.0F}; },
      [](CceCase& c) { c.hidden.pop_back(); },
      [](CceCase& c) { c.label_smoothing = 1.5; },
      [](CceCase& c) { c.weight[5] = std::numeric_limits<float>::quiet_NaN(); },
      [](CceCase& c) { c.hidden[2] = std::numeric_limits<float>::infinity(); },
      [](CceCase& c) { c.bias[0] = std::numeric_limits<float>::infinity(); }};
  for (const auto& plant : faults) {
    CceCase c = small_case();
    plant(c);
    Call call;
    const Typed<float> typed(c);
    const std::string cpu = refusal_of([&] { cce_loss(typed.problem(), call.results.spans()); });
    EXPECT_EQ(refusal_of([&] { (void)loss(typed.problem(), call.results.spans()); }), cpu);
    EXPECT_EQ(refusal_of([&] { (void)loss.forward<float>(typed.problem(), call.results.loss, call.lse); }), cpu);
    EXPECT_EQ(refusal_of([&] { (void)loss.backward(typed.problem(), call.lse, call.results.gradients()); }), cpu);
    EXPECT_NE(cpu, "no refusal");
  }
  EXPECT_THAT(stream.lengths, IsEmpty());
}

TEST(LinearCrossEntropy, RefusesOutputsOfAnotherSize) {
  HostStream stream;
  const LinearCrossEntropy loss = on(stream);
  const auto refusal = [&](const std::function<void(Call&)>& plant) {
    Call call;
    plant(call);
    return refusal_of([&] { (void)loss(call.typed.problem(), call.results.spans()); });
  };
  EXPECT_THAT(refusal([](Call& call) { call.results.loss.pop_back(); }), HasSubstr("loss.size() = 3"));
  EXPECT_THAT(refusal([](Call& call) { call.results.dhidden.pop_back(); }), HasSubstr("dhidden.size() = 11"));
  EXPECT_THAT(refusal([](Call& call) { call.results.dweight.pop_back(); }), HasSubstr("dweight.size() = 20"));
  EXPECT_THAT(refusal([](Call& call) { call.results.dbias.pop_back(); }), HasSubstr("dbias.size() = 6"));
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
    return stream.dispatches().back().shape<cce::Shape>().chunk;
  };
  constexpr std::uint64_t position = 3 * 4, fixed = 2 * (4 * 3 + 7 * 3 + 7) * 4 + 3 * (12 + 8 + 4) + 3 * 24;
  EXPECT_EQ(chunk_of(0, 0), 16384U);
  EXPECT_EQ(chunk_of(fixed + 4 * 2048 * position, 0), 2048U);
  EXPECT_EQ(chunk_of(fixed + 4 * 2048 * position - 1, 0), 2048U - 256);
  EXPECT_EQ(chunk_of(fixed + 4 * 2048 * position + 500, 500), 2048U);
  EXPECT_EQ(chunk_of(fixed + 4 * 2048 * position, 1), 2048U - 256);
  EXPECT_EQ(chunk_of(1, 0), 1024U);
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

TEST(LinearCrossEntropy, MakesEachPipelineOnce) {
  HostStream stream;
  const LinearCrossEntropy loss = on(stream);
  for (int i = 0; i < 3; ++i) {
    Call call;
    ASSERT_TRUE(loss(call.typed.problem(), call.results.spans()));
  }
  EXPECT_EQ(stream.pipelines.size(), 4U);
  EXPECT_CALL(*stream.library, reload_if_changed())
      .WillOnce(testing::Return(error(Error::Kind::compile, "line 3")))
      .WillOnce(testing::Return(true));
  EXPECT_EQ(loss.reload_if_changed().error(), (Error{Error::Kind::compile, "reloading the kernels: line 3"}));
  EXPECT_TRUE(loss.reload_if_changed().value());
  Call call;
  ASSERT_TRUE(loss(call.typed.problem(), call.results.spans()));
  EXPECT_EQ(stream.pipelines.size(), 8U);
}

TEST(LinearCrossEntropy, NeedsBothDeviceAndLibrary) {
  HostStream stream;
  EXPECT_THAT(LinearCrossEntropy::create(stream.device, std::shared_ptr<Library>()).error().text,
              HasSubstr("library = null"));
  EXPECT_THAT(LinearCrossEntropy::create(nullptr, stream.library).error().text, HasSubstr("device = null"));
}

}  // namespace
}  // namespace assay::metal::test
