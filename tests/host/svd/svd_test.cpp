// Svd on mocks, beyond what holds of all hosts: double, the rSVD, sweeps until nothing rotates, parts of a batch.
#include "metal/host/svd/svd.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "reference/svd/validate.h"
#include "tests/host/host_stream.h"
#include "tests/host/operations.h"
#include "tests/matchers.h"

namespace assay::metal::test {
namespace {

using reference::RandomizedSvd;
using testing::_;

/// A call, with the arrays that it is on.
template <class Real = float>
struct Call {
  explicit Call(const SvdCase& c = some_svd(3, 2)) : typed(c), results(typed.problem()) {}

  Result<void> operator()(const Svd& svd) { return svd(typed.problem(), results.spans()); }

  TypedSvd<Real> typed;
  SvdResults<Real> results;
};

Svd on(const HostStream& stream, const SvdOptions& options = {}) {
  return Svd::create(stream.device, stream.library, options).value();
}

/// What kernels leave in the buffer of states, [B], run after run; the last one for ever.
void give_status(HostStream& stream, std::vector<std::vector<std::uint32_t>> status) {
  const auto buffer = std::make_shared<std::shared_ptr<Buffer>>();
  const auto left = std::make_shared<std::vector<std::vector<std::uint32_t>>>(std::move(status));
  ON_CALL(*stream.device, new_buffer(testing::An<std::uint64_t>(), _))
      .WillByDefault([&stream, buffer](std::uint64_t length, const std::string& label) {
        const std::shared_ptr<Buffer> made = stream.make_buffer(label, length);
        if (label == "svd status") *buffer = made;
        return Result<std::shared_ptr<Buffer>>(made);
      });
  ON_CALL(*stream.commands, wait_until_completed()).WillByDefault([buffer, left] {
    std::memcpy((*buffer)->contents(), left->front().data(), left->front().size() * sizeof(std::uint32_t));
    if (left->size() > 1) left->erase(left->begin());
    return Result<void>();
  });
}

template <class Real>
void expect_cpus(const Svd& svd) {
  Call<Real> device, cpu;
  ASSERT_TRUE(device(svd));
  metal::svd(cpu.typed.problem(), cpu.results.spans());
  EXPECT_EQ(device.results, cpu.results);
  const RandomizedSvd randomized{.rank = 1};
  SvdResults<Real> of_device(device.typed.problem(), 1, true), of_cpu = of_device;
  ASSERT_TRUE(svd.randomized(device.typed.problem(), randomized, of_device.spans()));
  randomized_svd(cpu.typed.problem(), randomized, of_cpu.spans());
  EXPECT_EQ(of_device, of_cpu);
}

TEST(Svd, WithoutADeviceIsTheCpus) {
  const Svd svd = Svd::create(nullptr).value();
  expect_cpus<float>(svd);
  expect_cpus<Half>(svd);
  expect_cpus<double>(svd);
}

TEST(Svd, OfDoubleIsTheCpus) {
  HostStream stream;
  const Svd svd = on(stream);
  EXPECT_FALSE(svd.is_on_device<double>());
  expect_cpus<double>(svd);
  EXPECT_THAT(stream.dispatches(), IsEmpty());
}

TEST(Svd, OfNothingNeedsNoCommands) {
  HostStream stream;
  EXPECT_CALL(*stream.queue, command_buffer()).Times(0);
  for (const SvdCase& c : {SvdCase{0, 3, 2, {}}, SvdCase{4, 0, 2, {}}, SvdCase{4, 3, 0, {}}}) {
    Call call(c);
    EXPECT_TRUE(call(on(stream)));
  }
  EXPECT_THAT(stream.lengths, IsEmpty());
}

TEST(Svd, RefusesInTheRandomizedOneWhatTheCpuRefuses) {
  HostStream stream;
  for (const auto& spoil : SvdOperation::invalid_problems()) {
    SvdCase c = some_svd(3, 2);
    spoil(c);
    const TypedSvd<float> typed(c);
    Call call;
    SvdResults<float> one(call.typed.problem(), 1, true);
    EXPECT_EQ(refusal_of([&] { (void)on(stream).randomized(typed.problem(), {}, one.spans()); }),
              refusal_of([&] { metal::svd(typed.problem(), call.results.spans()); }));
  }
  EXPECT_THAT(stream.lengths, IsEmpty());
}

TEST(Svd, RefusesARandomizedOneThatIsNone) {
  HostStream stream;
  const Svd svd = on(stream);
  Call call;
  for (const RandomizedSvd& bad : {RandomizedSvd{.rank = 0}, RandomizedSvd{.rank = 3},
                                   RandomizedSvd{.oversampling = -1}, RandomizedSvd{.power_iterations = -1}})
    EXPECT_EQ(refusal_of([&] { (void)svd.randomized(call.typed.problem(), bad, call.results.spans()); }),
              refusal_of([&] { reference::validate(bad, call.typed.problem()); }));
  EXPECT_THAT(refusal_of([&] { (void)svd.randomized(call.typed.problem(), {.rank = 1}, call.results.spans()); }),
              HasSubstr("S.size() = 2"));
  EXPECT_THAT(stream.lengths, IsEmpty());
}

/// The host asks after each sweep, of all matrices; sweeps are alike.
TEST(Svd, SweepsUntilNothingIsRotated) {
  const auto dispatches_after = [](std::vector<std::vector<std::uint32_t>> status) {
    HostStream stream;
    give_status(stream, std::move(status));
    Call call(some_svd(3, 3, 2));
    EXPECT_TRUE(call(on(stream, {.path = SvdPath::plain})));
    return stream.dispatches().size();
  };
  constexpr std::uint32_t no = svd::not_converged;
  const auto one = dispatches_after({{1, 1}}), two = dispatches_after({{1, no}, {1, 2}});
  EXPECT_GT(two, one);
  EXPECT_EQ(dispatches_after({{no, no}, {2, no}, {2, 3}}), two + (two - one));
}

TEST(Svd, NamesTheMatrixThatDoesNotConverge) {
  const std::string text = "A[b={}]: columns not orthogonal after 4 sweeps";
  HostStream plain, production;
  give_status(plain, {{3, svd::not_converged}});
  Call call(some_svd(3, 3, 2));
  EXPECT_EQ(call(on(plain, {.path = SvdPath::plain, .max_sweeps = 4})).error(),
            (Error{Error::Kind::execution, fmt::format(fmt::runtime(text), 1)}));
  EXPECT_EQ(plain.dispatches().size(), 1U + 4 * (3 + 1)) << "no finish";
  give_status(production, {{5, svd::not_converged}});
  EXPECT_EQ(call(on(production, {.max_sweeps = 4})).error(),
            (Error{Error::Kind::execution, fmt::format(fmt::runtime(text), 1)}));
  EXPECT_EQ(production.dispatches()[1].shape<svd::Shape>().sweeps, 4U);
  EXPECT_THAT(call.results.S, Each(12345.0F));
}

TEST(Svd, NeedsASweep) {
  HostStream stream;
  const std::string text = "max_sweeps = 0: expected at least 1";
  EXPECT_EQ(Svd::create(stream.device, {.max_sweeps = 0}).error().text, text);
  EXPECT_EQ(Svd::create(stream.device, stream.library, {.max_sweeps = 0}).error().text, text);
}

TEST(Svd, RefusesExtentsThatTheKernelsCannotCount) {
  HostStream stream;
  const Svd svd = on(stream);
  const auto error_of = [&](std::int64_t M, std::int64_t N) {  // of no matrices, for there is no room for one
    const Result<void> done = svd(SvdProblem<float>{0, M, N, {}}, {});
    return done ? std::string() : done.error().text;
  };
  constexpr std::int64_t max_rows = std::int64_t{1} << 31, max_columns = std::int64_t{1} << 20;
  EXPECT_EQ(error_of(max_rows, max_columns), "");
  EXPECT_EQ(error_of(max_rows + 1, 1), "max(M, N) = 2147483649: expected at most 2147483648 on a device");
  EXPECT_EQ(error_of(1, max_rows + 1), "max(M, N) = 2147483649: expected at most 2147483648 on a device");
  EXPECT_EQ(error_of(max_columns + 1, max_columns + 1), "min(M, N) = 1048577: expected at most 1048576 on a device");
}

/// As many matrices at a time as fit, each once and in order.
TEST(Svd, TakesABatchInParts) {
  const auto parts = [](const SvdOptions& options, std::uint64_t working_set, std::uint64_t buffer_length) {
    HostStream stream;
    stream.limits.recommended_max_working_set_size = working_set;
    stream.limits.max_buffer_length = buffer_length;
    Call call(some_svd(3, 2, 7));
    EXPECT_TRUE(call(on(stream, options)));
    EXPECT_THAT(call.results.S, Each(0.0F));
    std::vector<std::uint64_t> counts;
    for (std::size_t n = 0; n < stream.dispatches().size(); n += 3)
      counts.push_back(stream.dispatches()[n].groups.width);
    return counts;
  };
  using Counts = std::vector<std::uint64_t>;
  // matrix 24, work 24, rotations 16, norms, order, projections and values 8 each, exponent 4, status 4, U 24, Vh 16
  constexpr std::uint64_t matrix = 24 + 24 + 16 + 4 * 8 + 4 + 4 + 24 + 16;
  EXPECT_EQ(parts({}, 0, 0), Counts{7});
  EXPECT_EQ(parts({.workspace_bytes = 3 * matrix}, 0, 0), (Counts{3, 3, 1}));
  EXPECT_EQ(parts({.workspace_bytes = 3 * matrix - 1}, 0, 0), (Counts{2, 2, 2, 1}));
  EXPECT_EQ(parts({.workspace_bytes = 1}, 0, 0), (Counts{1, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(parts({}, 4 * 6 * matrix, 0), (Counts{6, 1}));
  EXPECT_EQ(parts({}, 0, 5 * 24), (Counts{5, 2})) << "by the longest buffer";
}

/// All matrices of a batch take the dispatches of one. Only the random subspace is the same for all.
TEST(Svd, RandomizedTakesABatchTogether) {
  std::vector<std::vector<std::string>> kernels;
  for (const std::int64_t B : {1, 3}) {
    HostStream stream;
    Call call(some_svd(9, 7, B));
    SvdResults<float> results(call.typed.problem(), 2, true);
    ASSERT_TRUE(on(stream).randomized(call.typed.problem(), {.rank = 2, .oversampling = 1, .power_iterations = 1},
                                      results.spans()));
    kernels.emplace_back();
    for (const Dispatch& dispatch : stream.dispatches()) kernels.back().push_back(dispatch.kernel);
  }
  EXPECT_EQ(kernels[0], kernels[1]);
}

}  // namespace
}  // namespace assay::metal::test
