// The calls that the hosts of all operations make of a device: their order, and what happens if one of them fails.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/host/host_stream.h"
#include "tests/host/operations.h"
#include "tests/matchers.h"

namespace assay::metal::test {
namespace {

/// The step that the error of a failed call names.
std::string step_of(const DeviceCall& call) {
  if (call.name == "new_function") return fmt::format("finding kernel {}: ", call.object);
  if (call.name == "new_pipeline") return fmt::format("making the pipeline of kernel {}: ", call.object);
  if (call.name == "new_buffer") {
    const std::string name = call.object.substr(call.object.find(' ') + 1);  // "ctc alpha": alpha
    return fmt::format("allocating buffer `{}` of {} bytes: ", name, call.bytes);
  }
  static const std::map<std::string, std::string> others = {{"new_library_from_file", "compiling absent.metal: "},
                                                            {"new_command_queue", "making a command queue: "},
                                                            {"command_buffer", "making a command buffer: "},
                                                            {"compute_encoder", "fetching an encoder: "},
                                                            {"end_encoding", "encoding: "},
                                                            {"commit", "committing the commands: "},
                                                            {"wait_until_completed", "waiting for the commands: "}};
  return others.at(call.name);
}

/// The objects of the calls of this name, which must differ.
std::set<std::string> objects(const HostStream& stream, const std::string& name) {
  std::set<std::string> found;
  for (const DeviceCall& call : stream.calls) {
    if (call.name != name) continue;
    EXPECT_TRUE(found.insert(call.object).second) << name << " twice for " << call.object;
  }
  return found;
}

template <class Operation>
class HostFailures : public testing::Test {
 protected:
  using Call = OperationCall<Operation>;

  /// Creates a host and calls it once.
  static Result<void> run(HostStream& stream, Call& call, KernelPath path) {
    typename Operation::Options options;
    options.path = path;
    options.kernels = "absent.metal";
    const auto host = Operation::Host::create(stream.device, options);
    if (!host) return tl::unexpected(host.error());
    return call.on(*host);
  }

  static void expect_error(const DeviceCall& failing, int index, Failure how, KernelPath path) {
    SCOPED_TRACE(step_of(failing));
    HostStream stream;
    const auto uses = [&] {
      return std::vector{stream.device.use_count(), stream.library.use_count(), stream.encoder.use_count(),
                         stream.commands.use_count()};
    };
    const std::vector<long> before = uses();
    stream.fail(index, how);
    Call call;
    const Result<void> result = run(stream, call, path);
    ASSERT_FALSE(result);
    EXPECT_EQ(stream.failed, failing.name);
    EXPECT_THAT(result.error().text, StartsWith(step_of(failing)));
    EXPECT_THAT(result.error().text, AnyOf(HasSubstr("planted in " + failing.name), HasSubstr("no reason")));
    EXPECT_TRUE(call.results.hold_only(poison));
    EXPECT_EQ(stream.live_buffers(), 0U);
    EXPECT_EQ(uses(), before);
  }

  static constexpr KernelPath paths[] = {KernelPath::production, KernelPath::plain};
};
TYPED_TEST_SUITE(HostFailures, Operations);

/// Each call that can fail does so once, with an error and by returning null. The error names the step, no output is
/// written, and everything is released.
TYPED_TEST(HostFailures, AreReportedAndLeaveNothingBehind) {
  for (const KernelPath path : TestFixture::paths) {
    HostStream whole;
    typename TestFixture::Call call;
    ASSERT_TRUE(TestFixture::run(whole, call, path));
    for (std::size_t i = 0; i < whole.calls.size(); ++i)
      for (const Failure how : {Failure::error, Failure::nothing})
        TestFixture::expect_error(whole.calls[i], static_cast<int>(i), how, path);
  }
}

/// Kernels and buffers are made once, before the encoder is fetched, and all of them are used. Each command buffer is
/// encoded, ended, committed and waited for. Afterwards no buffer is left.
TYPED_TEST(HostFailures, DoNotComeFromTheOrderOfCalls) {
  for (const KernelPath path : TestFixture::paths) {
    HostStream stream;
    typename TestFixture::Call call;
    ASSERT_TRUE(TestFixture::run(stream, call, path));
    EXPECT_EQ(stream.live_buffers(), 0U);
    const std::vector<std::string> once = {"command_buffer", "compute_encoder", "end_encoding", "commit",
                                           "wait_until_completed"};
    const auto encoding = std::ranges::find(stream.calls, "command_buffer", &DeviceCall::name);
    const auto submissions = (stream.calls.end() - encoding) / std::ssize(once);
    EXPECT_LE(submissions, 2) << "at most one to converge and one to finish";
    EXPECT_EQ((stream.calls.end() - encoding) % std::ssize(once), 0);
    for (auto at = encoding; at != stream.calls.end(); ++at)
      EXPECT_EQ(at->name, once[static_cast<std::size_t>(at - encoding) % once.size()]);
    std::set<std::string> kernels, bound;
    for (const Dispatch& dispatch : stream.dispatches()) {
      kernels.insert(dispatch.kernel);
      for (const auto& [index, binding] : dispatch.bindings) bound.insert(binding.label);
    }
    EXPECT_EQ(objects(stream, "new_function"), kernels);
    EXPECT_EQ(objects(stream, "new_pipeline"), kernels);
    EXPECT_EQ(objects(stream, "new_buffer"), bound);
    EXPECT_EQ(objects(stream, "new_library_from_file").size(), 1U);
    EXPECT_EQ(objects(stream, "new_command_queue").size(), 1U);
  }
}

TYPED_TEST(HostFailures, DoNotComeFromMemory) {
  HostStream stream;
  typename TestFixture::Call call;
  ASSERT_TRUE(TestFixture::run(stream, call, KernelPath::production));
  std::uint64_t total = 0;
  for (const auto& [label, bytes] : stream.lengths) total += bytes;
  EXPECT_LT(total, 8192U) << "for so small a problem";
}

TYPED_TEST(HostFailures, OfTheCommandsAreReported) {
  HostStream stream;
  stream.run_error = Error{Error::Kind::execution, "the kernel was endless"};
  typename TestFixture::Call call;
  EXPECT_EQ(TestFixture::run(stream, call, KernelPath::production).error(),
            (Error{Error::Kind::execution, "running the commands: the kernel was endless"}));
  stream.run_error = std::nullopt;
  ON_CALL(*stream.commands, status()).WillByDefault(testing::Return(CommandBuffer::Status::committed));
  EXPECT_THAT(TestFixture::run(stream, call, KernelPath::production).error().text, HasSubstr("they did not complete"));
  EXPECT_TRUE(call.results.hold_only(poison));
}

/// Metal ends the process if an encoder is destroyed before it is ended.
TYPED_TEST(HostFailures, EndTheEncoder) {
  HostStream stream;
  ON_CALL(*stream.encoder, dispatch_threadgroups(testing::_, testing::_)).WillByDefault([&] {
    (void)stream.device->new_buffer(16, "");
  });
  EXPECT_CALL(*stream.encoder, end_encoding());
  typename TestFixture::Call call;
  const Result<void> result = TestFixture::run(stream, call, KernelPath::production);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, Error::Kind::stale_encoder);
  EXPECT_TRUE(call.results.hold_only(poison));
}

}  // namespace
}  // namespace assay::metal::test
