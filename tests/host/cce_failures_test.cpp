// Every call that LinearCrossEntropy makes of a device, failing: the result says at what, no output is touched, nothing
// stays behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "metal/host/cce.h"
#include "tests/host/host_stream.h"
#include "tests/kernels/cce_case.h"

namespace assay::metal::test {
namespace {

using testing::_;
using testing::HasSubstr;

/// What is made on the way to a result, in its order: the call, and how its failure is told.
const std::vector<std::pair<std::string, std::string>> steps = {
    {"new_library_from_file", "compiling absent.metal: "},
    {"new_command_queue", "making a command queue: "},
    {"new_function", "finding kernel cce_forward_float: "},
    {"new_pipeline", "making the pipeline of kernel cce_forward_float: "},
    {"new_function", "finding kernel cce_loss: "},
    {"new_pipeline", "making the pipeline of kernel cce_loss: "},
    {"new_function", "finding kernel cce_dhidden_float: "},
    {"new_pipeline", "making the pipeline of kernel cce_dhidden_float: "},
    {"new_function", "finding kernel cce_dweight_float: "},
    {"new_pipeline", "making the pipeline of kernel cce_dweight_float: "},
    {"new_buffer", "allocating buffer `tokens` of 36 bytes: "},
    {"new_buffer", "allocating buffer `hidden` of 48 bytes: "},
    {"new_buffer", "allocating buffer `weight` of 84 bytes: "},
    {"new_buffer", "allocating buffer `bias` of 28 bytes: "},
    {"new_buffer", "allocating buffer `lse` of 24 bytes: "},
    {"new_buffer", "allocating buffer `losses` of 16 bytes: "},
    {"new_buffer", "allocating buffer `states` of 72 bytes: "},
    {"new_buffer", "allocating buffer `sums` of 4096 bytes: "},
    {"new_buffer", "allocating buffer `dhidden` of 48 bytes: "},
    {"new_buffer", "allocating buffer `dweight` of 84 bytes: "},
    {"new_buffer", "allocating buffer `dbias` of 28 bytes: "},
    {"command_buffer", "making a command buffer: "},
    {"compute_encoder", "fetching an encoder: "},
    {"end_encoding", "encoding: "},
    {"commit", "committing the commands: "},
    {"wait_until_completed", "waiting for the commands: "}};

class CceFailures : public testing::Test {
 protected:
  Result<void> create_and_run(HostStream& stream) {
    CceOptions options;
    options.kernels = "absent.metal";
    const Result<LinearCrossEntropy> loss = LinearCrossEntropy::create(stream.device, options);
    if (!loss) return tl::unexpected(loss.error());
    return (*loss)(typed_.problem(), results_.spans());
  }
  void expect_untouched(const std::string& what) const {
    for (const auto* const values : {&results_.loss, &results_.dhidden, &results_.dweight, &results_.dbias})
      EXPECT_THAT(*values, testing::Each(12345.0F)) << what;
  }

  Typed<float> typed_{some_cce(4, 3, 7, true)};
  CceResults<float> results_{typed_.problem()};
};

TEST_F(CceFailures, AreToldAndLeaveNothingBehind) {
  for (std::size_t i = 0; i < steps.size(); ++i)
    for (const Failure how : {Failure::error, Failure::nothing}) {
      const auto& [call, text] = steps[i];
      HostStream stream;
      const long device = stream.device.use_count(), library = stream.library.use_count();
      const long encoder = stream.encoder.use_count(), commands = stream.commands.use_count();
      stream.fail(static_cast<int>(i), how);
      const Result<void> result = create_and_run(stream);
      ASSERT_FALSE(result) << text;
      EXPECT_EQ(stream.failed, call);
      EXPECT_EQ(result.error().text.substr(0, text.size()), text);
      EXPECT_THAT(result.error().text, testing::AnyOf(HasSubstr("planted in " + call), HasSubstr("no reason")));
      expect_untouched(text);
      EXPECT_EQ(stream.live_buffers(), 0U) << text;
      EXPECT_EQ(stream.device.use_count(), device) << text;
      EXPECT_EQ(stream.library.use_count(), library) << text;
      EXPECT_EQ(stream.encoder.use_count(), encoder) << text;
      EXPECT_EQ(stream.commands.use_count(), commands) << text;
    }
}

TEST_F(CceFailures, AreOfTheseCallsAlone) {
  HostStream stream;
  ASSERT_TRUE(create_and_run(stream));
  EXPECT_EQ(stream.calls, static_cast<int>(steps.size()));
  EXPECT_EQ(stream.live_buffers(), 0U);
}

TEST_F(CceFailures, OfTheCommandsAreTold) {
  HostStream stream;
  stream.run_error = Error{Error::Kind::execution, "the kernel was endless"};
  EXPECT_EQ(create_and_run(stream).error(),
            (Error{Error::Kind::execution, "running the commands: the kernel was endless"}));
  expect_untouched("an error");
  stream.run_error = std::nullopt;
  ON_CALL(*stream.commands, status()).WillByDefault(testing::Return(CommandBuffer::Status::committed));
  EXPECT_THAT(create_and_run(stream).error().text, HasSubstr("they did not complete"));
  expect_untouched("no end");
}

/// The encoder is ended where encoding went wrong: Metal ends the process where one goes open.
TEST_F(CceFailures, EndTheEncoder) {
  HostStream stream;
  ON_CALL(*stream.encoder, dispatch_threadgroups(_, _)).WillByDefault([&] { (void)stream.device->new_buffer(16, ""); });
  EXPECT_CALL(*stream.encoder, end_encoding());
  const Result<void> result = create_and_run(stream);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, Error::Kind::stale_encoder);
  expect_untouched("stale");
}

/// Allocations, copies and pipelines come before the encoder, and none while it is open.
TEST_F(CceFailures, AreNotOfAStaleEncoder) {
  HostStream stream;
  bool is_open = false;
  ON_CALL(*stream.commands, compute_encoder(_)).WillByDefault([&](DispatchType) {
    is_open = true;
    return Result<std::shared_ptr<ComputeCommandEncoder>>(stream.encoder);
  });
  ON_CALL(*stream.encoder, end_encoding()).WillByDefault([&] {
    is_open = false;
    return Result<void>();
  });
  const auto expect_closed = [&] { EXPECT_FALSE(is_open); };
  EXPECT_CALL(*stream.device, new_buffer(testing::An<std::uint64_t>(), _))
      .Times(7)
      .WillRepeatedly([&](std::uint64_t n, const std::string& label) {
        expect_closed();
        return Result<std::shared_ptr<Buffer>>(stream.make_buffer(label, n));
      });
  EXPECT_CALL(*stream.device, new_buffer(testing::An<std::span<const std::byte>>(), _))
      .Times(4)
      .WillRepeatedly([&](std::span<const std::byte> bytes, const std::string& label) {
        expect_closed();
        return Result<std::shared_ptr<Buffer>>(stream.make_buffer(label, bytes.size()));
      });
  EXPECT_TRUE(create_and_run(stream));
}

}  // namespace
}  // namespace assay::metal::test
