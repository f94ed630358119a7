// LinearCrossEntropy with its kernels on the emulator, by every way through the host; and the emulator, which checks
// each access, has nothing to report. How exact the kernels are is for tests/kernels.
#include <gmock/gmock.h>

#include <cstring>

#include "metal/device/or_throw.h"
#include "metal/host/cce/cce.h"
#include "metal/host/commands.h"
#include "reference/cce/outcome.h"
#include "tests/host/device_batch.h"
#include "tests/kernels/cce/case.h"
#include "tests/kernels/emulated.h"
#include "tests/replaced.h"

namespace assay::metal::test {
namespace {

class CceOnEmulator : public testing::Test {
 protected:
  LinearCrossEntropy loss(const CceOptions& options = {}) const {
    return LinearCrossEntropy::create(device_, options).value();
  }
  void TearDown() override { expect_no_reports(*device_); }

  std::shared_ptr<emulator::EmulatorDevice> device_ = emulated();
};

template <class Real>
CceResults<Real> results_of(const LinearCrossEntropy& loss, const CceCase& c) {
  const Typed<Real> typed(c);
  CceResults<Real> results(typed.problem());
  or_throw(loss(typed.problem(), results.spans()));
  return results;
}

/// `tolerance`: of wiring, not of accuracy.
template <class Real>
void expect_near_exact(const LinearCrossEntropy& loss, const CceCase& c, double tolerance, const std::string& what) {
  const CceResults<Real> results = results_of<Real>(loss, c);
  const Typed<Real> typed(c);
  const auto exact = reference::cce_outcome<double>(typed.problem());
  const auto expect_near = [&](const auto& got, const std::vector<double>& expected) {
    ASSERT_EQ(got.size(), expected.size()) << what;
    for (std::size_t i = 0; i < got.size(); ++i)
      EXPECT_NEAR(float{got[i]}, expected[i], tolerance * (1 + std::abs(expected[i]))) << what << " " << i;
  };
  expect_near(results.loss, exact.loss);
  expect_near(results.dhidden, exact.dhidden);
  expect_near(results.dweight, exact.dweight);
  expect_near(results.dbias, exact.dbias);
}

TEST_F(CceOnEmulator, DoesEveryTypePathAndReduction) {
  for (const CcePath path : {CcePath::production, CcePath::plain}) {
    const LinearCrossEntropy host = loss({.path = path});
    for (const Reduction reduction : {Reduction::none, Reduction::sum, Reduction::mean}) {
      CceCase c = some_cce(9, 11, 40, true);
      c.reduction = reduction;
      c.upstream.assign(c.loss_size(), -1.5F);
      expect_near_exact<float>(host, c, 1e-5, "float");
      expect_near_exact<Half>(host, c, 2e-3, "half");
      expect_near_exact<BFloat16>(host, c, 2e-2, "bfloat");
    }
  }
}

TEST_F(CceOnEmulator, KeepsIgnoredTokensOut) {
  CceCase c = some_cce(9, 11, 40, true);
  const CceResults<float> results = results_of<float>(loss(), c);
  for (const std::size_t n : {3U, 8U}) {
    EXPECT_EQ(results.loss[n], 0.0F);
    for (std::size_t h = 0; h < 11; ++h) EXPECT_EQ(results.dhidden[n * 11 + h], 0.0F);
  }
}

/// The results of plans, each by one command buffer: all at once, or backward after forward.
template <class Real>
CceResults<Real> planned(Device& device, const LinearCrossEntropy& loss, const CceCase& c,
                         const std::vector<CceWork>& works, std::uint64_t offset = 0) {
  const Typed<Real> typed(c);
  const auto queue = device.new_command_queue();
  CceBuffers buffers;
  const auto reserve = [&](BufferPart& part, std::uint64_t bytes) {
    if (bytes != 0 && !part.buffer) part = {or_throw(device.new_buffer(offset + bytes)), offset};
  };
  const auto give = [&](BufferPart& part, std::span<const std::byte> bytes) {
    reserve(part, bytes.size());
    std::ranges::copy(bytes, part.buffer->contents() + offset);
    or_throw(part.buffer->did_modify(offset, bytes.size()));
  };
  give(buffers.hidden, std::as_bytes(typed.problem().hidden));
  give(buffers.weight, std::as_bytes(typed.problem().weight));
  buffers.bias.buffer = or_throw(device.new_buffer(std::as_bytes(typed.problem().bias)));
  for (const CceWork& work : works) {
    const CcePlan plan = or_throw(loss.prepare(typed.problem(), work));
    reserve(buffers.loss, plan.loss_bytes());
    reserve(buffers.lse, plan.lse_bytes());
    reserve(buffers.dhidden, plan.dhidden_bytes());
    reserve(buffers.dweight, plan.dweight_bytes());
    reserve(buffers.dbias, plan.dbias_bytes());
    or_throw(host::wait(*or_throw(
        host::commit(*queue, [&](ComputeCommandEncoder& encoder) { return plan.encode(encoder, buffers); }))));
  }
  CceResults<Real> results(typed.problem());
  const auto take = [](const BufferPart& from, auto& to) {
    std::memcpy(to.data(), from.buffer->contents() + from.offset, std::span(to).size_bytes());
  };
  take(buffers.loss, results.loss);
  take(buffers.dhidden, results.dhidden);
  take(buffers.dweight, results.dweight);
  take(buffers.dbias, results.dbias);
  return results;
}

constexpr CceWork everything = {true, true, true, true};
const std::vector<CceWork> both_halves = {{.forward = true}, {.dhidden = true, .dweight = true, .dbias = true}};

TEST_F(CceOnEmulator, APlanGivesTheSameBits) {
  CceCase c = some_cce(50, 11, 70, true);
  c.upstream.assign(50, -1.5F);
  for (const CceOptions& options : {CceOptions{}, {.chunk = 32}, {.path = CcePath::plain}}) {
    const LinearCrossEntropy host = loss(options);
    const CceResults<float> expected = results_of<float>(host, c);
    EXPECT_EQ(planned<float>(*device_, host, c, {everything}), expected);
    EXPECT_EQ(planned<float>(*device_, host, c, both_halves), expected);
    EXPECT_EQ(planned<Half>(*device_, host, c, {everything}), results_of<Half>(host, c));
  }
}

/// Kernels load four elements at once where H is a multiple of four.
TEST_F(CceOnEmulator, APlanTakesPartsThatAreAlignedToFourElements) {
  CceCase c = some_cce(70, 12, 70, true);
  c.upstream.assign(70, -1.5F);
  const LinearCrossEntropy host = loss();
  EXPECT_EQ(planned<float>(*device_, host, c, {everything}, 16), results_of<float>(host, c));
  EXPECT_THROW(planned<float>(*device_, host, c, {everything}, 8), std::runtime_error);
  CceCase of_odd_length = some_cce(70, 11, 70, true);
  of_odd_length.upstream.assign(70, -1.5F);
  EXPECT_EQ(planned<float>(*device_, host, of_odd_length, {everything}, 8), results_of<float>(host, of_odd_length));
}

/// Every element is written, although the emulator's new memory is no zero.
TEST_F(CceOnEmulator, APlanOfIgnoredTokensWritesZeros) {
  CceCase c = some_cce(50, 11, 70, true);
  std::ranges::fill(c.targets, -100);
  for (const CcePath path : {CcePath::production, CcePath::plain}) {
    const CceResults<float> results = planned<float>(*device_, loss({.path = path}), c, {everything});
    EXPECT_TRUE(results.hold_only(0));
  }
}

/// Planted: kernels that forget the rows of ignored tokens.
TEST_F(CceOnEmulator, APlanOfFaultyKernelsGivesOtherBits) {
  const std::string source = or_throw(some_kernels("cce", {"loss", "products", "rows"},
                                                   {{"cce_logits_float", "logits<float>"},
                                                    {"cce_loss_float", "loss<float>"},
                                                    {"cce_differentiate_float", "differentiate<float>"},
                                                    {"cce_dhidden_float", "dhidden<float>"},
                                                    {"cce_dweight_float", "dweight<float>"},
                                                    {"cce_dbias_float", "dbias<float>"},
                                                    {"cce_clear_dhidden_float", "clear_dhidden<float>"}}));
  const CceCase c = some_cce(9, 11, 40, true);
  const CceResults<float> expected = results_of<float>(loss(), c);
  for (const auto& [text, instead] :
       {std::pair<std::string, std::string>{"loss[ignored[n]] = 0.0f;", "loss[ignored[n]] = losses[0];"},
        {"row[h] = D(0.0f);", "row[h] = D(1.0f);"},
        {"loss[tokens[n].row] = losses[n];", "loss[tokens[n].row] = losses[0];"}}) {
    const auto faulty =
        LinearCrossEntropy::create(device_, or_throw(device_->new_library(replaced(source, text, instead)))).value();
    EXPECT_FALSE(planned<float>(*device_, faulty, c, {everything}) == expected) << instead;
  }
}

TEST_F(CceOnEmulator, GivesEqualBitsOnRepeatAndInAnyChunk) {
  const CceCase c = some_cce(50, 11, 70, true);
  const LinearCrossEntropy host = loss();
  const CceResults<float> whole = results_of<float>(host, c);
  EXPECT_EQ(results_of<float>(host, c), whole);
  EXPECT_EQ(results_of<float>(loss({.chunk = 32}), c), whole);
  EXPECT_EQ(results_of<float>(loss({.workspace_bytes = 1}), c), whole);
}

}  // namespace
}  // namespace assay::metal::test
