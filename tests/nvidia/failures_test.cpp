// Each call of the driver fails once, in the midst of all that a host does: the failure surfaces as an error, and all
// that was made is given back.
#include <gtest/gtest.h>

#include "metal/nvidia/nvidia_device.h"
#include "tests/nvidia/fake_driver.h"

namespace assay::metal::nvidia::test {
namespace {

constexpr const char* store_source = R"(
#include <metal_stdlib>
constant int n [[function_constant(0)]];
kernel void f(device int* a, constant int& b) { a[0] = n + b; }
)";

/// The first error of: a device, a library, a pipeline with a constant, a buffer, a dispatch, its end.
Result<void> use(const std::shared_ptr<Driver>& driver) {
  auto device = NvidiaDevice::create(driver);
  if (!device) return tl::unexpected(device.error());
  auto library = (*device)->new_library(store_source);
  if (!library) return tl::unexpected(library.error());
  auto function = (*library)->new_function("f", FunctionConstants().set(0, std::int32_t{3}));
  if (!function) return tl::unexpected(function.error());
  auto pipeline = (*device)->new_pipeline(*function);
  if (!pipeline) return tl::unexpected(pipeline.error());
  auto buffer = (*device)->new_buffer(64, "");
  if (!buffer) return tl::unexpected(buffer.error());
  const auto commands = (*device)->new_command_queue()->command_buffer();
  auto encoder = commands->compute_encoder();
  if (!encoder) return tl::unexpected(encoder.error());
  (*encoder)->set_pipeline(*pipeline);
  (*encoder)->set_buffer(*buffer, 0, 0);
  const std::int32_t b = 4;
  (*encoder)->set_bytes(std::as_bytes(std::span(&b, 1)), 1);
  (*encoder)->dispatch_threads({1}, {1});
  if (auto ended = (*encoder)->end_encoding(); !ended) return ended;
  if (auto committed = commands->commit(); !committed) return committed;
  if (auto waited = commands->wait_until_completed(); !waited) return waited;
  if (const auto problem = commands->error()) return tl::unexpected(*problem);
  EXPECT_EQ(commands->status(), CommandBuffer::Status::completed);
  return {};
}

TEST(NvidiaFailures, OfEveryCallSurface) {
  const auto whole = std::make_shared<FakeDriver>();
  ASSERT_TRUE(use(whole));
  EXPECT_TRUE(whole->has_given_all_back());
  int silent = 0;
  for (int n = 1; n <= whole->calls; ++n) {
    const auto driver = std::make_shared<FakeDriver>();
    driver->fails_at = n;
    const Result<void> result = use(driver);
    silent += result ? 1 : 0;
    EXPECT_TRUE(result || !result.error().text.empty());
    EXPECT_TRUE(driver->has_given_all_back()) << "call " << n;
  }
  // The allocations of a buffer and of the bytes of set_bytes are tried twice. Giving back cannot fail in a way that a
  // caller could act on: events, stream, both pieces of memory, module and context, with the calls that make the
  // context current for it.
  EXPECT_LE(silent, 18);
  EXPECT_GE(whole->calls - silent, 25);
}

}  // namespace
}  // namespace assay::metal::nvidia::test
