// What a test can bring about only on the model: a GPU that lacks things, commands that fail, objects counted.
#include <gtest/gtest.h>

#include "metal/apple/system_device.h"
#include "metal/device/or_throw.h"
#include "tests/apple/model/model.h"
#include "tests/matchers.h"

namespace assay::metal::apple::test {
namespace {

std::shared_ptr<Device> opened() {
  return or_throw(system_default_device());
}

TEST(AppleModelTest, SaysWhatIsMissing) {
  const auto device = opened();
  const auto queue = device->new_command_queue();
  const auto commands = queue->command_buffer();
  model::lack(model::Lack::memory);
  EXPECT_EQ(device->new_buffer(16).error().kind, Error::Kind::limit);
  model::lack(model::Lack::queue);
  EXPECT_EQ(device->new_command_queue(), nullptr);
  model::lack(model::Lack::command_buffer);
  EXPECT_EQ(queue->command_buffer(), nullptr);
  model::lack(model::Lack::encoder);
  EXPECT_EQ(commands->compute_encoder().error().kind, Error::Kind::environment);
  model::lack(model::Lack::device);
  EXPECT_THAT(system_default_device().error().text, HasSubstr("this machine has no Metal device"));
}

TEST(AppleModelTest, ConstantsAreLookedUpOnce) {
  const auto device = opened();
  std::string text = "constant int unused [[function_constant(1)]];\n";
  for (int i = 0; i < 20; ++i) text += "kernel void f" + std::to_string(i) + "() {}\n";
  const auto library = or_throw(device->new_library(text));
  const auto functions_made = [&](std::uint32_t constant) {
    const long before = model::created("MTLFunction");
    for (int i = 0; i < 20; ++i)
      (void)library->new_function("f" + std::to_string(i), FunctionConstants().set(constant, 1));
    return model::created("MTLFunction") - before;
  };
  EXPECT_EQ(functions_made(1), 40);       // each function without its constants, and with them
  EXPECT_EQ(functions_made(2), 20 + 20);  // each function, and all of the library once, to find no such constant
}

TEST(AppleModelTest, FailuresNameTheKernel) {
  const auto device = opened();
  const auto library =
      or_throw(device->new_library("kernel void endless(device int* x) { while (x[0] == 0) x[1] += 1; }"));
  const auto pipeline = or_throw(device->new_pipeline(or_throw(library->new_function("endless"))));
  const std::vector<int> zeros(2);
  const auto buffer = or_throw(device->new_buffer(std::as_bytes(std::span(zeros))));
  const auto commands = device->new_command_queue()->command_buffer();
  const auto encoder = or_throw(commands->compute_encoder());
  encoder->set_pipeline(pipeline);
  encoder->set_buffer(buffer, 0, 0);
  encoder->dispatch_threads({1}, {1});
  or_throw(encoder->end_encoding());
  model::set_watchdog(100000);
  or_throw(commands->commit());
  or_throw(commands->wait_until_completed());
  EXPECT_EQ(commands->status(), CommandBuffer::Status::error);
  EXPECT_THAT(commands->error().value().text, HasSubstr("(MTLCommandBufferErrorDomain 2); encoder 0 faulted: endless"));
  EXPECT_FALSE(model::reports().empty());
}

}  // namespace
}  // namespace assay::metal::apple::test
