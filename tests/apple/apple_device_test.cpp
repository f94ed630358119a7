// The device layer's contract on this machine's GPU. Skipped, with the reason, where Metal gives none.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <functional>
#include <numeric>
#include <vector>

#include "metal/apple/system_device.h"
#include "metal/device/or_throw.h"
#include "tests/matchers.h"

namespace assay::metal::apple::test {
namespace {

const std::string source = R"(
#include <metal_stdlib>
using namespace metal;
constant int factor [[function_constant(3)]];
constant int scale = is_function_constant_defined(factor) ? factor : 1;

kernel void axpy(device float* y [[buffer(0)]], device const float* x [[buffer(1)]], constant float& a [[buffer(2)]],
                 uint i [[thread_position_in_grid]]) {
  y[i] = float(scale) * a * x[i] + y[i];
}

// Each thread reads what another one wrote before the barrier.
kernel void reverse(device int* values [[buffer(0)]], threadgroup int* row [[threadgroup(0)]],
                    uint i [[thread_position_in_grid]], uint t [[thread_position_in_threadgroup]],
                    uint n [[threads_per_threadgroup]]) {
  row[t] = values[i];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  values[i] = row[n - 1 - t];
}
)";

template <class T>
std::vector<T> values_of(Buffer& buffer) {
  std::vector<T> values(buffer.length() / sizeof(T));
  std::memcpy(values.data(), buffer.contents(), buffer.length());
  return values;
}

class AppleDeviceTest : public testing::Test {
 protected:
  void SetUp() override {
    const Result<std::shared_ptr<Device>> found = system_default_device();
    if (!found) GTEST_SKIP() << found.error().text;
    device = *found;
    library = or_throw(device->new_library(source));
    commands = device->new_command_queue()->command_buffer();
  }
  std::shared_ptr<const ComputePipeline> pipeline(const std::string& name, const FunctionConstants& constants = {}) {
    return or_throw(device->new_pipeline(or_throw(library->new_function(name, constants))));
  }
  template <class T>
  std::shared_ptr<Buffer> buffer(const std::vector<T>& values) {
    return or_throw(device->new_buffer(std::as_bytes(std::span(values))));
  }
  void run() {
    EXPECT_TRUE(commands->commit());
    EXPECT_TRUE(commands->wait_until_completed());
    EXPECT_EQ(commands->status(), CommandBuffer::Status::completed);
    EXPECT_EQ(commands->error(), std::nullopt);
  }

