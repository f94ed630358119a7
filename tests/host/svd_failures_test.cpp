// Every call that Svd makes of a device, failing: the result says at what, no output is touched, nothing stays behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "metal/host/svd.h"
#include "tests/host/host_stream.h"
#include "tests/kernels/svd_case.h"

namespace assay::metal::test {
namespace {

using testing::_;
using testing::HasSubstr;

/// What is made on the way to a result, in its order: the call, and how its failure is told.
using Steps = std::vector<std::pair<std::string, std::string>>;

const Steps creation = {{"new_library_from_file", "compiling absent.metal: "},
                        {"new_command_queue", "making a command queue: "}};
const Steps buffers = {{"new_buffer", "allocating buffer `matrices` of 48 bytes: "},
                       {"new_buffer", "allocating buffer `work` of 64 bytes: "},
                       {"new_buffer", "allocating buffer `rotations` of 48 bytes: "},
                       {"new_buffer", "allocating buffer `exponents` of 16 bytes: "},
                       {"new_buffer", "allocating buffer `norms` of 16 bytes: "},
                       {"new_buffer", "allocating buffer `order` of 16 bytes: "},
                       {"new_buffer", "allocating buffer `status` of 16 bytes: "},
                       {"new_buffer", "allocating buffer `projections` of 16 bytes: "},
                       {"new_buffer", "allocating buffer `left` of 48 bytes: "},
                       {"new_buffer", "allocating buffer `values` of 16 bytes: "},
                       {"new_buffer", "allocating buffer `right` of 36 bytes: "}};
const Steps run = {{"command_buffer", "making a command buffer: "},
                   {"compute_encoder", "fetching an encoder: "},
                   {"end_encoding", "encoding: "},
                   {"commit", "committing the commands: "},
                   {"wait_until_completed", "waiting for the commands: "}};

Steps pipeline(const std::string& name) {
  return {{"new_function", "finding kernel " + name + ": "},
          {"new_pipeline", "making the pipeline of kernel " + name + ": "}};
}

Steps joined(const std::vector<Steps>& parts) {
  Steps all;
  for (const Steps& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

Steps steps_of(SvdPath path) {
  const bool is_plain = path == SvdPath::plain;
  const char* const rotate = is_plain ? "svd_jacobi_rotate" : "svd_sweeps_32_threadgroup";
  Steps all =
      joined({creation, pipeline("svd_load_float"), pipeline(rotate), pipeline("svd_finish_float"), buffers, run});
  return is_plain ? joined({all, run}) : all;  // the plain path finishes once it has converged
}

class SvdFailures : public testing::TestWithParam<SvdPath> {
 protected:
  Result<void> create_and_run(HostStream& stream) {
    SvdOptions options{.path = GetParam()};
    options.kernels = "absent.metal";
    const Result<Svd> svd = Svd::create(stream.device, options);
    if (!svd) return tl::unexpected(svd.error());
    return (*svd)(typed_.problem(), results_.spans());
  }
  void expect_untouched(const std::string& what) const {
    for (const auto* const values : {&results_.U, &results_.S, &results_.Vh})
      EXPECT_THAT(*values, testing::Each(12345.0F)) << what;
  }

  TypedSvd<float> typed_{some_svd(4, 3)};
  SvdResults<float> results_{typed_.problem()};
};

TEST_P(SvdFailures, AreToldAndLeaveNothingBehind) {
  const Steps steps = steps_of(GetParam());
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

TEST_P(SvdFailures, AreOfTheseCallsAlone) {
  HostStream stream;
  ASSERT_TRUE(create_and_run(stream));
  EXPECT_EQ(stream.calls, static_cast<int>(steps_of(GetParam()).size()));
  EXPECT_EQ(stream.live_buffers(), 0U);
}

TEST_P(SvdFailures, OfTheCommandsAreTold) {
  HostStream stream;
  stream.run_error = Error{Error::Kind::execution, "the kernel was endless"};
  EXPECT_EQ(create_and_run(stream).error(),
            (Error{Error::Kind::execution, "running the commands: the kernel was endless"}));
  expect_untouched("an error");
}

/// The encoder is ended where encoding went wrong: Metal ends the process where one goes open.
TEST_P(SvdFailures, EndTheEncoder) {
  HostStream stream;
  ON_CALL(*stream.encoder, dispatch_threadgroups(_, _)).WillByDefault([&] { (void)stream.device->new_buffer(16, ""); });
  EXPECT_CALL(*stream.encoder, end_encoding());
  const Result<void> result = create_and_run(stream);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, Error::Kind::stale_encoder);
  expect_untouched("stale");
}

/// Allocations, copies and pipelines come before the encoder, and none while it is open.
TEST_P(SvdFailures, AreNotOfAStaleEncoder) {
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
      .Times(10)
      .WillRepeatedly([&](std::uint64_t n, const std::string& label) {
        expect_closed();
        return Result<std::shared_ptr<Buffer>>(stream.make_buffer(label, n));
      });
  EXPECT_CALL(*stream.device, new_buffer(testing::An<std::span<const std::byte>>(), _))
      .WillOnce([&](std::span<const std::byte> bytes, const std::string& label) {
        expect_closed();
        return Result<std::shared_ptr<Buffer>>(stream.make_buffer(label, bytes.size()));
      });
  EXPECT_TRUE(create_and_run(stream));
}

INSTANTIATE_TEST_SUITE_P(All, SvdFailures, testing::Values(SvdPath::production, SvdPath::plain),
                         [](const auto& path) { return path.param == SvdPath::plain ? "plain" : "production"; });

}  // namespace
}  // namespace assay::metal::test
