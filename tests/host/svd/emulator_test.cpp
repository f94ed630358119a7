// Svd with its kernels on the emulator, by every way through the host; and the emulator, which checks each access, has
// nothing to report. How exact the kernels are is for tests/kernels.
#include <gmock/gmock.h>

#include <cstring>

#include "metal/device/or_throw.h"
#include "metal/device/shader_source.h"
#include "metal/host/commands.h"
#include "metal/host/kernel_file.h"
#include "metal/host/svd/svd.h"
#include "tests/host/device_batch.h"
#include "tests/kernels/emulated.h"
#include "tests/kernels/svd/case.h"
#include "tests/kernels/svd/expect.h"
#include "tests/replaced.h"

namespace assay::metal::test {
namespace {

using reference::RandomizedSvd;

class SvdOnEmulator : public testing::Test {
 protected:
  Svd svd(const SvdOptions& options = {}) const { return Svd::create(device_, options).value(); }
  void TearDown() override { expect_no_reports(*device_); }

  std::shared_ptr<emulator::EmulatorDevice> device_ = emulated();
};

template <class Real = float>
SvdResults<Real> results_of(const Svd& svd, const SvdCase& c, bool with_vectors = true) {
  const TypedSvd<Real> typed(c);
  SvdResults<Real> results(typed.problem(), with_vectors);
  or_throw(svd(typed.problem(), results.spans()));
  return results;
}

template <class Real = float>
SvdResults<Real> randomized_of(const Svd& svd, const SvdCase& c, const RandomizedSvd& randomized,
                               bool with_vectors = true) {
  const TypedSvd<Real> typed(c);
  SvdResults<Real> results(typed.problem(), randomized.rank, with_vectors);
  or_throw(svd.randomized(typed.problem(), randomized, results.spans()));
  return results;
}

TEST_F(SvdOnEmulator, DoesEveryTypeAndPath) {
  for (const SvdPath path : {SvdPath::production, SvdPath::plain}) {
    const Svd host = svd({.path = path});
    for (const auto& [M, N] : {std::pair{7, 5}, {4, 9}}) {
      const SvdCase c = some_svd(M, N, 2);
      expect_svd(results_of(host, c), c, "float");
      SvdCase rounded = c;
      for (float& x : rounded.A) x = float{Half(x)};
      expect_svd(results_of<Half>(host, rounded), rounded, "half", 4e-3L);
      for (float& x : rounded.A) x = float{BFloat16(x)};
      expect_svd(results_of<BFloat16>(host, rounded), rounded, "bfloat", 3e-2L);
    }
  }
}

/// A batch in parts; and twice.
TEST_F(SvdOnEmulator, GivesEqualBitsOnRepeatAndInAnyParts) {
  const SvdCase c = some_svd(5, 4, 5);
  const Svd host = svd();
  const SvdResults<float> whole = results_of(host, c);
  EXPECT_EQ(results_of(host, c), whole);
  EXPECT_EQ(results_of(svd({.workspace_bytes = 1}), c), whole);
  EXPECT_EQ(results_of(svd({.workspace_bytes = 1200}), c), whole);
  EXPECT_EQ(results_of(host, c, false).S, whole.S);
}

TEST_F(SvdOnEmulator, SaysWhichMatrixDoesNotConverge) {
  const SvdCase c = some_svd(6, 6, 2);
  const TypedSvd<float> typed(c);
  SvdResults<float> results(typed.problem());
  for (const SvdPath path : {SvdPath::production, SvdPath::plain})
    EXPECT_EQ(svd({.path = path, .max_sweeps = 1})(typed.problem(), results.spans()).error(),
              (Error{Error::Kind::execution, "A[b=0]: columns not orthogonal after 1 sweeps"}));
}

/// The results and the status of a plan, by one command buffer.
template <class Real = float>
std::pair<SvdResults<Real>, std::vector<std::uint32_t>> planned(Device& device, const Svd& svd, const SvdCase& c) {
  const TypedSvd<Real> typed(c);
  const SvdPlan plan = or_throw(svd.prepare(typed.problem(), true));
  SvdBuffers buffers;
  buffers.matrices.buffer = or_throw(device.new_buffer(std::as_bytes(typed.problem().A)));
  buffers.U.buffer = or_throw(device.new_buffer(plan.left_bytes()));
  buffers.S.buffer = or_throw(device.new_buffer(plan.values_bytes()));
  buffers.Vh.buffer = or_throw(device.new_buffer(plan.right_bytes()));
  buffers.status.buffer = or_throw(device.new_buffer(plan.status_bytes()));
  const auto queue = device.new_command_queue();
  or_throw(host::wait(
      *or_throw(host::commit(*queue, [&](ComputeCommandEncoder& encoder) { return plan.encode(encoder, buffers); }))));
  std::pair<SvdResults<Real>, std::vector<std::uint32_t>> done{SvdResults<Real>(typed.problem()), {}};
  const auto take = [](const BufferPart& from, auto& to) {
    std::memcpy(to.data(), from.buffer->contents(), std::span(to).size_bytes());
  };
  done.second.resize(static_cast<std::size_t>(c.B));
  take(buffers.U, done.first.U);
  take(buffers.S, done.first.S);
  take(buffers.Vh, done.first.Vh);
  take(buffers.status, done.second);
  return done;
}

/// Some matrices converge sweeps before others: the sweeps that they do not need change nothing.
TEST_F(SvdOnEmulator, APlanGivesTheSameBits) {
  SvdCase c = some_svd(8, 6, 3);
  for (std::size_t i = 0; i < 48; ++i) c.A[i] = i % 7 == 0 ? 1.0F : 0.0F;
  for (const SvdOptions& options : {SvdOptions{.max_sweeps = 20},
                                    {.path = SvdPath::plain, .max_sweeps = 12},
                                    {.path = SvdPath::plain, .max_sweeps = 12, .workspace_bytes = 2000}}) {
    const auto [results, status] = planned(*device_, svd(options), c);
    EXPECT_EQ(results, results_of(svd(options), c));
    EXPECT_EQ(status[0], 1U) << "orthogonal as it is";
    EXPECT_GT(status[1], 3U);
    EXPECT_LT(status[1], 12U);
  }
  SvdCase rounded = c;
  for (float& x : rounded.A) x = float{Half(x)};
  EXPECT_EQ(planned<Half>(*device_, svd(), rounded).first, results_of<Half>(svd(), rounded));
}

/// The status says what the caller must ask; more than one sweep more would change the bits.
TEST_F(SvdOnEmulator, APlanSaysWhichMatrixDoesNotConverge) {
  const SvdCase c = some_svd(6, 6, 2);
  for (const SvdPath path : {SvdPath::production, SvdPath::plain}) {
    const Svd host = svd({.path = path, .max_sweeps = 2});
    const auto [results, status] = planned(*device_, host, c);
    EXPECT_EQ(status, std::vector(2, std::uint32_t{svd::not_converged}));
    const TypedSvd<float> typed(c);
    EXPECT_EQ(or_throw(host.prepare(typed.problem(), true)).check_status(status).error().text,
              "A[b=0]: columns not orthogonal after 2 sweeps");
    EXPECT_FALSE(results == results_of(svd({.path = path}), c));
  }
}

/// A matrix of zeros, one with two columns of zeros, and one of full rank.
SvdCase with_zero_columns() {
  SvdCase c = some_svd(7, 5, 3);
  for (std::size_t i = 0; i < 35; ++i) c.A[i] = 0.0F;
  for (std::size_t i = 35; i < 70; ++i)
    if (i % 5 == 1 || i % 5 == 4) c.A[i] = 0.0F;
  return c;
}

TEST_F(SvdOnEmulator, CompletesUInAnyNumberOfDispatches) {
  const SvdCase c = with_zero_columns();
  const Svd whole = svd(), divided = svd({.max_work = 1});
  const auto dispatches_of = [&](const Svd& host) {
    return or_throw(host.prepare(TypedSvd<float>(c).problem(), true)).dispatches().finishes();
  };
  EXPECT_EQ(dispatches_of(whole), 1U);
  EXPECT_EQ(dispatches_of(divided), 5U);
  EXPECT_EQ(results_of(divided, c), results_of(whole, c));
  expect_svd(results_of(divided, c), c, "float");
}

/// Planted: each dispatch computes the norms anew, of columns that are normalized already; and completes all columns.
TEST_F(SvdOnEmulator, FaultyDispatchesThatCompleteUGiveOtherBits) {
  const std::string source = or_throw(text_with_includes(host::kernel_file(Svd::kernel_file)));
  const SvdCase c = with_zero_columns();
  const SvdResults<float> expected = results_of(svd(), c);
  for (const auto& [text, instead] : {std::pair<std::string, std::string>{"if (shape.first_rank == 0)", "if (true)"},
                                      {"uint known = shape.first_rank;", "uint known = shape.first_rank + 1;"}}) {
    const auto library = or_throw(device_->new_library(replaced(source, text, instead)));
    EXPECT_FALSE(results_of(Svd::create(device_, library, {.max_work = 1}).value(), c) == expected) << instead;
  }
}

TEST_F(SvdOnEmulator, DividesTheProductsOfTheRandomizedSvd) {
  const RandomizedSvd randomized{.rank = 2, .oversampling = 3, .power_iterations = 1};
  for (const auto& [M, N] : {std::pair{40, 17}, {17, 40}}) {
    const SvdCase c = some_svd(M, N);
    EXPECT_EQ(randomized_of(svd({.max_work = 1}), c, randomized), randomized_of(svd(), c, randomized)) << M;
  }
}

/// Planted: matrices that settle too early, and a matrix that is rotated by the sums of another one.
TEST_F(SvdOnEmulator, APlanOfFaultyKernelsGivesOtherBits) {
  const std::string source =
      or_throw(some_kernels("svd", {"finish", "load", "plain", "settle"},
                            {{"svd_load_float", "load<float>"}, {"svd_finish_float", "finish<float>"}}));
  const SvdCase c = some_svd(8, 6, 2);
  const SvdOptions options{.path = SvdPath::plain, .max_sweeps = 12};
  const SvdResults<float> expected = results_of(svd(options), c);
  for (const auto& [text, instead] :
       {std::pair<std::string, std::string>{"if (!simd_any(is_rotated) && lane", "if (lane"},
        {"if (rotated[ulong(b) * shape.groups + n] != 0)", "if (false)"}}) {
    const Svd faulty =
        Svd::create(device_, or_throw(device_->new_library(replaced(source, text, instead))), options).value();
    EXPECT_FALSE(planned(*device_, faulty, c).first == expected) << instead;
  }
}

/// Singular values 1, 1/2, 1/4, ... and orthonormal vectors, of the kernels' own.
SvdCase halving(const Svd& svd, std::int64_t M, std::int64_t N) {
  SvdCase c = some_svd(M, N);
  const SvdResults<float> factors = results_of(svd, c);
  const std::int64_t K = c.K();
  for (std::int64_t i = 0; i < M; ++i)
    for (std::int64_t j = 0; j < N; ++j) {
      double sum = 0;
      for (std::int64_t r = 0; r < K; ++r)
        sum += std::ldexp(double{factors.U[static_cast<std::size_t>(i * K + r)]}, static_cast<int>(-r)) *
               double{factors.Vh[static_cast<std::size_t>(r * N + j)]};
      c.A[c.at(0, i, j)] = static_cast<float>(sum);
    }
  return c;
}

TEST_F(SvdOnEmulator, RandomizedFindsTheLargestTriplets) {
  const Svd host = svd();
  for (const auto& [M, N] : {std::pair{21, 18}, {18, 21}, {9, 9}}) {
    const SvdCase c = halving(host, M, N);
    const SvdResults<float> all = results_of(host, c);
    const SvdResults<float> few = randomized_of(host, c, {.rank = 3, .oversampling = 5});
    const auto K = static_cast<std::size_t>(c.K());
    for (std::size_t r = 0; r < 3; ++r) {
      EXPECT_NEAR(few.S[r], all.S[r], 1e-5F);
      for (std::size_t i = 0; i * K < all.U.size(); ++i) EXPECT_NEAR(few.U[i * 3 + r], all.U[i * K + r], 1e-4F);
      for (std::size_t j = 0; j < static_cast<std::size_t>(N); ++j)
        EXPECT_NEAR(few.Vh[r * static_cast<std::size_t>(N) + j], all.Vh[r * static_cast<std::size_t>(N) + j], 1e-4F);
    }
  }
}

/// All of K: no randomness is left in what it finds.
TEST_F(SvdOnEmulator, RandomizedOfFullRankIsADecomposition) {
  for (const SvdCase& c : {some_svd(6, 4), some_svd(4, 6), low_rank_svd(7, 5, 2)}) {
    const SvdResults<float> results = randomized_of(svd(), c, {.rank = c.K(), .power_iterations = 0});
    expect_svd(results, c, "full", 2 * float_bound(c));
  }
}

TEST_F(SvdOnEmulator, RandomizedGivesEqualBitsOfEqualSeedsAndAnyScale) {
  const Svd host = svd();
  const SvdCase c = short_svd(8, 7);
  const SvdResults<float> first = randomized_of(host, c, {.rank = 2, .oversampling = 2, .seed = 5});
  EXPECT_EQ(randomized_of(host, c, {.rank = 2, .oversampling = 2, .seed = 5}), first);
  EXPECT_FALSE(randomized_of(host, c, {.rank = 2, .oversampling = 2, .seed = 6}) == first);
  EXPECT_EQ(randomized_of(host, c, {.rank = 2, .oversampling = 2, .seed = 5}, false).S, first.S);
  for (const int power : {-140, 100}) {
    const SvdResults<float> other = randomized_of(host, scaled(c, power), {.rank = 2, .oversampling = 2, .seed = 5});
    EXPECT_EQ(other.U, first.U);
    EXPECT_EQ(other.Vh, first.Vh);
    for (std::size_t r = 0; r < 2; ++r) EXPECT_EQ(other.S[r], std::ldexp(first.S[r], power));
  }
}

/// Each matrix by itself, and rounded once.
TEST_F(SvdOnEmulator, RandomizedOfABatchIsThatOfItsMatrices) {
  SvdCase all = some_svd(5, 4, 2);
  for (float& x : all.A) x = float{Half(x)};
  const RandomizedSvd randomized{.rank = 2, .oversampling = 0};
  const SvdResults<Half> together = randomized_of<Half>(svd(), all, randomized);
  for (std::size_t b = 0; b < 2; ++b) {
    const SvdCase one{
        1, 5, 4, {all.A.begin() + static_cast<long>(b) * 20, all.A.begin() + static_cast<long>(b + 1) * 20}};
    const SvdResults<float> alone = randomized_of(svd(), one, randomized);
    for (std::size_t r = 0; r < 2; ++r) EXPECT_EQ(together.S[b * 2 + r], alone.S[r]);
    for (std::size_t i = 0; i < 10; ++i)
      EXPECT_EQ(std::abs(float{together.U[b * 10 + i]}), std::abs(float{Half(double{alone.U[i]})}));
  }
}

TEST_F(SvdOnEmulator, CountsWhatIsAllocated) {
  const std::uint64_t before = device_->current_allocated_size();
  (void)results_of(svd(), some_svd(3, 2));
  (void)randomized_of(svd(), some_svd(3, 2), {.rank = 1});
  EXPECT_EQ(device_->current_allocated_size(), before);
}

}  // namespace
}  // namespace assay::metal::test
