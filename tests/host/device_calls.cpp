#include "tests/host/device_calls.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace assay::metal::test {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::StartsWith;

/// How a failure of the call is told, up to its cause.
std::string told(const DeviceCall& call) {
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

void expect_failure_is_told(const HostRun& run, int index, const DeviceCall& call, Failure how) {
  HostStream stream;
  const auto uses = [&] {
    return std::vector{stream.device.use_count(), stream.library.use_count(), stream.encoder.use_count(),
                       stream.commands.use_count()};
  };
  const std::vector<long> before = uses();
  stream.fail(index, how);
  const Result<void> result = run.run(stream);
  SCOPED_TRACE(told(call));
  ASSERT_FALSE(result);
  EXPECT_EQ(stream.failed, call.name);
  EXPECT_THAT(result.error().text, StartsWith(told(call)));
  EXPECT_THAT(result.error().text, AnyOf(HasSubstr("planted in " + call.name), HasSubstr("no reason")));
  EXPECT_TRUE(run.outputs_are_untouched());
  EXPECT_EQ(stream.live_buffers(), 0U);
  EXPECT_EQ(uses(), before);
}

/// The objects of the calls of this name; a call made twice for one object is an error.
std::set<std::string> objects(const HostStream& stream, const std::string& name) {
  std::set<std::string> found;
  for (const DeviceCall& call : stream.calls)
    if (call.name == name) EXPECT_TRUE(found.insert(call.object).second) << name << " twice for " << call.object;
  return found;
}

}  // namespace

void expect_each_failure_is_told(const NewHostRun& new_run) {
  HostStream whole;
  ASSERT_TRUE(new_run().run(whole));
  for (std::size_t i = 0; i < whole.calls.size(); ++i)
    for (const Failure how : {Failure::error, Failure::nothing})
      expect_failure_is_told(new_run(), static_cast<int>(i), whole.calls[i], how);
}

void expect_calls_in_order(const NewHostRun& new_run, int command_buffers) {
  HostStream stream;
  ASSERT_TRUE(new_run().run(stream));
  EXPECT_EQ(stream.live_buffers(), 0U);
  const auto encoding = std::ranges::find(stream.calls, "command_buffer", &DeviceCall::name);
  std::vector<std::string> names, expected;
  for (auto call = encoding; call != stream.calls.end(); ++call) names.push_back(call->name);
  for (int i = 0; i < command_buffers; ++i)
    expected.insert(expected.end(),
                    {"command_buffer", "compute_encoder", "end_encoding", "commit", "wait_until_completed"});
  EXPECT_EQ(names, expected) << "after kernels and buffers";
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

void expect_buffers(const NewHostRun& new_run, const std::map<std::string, std::uint64_t>& needed) {
  HostStream stream;
  ASSERT_TRUE(new_run().run(stream));
  for (const auto& [label, bytes] : needed) {
    ASSERT_TRUE(stream.lengths.contains(label)) << label;
    EXPECT_GE(stream.lengths.at(label), bytes) << label;
    EXPECT_LT(stream.lengths.at(label), 2 * std::max<std::uint64_t>(bytes, 16)) << label;
  }
  EXPECT_EQ(stream.lengths.size(), needed.size());
}

void expect_failed_commands_are_told(const NewHostRun& new_run) {
  HostStream stream;
  stream.run_error = Error{Error::Kind::execution, "the kernel was endless"};
  const HostRun run = new_run();
  EXPECT_EQ(run.run(stream).error(), (Error{Error::Kind::execution, "running the commands: the kernel was endless"}));
  stream.run_error = std::nullopt;
  ON_CALL(*stream.commands, status()).WillByDefault(testing::Return(CommandBuffer::Status::committed));
  EXPECT_THAT(run.run(stream).error().text, HasSubstr("they did not complete"));
  EXPECT_TRUE(run.outputs_are_untouched());
}

void expect_encoder_is_ended(const NewHostRun& new_run) {
  HostStream stream;
  ON_CALL(*stream.encoder, dispatch_threadgroups(testing::_, testing::_)).WillByDefault([&] {
    (void)stream.device->new_buffer(16, "");
  });
  EXPECT_CALL(*stream.encoder, end_encoding());
  const HostRun run = new_run();
  const Result<void> result = run.run(stream);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, Error::Kind::stale_encoder);
  EXPECT_TRUE(run.outputs_are_untouched());
}

}  // namespace assay::metal::test