  std::shared_ptr<Device> device;
  std::shared_ptr<Library> library;
  std::shared_ptr<CommandBuffer> commands;
};

TEST_F(AppleDeviceTest, RunsAxpyOnAGridWithASmallerLastGroup) {
  const auto y = buffer<float>(std::vector<float>(100, 1)), x = buffer<float>(std::vector<float>(100, 2));
  const auto state = pipeline("axpy", FunctionConstants().set(3, std::int32_t{10}));
  const auto encoder = or_throw(commands->compute_encoder());
  const float a = 3;
  encoder->set_pipeline(state);
  encoder->set_buffer(y, 0, 0);
  encoder->set_buffer(x, 0, 1);
  encoder->set_bytes(std::as_bytes(std::span(&a, 1)), 2);
  encoder->dispatch_threads({99}, {64});
  EXPECT_TRUE(encoder->end_encoding());
  run();
  std::vector<float> expected(100, 61);
  expected.back() = 1;
  EXPECT_EQ(values_of<float>(*y), expected);
}

TEST_F(AppleDeviceTest, BarriersOrderThreadgroupMemory) {
  std::vector<std::int32_t> ascending(256), expected(256);
  std::iota(ascending.begin(), ascending.end(), 0);
  for (std::int32_t i = 0; i < 256; ++i) expected[static_cast<std::size_t>(i)] = i / 128 * 128 + 127 - i % 128;
  const auto values = buffer(ascending);
  const auto state = pipeline("reverse");
  const auto encoder = or_throw(commands->compute_encoder(DispatchType::concurrent));
  encoder->set_pipeline(state);
  encoder->set_buffer(values, 0, 0);
  encoder->set_threadgroup_memory_length(128 * sizeof(std::int32_t), 0);
  for (int i = 0; i < 3; ++i) {
    encoder->dispatch_threadgroups({2}, {128});
    encoder->memory_barrier();
  }
  EXPECT_TRUE(encoder->end_encoding());
  run();
  EXPECT_EQ(values_of<std::int32_t>(*values), expected);
}

/// The dispatches after the first use other bindings, of which each keeps its own; length 0 stands for no memory.
TEST_F(AppleDeviceTest, BindsAtOffsetsAndReplacesBindings) {
  const auto y = buffer<float>(std::vector<float>(64, 1)), x = buffer<float>(std::vector<float>(64, 2));
  const auto state = pipeline("axpy");
  const auto encoder = or_throw(commands->compute_encoder());
  const float a = 3;
  encoder->set_pipeline(state);
  encoder->set_buffer(x, 0, 1);
  encoder->set_bytes(std::as_bytes(std::span(&a, 1)), 2);
  encoder->set_threadgroup_memory_length(0, 0);
  for (const std::uint64_t offset : {128U, 192U, 128U}) {
    encoder->set_buffer(y, offset, 0);
    encoder->dispatch_threads({16}, {16});
  }
  EXPECT_TRUE(encoder->end_encoding());
  run();
  std::vector<float> expected(64, 1);
  std::fill(expected.begin() + 32, expected.begin() + 48, 13.0F);
  std::fill(expected.begin() + 48, expected.end(), 7.0F);
  EXPECT_EQ(values_of<float>(*y), expected);
}

TEST_F(AppleDeviceTest, AnAllocationOrCopyMakesTheEncoderStale) {
  const auto values = buffer<float>({1, 2, 3, 4});
  const std::function<void()> faults[] = {[&] { (void)device->new_buffer(16); },
                                          [&] { (void)values->did_modify(0, 4); }};
  for (const auto& fault : faults) {
    commands = device->new_command_queue()->command_buffer();
    const auto encoder = or_throw(commands->compute_encoder());
    fault();
    const Result<void> end = encoder->end_encoding();
    ASSERT_FALSE(end);
    EXPECT_EQ(end.error().kind, Error::Kind::stale_encoder);
    EXPECT_TRUE(commands->commit() && commands->wait_until_completed());
    EXPECT_EQ(commands->status(), CommandBuffer::Status::error);
    EXPECT_EQ(commands->error(), end.error());
  }
}

TEST_F(AppleDeviceTest, CallsKeepTheirOrder) {
  EXPECT_EQ(commands->wait_until_completed().error().kind, Error::Kind::order);
  const auto encoder = or_throw(commands->compute_encoder());
  EXPECT_FALSE(commands->compute_encoder());
  EXPECT_FALSE(commands->commit());
  EXPECT_TRUE(encoder->end_encoding());
  EXPECT_EQ(encoder->end_encoding().error().kind, Error::Kind::order);
  run();
  EXPECT_EQ(commands->commit().error().kind, Error::Kind::order);
}

TEST_F(AppleDeviceTest, DispatchesAreCheckedBeforeMetalSeesThem) {
  const auto state = pipeline("axpy");
  const auto complaint = [&](const std::function<void(ComputeCommandEncoder&)>& encode) {
    const auto encoder = or_throw(device->new_command_queue()->command_buffer()->compute_encoder());
    encode(*encoder);
    const Result<void> end = encoder->end_encoding();
    return end ? "accepted" : end.error().text;
  };
  EXPECT_THAT(complaint([](auto& e) { e.dispatch_threads({1}, {1}); }), HasSubstr("no compute pipeline state"));
  EXPECT_THAT(complaint([&](auto& e) {
                e.set_pipeline(state);
                e.dispatch_threads({64}, {64, 64});
              }),
              HasSubstr("threadgroup size limit"));
  EXPECT_THAT(complaint([](auto& e) { e.set_buffer(nullptr, 0, 31); }), HasSubstr("index(31) must be < 31"));
}

TEST_F(AppleDeviceTest, BuffersHoldAnElement) {
  const auto axpy = pipeline("axpy");
  const auto y = buffer<float>(std::vector<float>(64, 1)), small = buffer<char>({1, 2});
  const float a = 3;
  const auto complaint = [&](const std::shared_ptr<Buffer>& x, bool has_a, std::uint64_t offset = 0) {
    const auto encoder = or_throw(device->new_command_queue()->command_buffer()->compute_encoder());
    encoder->set_pipeline(axpy);
    encoder->set_buffer(y, 0, 0);
    encoder->set_buffer(x, offset, 1);
    if (has_a) encoder->set_bytes(std::as_bytes(std::span(&a, 1)), 2);
    encoder->dispatch_threads({1}, {1});
    const Result<void> end = encoder->end_encoding();
    return end ? Error{Error::Kind::argument, "accepted"} : end.error();
  };
  EXPECT_EQ(complaint(y, true).text, "accepted");
  EXPECT_EQ(complaint(nullptr, false).text, "accepted");  // for the kernel may not use them
  EXPECT_EQ(complaint(small, true).kind, Error::Kind::binding);
  EXPECT_THAT(complaint(small, true).text, HasSubstr("has space for 2 bytes, but argument has a length(4)"));
  EXPECT_THAT(complaint(y, true, 254).text, HasSubstr("has space for 2 bytes"));
}

/// Metal's validation refuses a dispatch whose threadgroup memory was not set, even if the kernel does not use it.
TEST_F(AppleDeviceTest, ThreadgroupMemoryThatNobodySetsHasTheLeastLength) {
  const auto values = buffer<std::int32_t>({1, 2, 3, 4});
  const auto state = pipeline("reverse");
  const auto encoder = or_throw(commands->compute_encoder());
  encoder->set_pipeline(state);
  encoder->set_buffer(values, 0, 0);
  encoder->dispatch_threads({4}, {4});
  EXPECT_TRUE(encoder->end_encoding());
  run();
  EXPECT_EQ(values_of<std::int32_t>(*values), (std::vector<std::int32_t>{4, 3, 2, 1}));
}

/// An encoder that nobody ends keeps its command buffer from being committed, as on other devices.
TEST_F(AppleDeviceTest, AnAbandonedEncoderLeavesItsCommandsUncommitted) {
  or_throw(commands->compute_encoder()).reset();
  EXPECT_EQ(commands->commit().error().kind, Error::Kind::order);
}

TEST_F(AppleDeviceTest, ShadersSeeMacrosAndFolders) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(testing::TempDir()) / "assay_includes", file = folder / "own" / "f.metal";
  fs::create_directories(folder / "other");
  fs::create_directories(folder / "own");
  std::ofstream(folder / "other" / "more.h") << "#define HAS_MORE 1\n";
  std::ofstream(file) << "#include \"more.h\"\n#if HAS_MORE\nkernel void KERNEL() {}\n#endif\n";
  const auto with = or_throw(
      system_default_device({.metal_version = 320, .macros = {{"KERNEL", "f"}}, .folders = {folder / "other"}}));
  EXPECT_THAT(or_throw(with->new_library_from_file(file))->function_names(), testing::ElementsAre("f"));
  EXPECT_THAT(or_throw(with->new_library("kernel void KERNEL() {}"))->function_names(), testing::ElementsAre("f"));
  EXPECT_THAT(with->new_library("\nkernel void KERNEL() { undeclared(); }").error().text, HasSubstr(":2:"));
  EXPECT_FALSE(device->new_library_from_file(file));
  fs::remove_all(folder);
}

