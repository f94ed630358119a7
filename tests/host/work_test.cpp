// Long work is divided: between two commits there is no more of it than allowed, unless one dispatch alone takes more;
// nothing is left out, and the order stays.
#include "metal/host/work.h"

#include <gtest/gtest.h>

#include "tests/host/ctc/shapes.h"
#include "tests/host/host_stream.h"
#include "tests/host/operations.h"
#include "tests/matchers.h"

namespace assay::metal::test {
namespace {

using host::command_ranges;
using host::CommandRange;
using host::default_max_work;

std::vector<CommandRange> ranges_of(const std::vector<std::uint64_t>& work, std::uint64_t max_work) {
  return command_ranges(0, work.size(), max_work, [&](std::size_t n) { return work[n]; });
}

TEST(CommandRanges, TakeAsMuchAsIsAllowed) {
  EXPECT_THAT(ranges_of({3, 4, 3, 5, 5, 1}, 10),
              ElementsAre(CommandRange{0, 3}, CommandRange{3, 2}, CommandRange{5, 1}));
  EXPECT_THAT(ranges_of({3, 4, 4}, 10), ElementsAre(CommandRange{0, 2}, CommandRange{2, 1}));
  EXPECT_THAT(ranges_of({11, 1, 11}, 10), ElementsAre(CommandRange{0, 1}, CommandRange{1, 1}, CommandRange{2, 1}));
  EXPECT_THAT(ranges_of({~std::uint64_t{0}, 1}, 0), ElementsAre(CommandRange{0, 1}, CommandRange{1, 1}));
  EXPECT_THAT(ranges_of({}, 10), testing::IsEmpty());
  EXPECT_THAT(command_ranges(5, 2, 1, [](std::size_t n) { return n - 4; }),
              ElementsAre(CommandRange{5, 1}, CommandRange{6, 1}));
}

TEST(Work, OfFewGroupsIsThatOf16) {
  EXPECT_EQ(host::work_of({1, 1, 1}, 7), 16U * 7);
  EXPECT_EQ(host::work_of({4, 5, 1}, 7), 20U * 7);
  EXPECT_EQ(host::work_of({std::uint64_t{1} << 33, 1, 1}, std::uint64_t{1} << 33), ~std::uint64_t{0});
}

/// Every dispatch is in one range, in order, and no range but of one dispatch takes more than is allowed.
template <class Plan, class Work>
void expect_bounded(const Plan& plan, std::size_t count, std::uint64_t max_work, const Work& work) {
  std::size_t next = 0;
  for (const CommandRange& range : plan.command_ranges()) {
    EXPECT_EQ(range.first, next);
    ASSERT_GT(range.count, 0U);
    std::uint64_t sum = 0;
    for (; next < range.first + range.count; ++next) sum += work(next);
    EXPECT_TRUE(sum <= max_work || range.count == 1) << sum;
  }
  EXPECT_EQ(next, count);
}

template <class Plan>
void expect_each_bounded(const Plan& plan, std::uint64_t max_work) {
  for (const auto& dispatch : plan.dispatches()) EXPECT_LE(dispatch.work, max_work) << dispatch.groups.count();
  expect_bounded(plan, plan.dispatches().size(), max_work, [&](std::size_t n) { return plan.dispatches()[n].work; });
}

CtcPlan ctc_plan_of(HostStream& stream, std::int64_t T, std::int64_t B, std::int64_t C, std::int64_t labels) {
  const Shapes shapes(T, C,
                      std::vector<std::pair<std::int64_t, std::int64_t>>(static_cast<std::size_t>(B), {T, labels}));
  return CtcLoss::create(stream.device, stream.library).value().prepare(shapes.problem(), true).value();
}

TEST(Work, OfCtcIsDividedByRowsAndByFrames) {
  HostStream stream;
  const CtcPlan usual = ctc_plan_of(stream, 1000, 64, 512, 100);
  EXPECT_EQ(usual.command_ranges().size(), 1U);
  const CtcPlan wide = ctc_plan_of(stream, 8192, 32, 16384, 100);
  expect_each_bounded(wide, default_max_work);
  EXPECT_GT(wide.dispatches().size(), 3U) << "chunks of rows";
  const CtcPlan many = ctc_plan_of(stream, 10'000, 512, 30, 1000);
  expect_each_bounded(many, default_max_work);
  const CtcPlan longest = ctc_plan_of(stream, 1 << 20, 2, 30, 100);
  expect_each_bounded(longest, default_max_work);
  std::uint64_t next = 0;
  for (const auto& dispatch : longest.dispatches()) {
    if (dispatch.groups.height != 2) continue;
    EXPECT_EQ(dispatch.shape.first_step, next);
    next += dispatch.shape.steps;
  }
  EXPECT_EQ(next, std::uint64_t{1} << 20);
}

TEST(Work, OfCrossEntropyIsDividedByTokens) {
  HostStream stream;
  CceProblem<float> problem;
  problem.N = 8192;
  problem.H = 4096;
  problem.V = 131'072;
  const std::vector<std::int64_t> targets(8192, 7);
  problem.targets = targets;
  const LinearCrossEntropy loss = LinearCrossEntropy::create(stream.device, stream.library).value();
  expect_each_bounded(loss.prepare(problem, {true, true, true, false}).value(), default_max_work);
  problem.V = 1 << 18;
  problem.H = 4096;
  expect_each_bounded(loss.prepare(problem, {true, true, true, false}).value(), default_max_work);
  problem.V = problem.H = 64;
  EXPECT_EQ(loss.prepare(problem, {true, true, true, false}).value().command_ranges().size(), 1U);
}

TEST(Work, OfTheSvdIsDividedBySweepsAndMatrices) {
  HostStream stream;
  const Svd svd = Svd::create(stream.device, stream.library).value();
  const auto sweeps_of = [&](std::int64_t B, std::int64_t n) {
    const SvdPlan plan = svd.prepare(SvdProblem<float>{B, n, n, {}}, true).value();
    const auto ranges = plan.command_ranges();
    EXPECT_EQ(ranges.back().first + ranges.back().count, plan.dispatch_count());
    return std::pair(plan.statement().sweeps_at_once, ranges.size());
  };
  EXPECT_EQ(sweeps_of(10, 32), std::pair(60U, std::size_t{1}));
  EXPECT_EQ(sweeps_of(5000, 64).first, 9U);
  EXPECT_EQ(sweeps_of(5000, 64).second, 7U);
  EXPECT_EQ(sweeps_of(100'000, 64).first, 1U);
  EXPECT_GT(sweeps_of(1, 1024).second, 1U);
}

/// One matrix of many rows has few threadgroups, and columns of U may have to be completed.
TEST(Work, OfOneMatrixIsDividedByPairsAndRanks) {
  HostStream stream;
  const Svd svd = Svd::create(stream.device, stream.library).value();
  for (const auto& [rows, columns] :
       {std::pair{16'000, 256}, {20'000, 256}, {1'000'000, 256}, {100'000'000, 2}, {10'000'000, 32}, {8192, 8192}}) {
    const SvdPlan plan = svd.prepare(SvdProblem<float>{1, rows, columns, {}}, true).value();
    const auto work = [&](std::size_t n) { return plan.dispatch(n).work; };
    for (std::size_t n = 0; n < plan.dispatch_count(); ++n) ASSERT_LE(work(n), default_max_work) << rows;
    expect_bounded(plan, plan.dispatch_count(), default_max_work, work);
  }
}

/// A road of a host, with what it has encoded when it commits.
template <class Operation>
class HostsWork : public testing::Test {
 protected:
  static std::vector<std::size_t> commits(std::uint64_t max_work, std::vector<std::string>& kernels) {
    HostStream stream;
    std::vector<std::size_t> encoded;
    ON_CALL(*stream.commands, commit()).WillByDefault([&] {
      encoded.push_back(stream.dispatches().size());
      return Result<void>();
    });
    typename Operation::Options options;
    options.max_work = max_work;
    const auto host = Operation::Host::create(stream.device, stream.library, options).value();
    OperationCall<Operation> call;
    EXPECT_TRUE(call.on(host));
    kernels.clear();
    for (const Dispatch& dispatch : stream.dispatches()) kernels.push_back(dispatch.kernel);
    return encoded;
  }
};
TYPED_TEST_SUITE(HostsWork, Operations);

TYPED_TEST(HostsWork, IsCommittedInParts) {
  std::vector<std::string> whole, divided;
  EXPECT_EQ(this->commits(default_max_work, whole).size(), 1U);
  const std::vector<std::size_t> each = this->commits(1, divided);
  EXPECT_EQ(each.size(), divided.size()) << "a dispatch at a time";
  for (std::size_t n = 0; n < each.size(); ++n) EXPECT_EQ(each[n], n + 1);
  EXPECT_EQ(divided.front(), whole.front());
  EXPECT_EQ(divided.back(), whole.back());
}

/// What has been committed before an error has ended when the host returns.
TYPED_TEST(HostsWork, IsAwaitedAfterAnError) {
  HostStream stream;
  int commits = 0;
  ON_CALL(*stream.commands, commit()).WillByDefault([&]() -> Result<void> {
    if (++commits == 2) return error(Error::Kind::execution, "planted");
    return {};
  });
  EXPECT_CALL(*stream.commands, wait_until_completed()).Times(1);
  typename TypeParam::Options options;
  options.max_work = 1;
  const auto host = TypeParam::Host::create(stream.device, stream.library, options).value();
  OperationCall<TypeParam> call;
  EXPECT_EQ(call.on(host).error().text, "committing the commands: planted");
}

}  // namespace
}  // namespace assay::metal::test
