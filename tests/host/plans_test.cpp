// What holds of the plans of all operations, on mocks: what they bind, in which order, that they only encode, and what
// they refuse. That kernels find their buffers is shown by results: operations_emulator_test.cpp.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "tests/host/host_stream.h"
#include "tests/host/operations.h"
#include "tests/matchers.h"

namespace assay::metal::test {
namespace {

using testing::_;

template <class Operation>
class Plans : public testing::Test {
 protected:
  auto plan(KernelPath path = KernelPath::production) const {
    typename Operation::Options options;
    options.path = path;
    const auto host = Operation::Host::create(stream_.device, stream_.library, options).value();
    return Operation::prepare(host, Operation::small_case());
  }

  /// The caller's buffers under their names, each part from an offset on.
  template <class Buffers, std::size_t n>
  Buffers given(const std::array<host::PlanBuffer<Buffers>, n>& rows) {
    Buffers buffers;
    for (const auto& row : rows)
      if (row.bytes != 0) buffers.*row.part = {stream_.make_buffer(row.name, row.multiple + row.bytes), row.multiple};
    return buffers;
  }

  HostStream stream_;
};
TYPED_TEST_SUITE(Plans, Operations);

TYPED_TEST(Plans, BindEachBufferToEachDispatchAfterABarrier) {
  for (const KernelPath path : {KernelPath::production, KernelPath::plain}) {
    const auto plan = this->plan(path);
    const auto buffers = this->given(plan.buffers());
    for (int repeat = 0; repeat < 2; ++repeat) {
      ASSERT_TRUE(plan.encode(*this->stream_.encoder, buffers));
    }
    EXPECT_EQ(this->stream_.dispatches().size(), 2 * plan.dispatch_count());
    for (const Dispatch& dispatch : this->stream_.dispatches()) {
      EXPECT_TRUE(dispatch.is_ordered) << dispatch.kernel;
      for (const auto& row : plan.buffers())
        EXPECT_EQ(dispatch.bindings.at(row.index), (Binding{row.name, row.multiple})) << dispatch.kernel;
    }
    this->stream_.recorder.dispatches.clear();
  }
}

TYPED_TEST(Plans, EncodeAndNothingElse) {
  const auto plan = this->plan();
  const auto buffers = this->given(plan.buffers());
  const std::size_t calls = this->stream_.calls.size();
  expect_it_only_encodes(this->stream_, [&](ComputeCommandEncoder& encoder) { return plan.encode(encoder, buffers); });
  EXPECT_EQ(this->stream_.calls.size(), calls + 2) << "to fetch the encoder, and to end it";
}

TYPED_TEST(Plans, RefuseBuffersThatDoNotFitByTheirNames) {
  const auto plan = this->plan();
  EXPECT_CALL(*this->stream_.encoder, set_buffer(_, _, _)).Times(0);
  EXPECT_CALL(*this->stream_.encoder, dispatch_threadgroups(_, _)).Times(0);
  for (const auto& row : plan.buffers()) {
    const auto refusal = [&](const BufferPart& part) {
      auto buffers = this->given(plan.buffers());
      buffers.*row.part = part;
      const Result<void> encoded = plan.encode(*this->stream_.encoder, buffers);
      return encoded ? Error{Error::Kind::execution, "encoded"} : encoded.error();
    };
    const auto exact = this->stream_.make_buffer(row.name, row.bytes);
    EXPECT_EQ(refusal({}),
              (Error{Error::Kind::argument, fmt::format("{}: expected a buffer of {} bytes", row.name, row.bytes)}));
    EXPECT_EQ(refusal({exact, 2}), (Error{Error::Kind::argument, fmt::format("{}.offset = 2: expected a multiple of {}",
                                                                             row.name, row.multiple)}));
    for (const std::uint64_t offset : {row.multiple, ~std::uint64_t{0} - (row.multiple - 1)})
      EXPECT_EQ(refusal({exact, offset}),
                (Error{Error::Kind::argument,
                       fmt::format("{0}: its buffer of {1} bytes from offset {2} on: expected at least {1}", row.name,
                                   row.bytes, offset)}));
  }
}

/// What a plan bound stays with the encoder; all else goes with the plan.
TYPED_TEST(Plans, GiveAllBackWithTheirEnd) {
  const long device = this->stream_.device.use_count(), library = this->stream_.library.use_count();
  {
    const auto plan = this->plan();
    EXPECT_GT(this->stream_.live_buffers(), 0U);
    ASSERT_TRUE(plan.encode(*this->stream_.encoder, this->given(plan.buffers())));
  }
  EXPECT_EQ(this->stream_.live_buffers(), 0U);
  EXPECT_EQ(this->stream_.device.use_count(), device);
  EXPECT_EQ(this->stream_.library.use_count(), library);
}

TYPED_TEST(Plans, AreDividedIntoRangesOfAllDispatches) {
  const auto plan = this->plan();
  std::size_t next = 0;
  for (const host::CommandRange& range : plan.command_ranges()) {
    EXPECT_EQ(range.first, next);
    next += range.count;
    ASSERT_TRUE(plan.encode(*this->stream_.encoder, this->given(plan.buffers()), range.first, range.count));
  }
  EXPECT_EQ(next, plan.dispatch_count());
  EXPECT_EQ(this->stream_.dispatches().size(), plan.dispatch_count());
}

}  // namespace
}  // namespace assay::metal::test