TEST_F(AppleDeviceTest, TextsWithNulAreRefused) {
  const Result<std::shared_ptr<Library>> cut = device->new_library(source + std::string(1, '\0') + "undeclared");
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().kind, Error::Kind::compile);
  EXPECT_EQ(library->new_function(std::string("axpy\0", 5)).error().kind, Error::Kind::not_found);
}

TEST_F(AppleDeviceTest, FunctionsAndErrorsAreMetals) {
  EXPECT_THAT(library->function_names(), testing::UnorderedElementsAre("axpy", "reverse"));
  EXPECT_EQ(library->new_function("absent").error().kind, Error::Kind::not_found);
  EXPECT_EQ(library->new_function("axpy", FunctionConstants().set(4, 1)).error().kind, Error::Kind::not_found);
  EXPECT_THAT(library->new_function("axpy", FunctionConstants().set(3, std::int64_t{1})).error().text,
              HasSubstr("its value has 8 bytes, expected 4 of int"));
  const Result<std::shared_ptr<Library>> broken = device->new_library("kernel void f() { undeclared(); }");
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().kind, Error::Kind::compile);
  EXPECT_THAT(broken.error().text, HasSubstr("undeclared"));
}

TEST_F(AppleDeviceTest, ArgumentsAreReflected) {
  const auto function = or_throw(library->new_function("axpy"));
  ASSERT_EQ(function->arguments().size(), 3U);
  EXPECT_EQ(function->arguments()[0].name, "y");
  EXPECT_EQ(function->arguments()[0].type, "float*");
  EXPECT_TRUE(function->arguments()[0].is_written);
  EXPECT_EQ(function->arguments()[1].type, "const float*");
  EXPECT_EQ(function->arguments()[2].index, 2U);
}

TEST_F(AppleDeviceTest, BuffersHaveLimits) {
  EXPECT_EQ(device->new_buffer(0).error().kind, Error::Kind::argument);
  EXPECT_EQ(device->new_buffer(device->limits().max_buffer_length + 1).error().kind, Error::Kind::limit);
  const auto labelled = or_throw(device->new_buffer(10, "a label"));
  EXPECT_EQ(labelled->label(), "a label");
  EXPECT_FALSE(labelled->did_modify(4, 7));
}

TEST_F(AppleDeviceTest, LibrariesFollowTheirFile) {
  const auto path = std::filesystem::path(testing::TempDir()) / "assay_reload.metal";
  std::ofstream(path) << "kernel void before() {}\n";
  const auto loaded = or_throw(device->new_library_from_file(path));
  EXPECT_FALSE(or_throw(loaded->reload_if_changed()));
  std::ofstream(path) << "kernel void after() {}\n";
  EXPECT_TRUE(or_throw(loaded->reload_if_changed()));
  EXPECT_THAT(loaded->function_names(), testing::ElementsAre("after"));
  std::ofstream(path) << "kernel void broken( {}\n";
  EXPECT_EQ(loaded->reload_if_changed().error().kind, Error::Kind::compile);
  EXPECT_THAT(loaded->function_names(), testing::ElementsAre("after"));
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace assay::metal::apple::test
