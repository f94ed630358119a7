// googlemock mocks of the whole device layer.
//
// MockStream makes the mocks keep the stale-encoder rule: a host that allocates or copies while it encodes gets the
// same error as from a device.
#pragma once

#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <vector>

#include "metal/device/device.h"

namespace assay::metal::test {

class MockBuffer : public Buffer {
 public:
  MOCK_METHOD(std::byte*, contents, (), (override));
  MOCK_METHOD(std::uint64_t, length, (), (const, override));
  MOCK_METHOD(const std::string&, label, (), (const, override));
  MOCK_METHOD(Result<void>, did_modify, (std::uint64_t offset, std::uint64_t bytes), (override));
};

class MockFunction : public Function {
 public:
  MOCK_METHOD(const std::string&, name, (), (const, override));
  MOCK_METHOD(const std::vector<Argument>&, arguments, (), (const, override));
};

class MockLibrary : public Library {
 public:
  MOCK_METHOD(std::vector<std::string>, function_names, (), (const, override));
  MOCK_METHOD(Result<std::shared_ptr<const Function>>, new_function,
              (const std::string& name, const FunctionConstants& constants), (override));
  MOCK_METHOD(Result<bool>, reload_if_changed, (), (override));
};

class MockPipeline : public ComputePipeline {
 public:
  MOCK_METHOD(std::uint32_t, max_total_threads_per_threadgroup, (), (const, override));
  MOCK_METHOD(std::uint32_t, thread_execution_width, (), (const, override));
  MOCK_METHOD(std::uint64_t, static_threadgroup_memory_length, (), (const, override));
};

class MockEncoder : public ComputeCommandEncoder {
 public:
  MOCK_METHOD(void, set_pipeline, (std::shared_ptr<const ComputePipeline> pipeline), (override));
  MOCK_METHOD(void, set_buffer, (std::shared_ptr<Buffer> buffer, std::uint64_t offset, std::uint32_t index),
              (override));
  MOCK_METHOD(void, set_bytes, (std::span<const std::byte> bytes, std::uint32_t index), (override));
  MOCK_METHOD(void, set_threadgroup_memory_length, (std::uint64_t length, std::uint32_t index), (override));
  MOCK_METHOD(void, dispatch_threads, (Size grid, Size group), (override));
  MOCK_METHOD(void, dispatch_threadgroups, (Size groups, Size group), (override));
  MOCK_METHOD(void, memory_barrier, (), (override));
  MOCK_METHOD(Result<void>, end_encoding, (), (override));
};

class MockCommandBuffer : public CommandBuffer {
 public:
  MOCK_METHOD(Result<std::shared_ptr<ComputeCommandEncoder>>, compute_encoder, (DispatchType type), (override));
  MOCK_METHOD(Result<void>, commit, (), (override));
  MOCK_METHOD(Result<void>, wait_until_completed, (), (override));
  MOCK_METHOD(Status, status, (), (const, override));
  MOCK_METHOD(std::optional<Error>, error, (), (const, override));
  MOCK_METHOD(Result<double>, gpu_seconds, (), (const, override));
};

class MockQueue : public CommandQueue {
 public:
  MOCK_METHOD(std::shared_ptr<CommandBuffer>, command_buffer, (), (override));
};

class MockDevice : public Device {
 public:
  MOCK_METHOD(const std::string&, name, (), (const, override));
  MOCK_METHOD(const Limits&, limits, (), (const, override));
  MOCK_METHOD(std::uint64_t, current_allocated_size, (), (const, override));
  MOCK_METHOD(Result<std::shared_ptr<Library>>, new_library, (const std::string& source), (override));
  MOCK_METHOD(Result<std::shared_ptr<Library>>, new_library_from_file, (const std::filesystem::path& path), (override));
  MOCK_METHOD(Result<std::shared_ptr<const ComputePipeline>>, new_pipeline, (std::shared_ptr<const Function> function),
              (override));
  MOCK_METHOD(Result<std::shared_ptr<Buffer>>, new_buffer, (std::uint64_t length, const std::string& label),
              (override));
  MOCK_METHOD(Result<std::shared_ptr<Buffer>>, new_buffer, (std::span<const std::byte> bytes, const std::string& label),
              (override));
  MOCK_METHOD(std::shared_ptr<CommandQueue>, new_command_queue, (), (override));
};

}  // namespace assay::metal::test

// Instantiated once, in mock_device.cpp: they take most of the time of compiling a test of the host.
extern template class testing::NiceMock<assay::metal::test::MockBuffer>;
extern template class testing::NiceMock<assay::metal::test::MockFunction>;
extern template class testing::NiceMock<assay::metal::test::MockLibrary>;
extern template class testing::NiceMock<assay::metal::test::MockPipeline>;
extern template class testing::NiceMock<assay::metal::test::MockEncoder>;
extern template class testing::NiceMock<assay::metal::test::MockCommandBuffer>;
extern template class testing::NiceMock<assay::metal::test::MockQueue>;
extern template class testing::NiceMock<assay::metal::test::MockDevice>;

namespace assay::metal::test {

/// A device, a queue, a command buffer and an encoder: each returns the next, limits are Metal's, and the encoder knows
/// when it has become stale. Tests add their own expectations.
class MockStream {
 public:
  MockStream();

  Limits limits;
  std::shared_ptr<testing::NiceMock<MockDevice>> device = std::make_shared<testing::NiceMock<MockDevice>>();
  std::shared_ptr<testing::NiceMock<MockQueue>> queue = std::make_shared<testing::NiceMock<MockQueue>>();
  std::shared_ptr<testing::NiceMock<MockCommandBuffer>> commands =
      std::make_shared<testing::NiceMock<MockCommandBuffer>>();
  std::shared_ptr<testing::NiceMock<MockEncoder>> encoder = std::make_shared<testing::NiceMock<MockEncoder>>();
  std::shared_ptr<testing::NiceMock<MockBuffer>> buffer = std::make_shared<testing::NiceMock<MockBuffer>>();

 protected:
  /// Opens the encoder.
  void begin() {
    is_encoding_ = true;
    stale_.clear();
  }
  /// Makes the open encoder stale.
  void end_encoders(const char* what) {
    if (is_encoding_ && stale_.empty()) stale_ = what;
  }
  Result<void> end() {
    is_encoding_ = false;
    if (stale_.empty()) return {};
    return error(Error::Kind::stale_encoder,
                 "endEncoding: the encoder is stale, for " + stale_ +
                     " was called after it was fetched; allocate and copy first, then fetch "
                     "the encoder and only encode");
  }

 private:
  Result<std::shared_ptr<Buffer>> allocate() {
    end_encoders("Device::new_buffer");
    return std::shared_ptr<Buffer>(buffer);
  }

  bool is_encoding_ = false;
  std::string stale_;  ///< the call that made the open encoder stale
};

}  // namespace assay::metal::test
