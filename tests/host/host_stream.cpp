#include "tests/host/host_stream.h"

namespace assay::metal::test {

template <class T>
std::optional<Result<T>> HostStream::planted(const DeviceCall& call) {
  calls.push_back(call);
  if (std::ssize(calls) - 1 != failing_) return std::nullopt;
  failed = call.name;
  if constexpr (!std::is_void_v<T>)
    if (how_ == Failure::nothing) return Result<T>(T());
  return Result<T>(error(Error::Kind::limit, "planted in " + call.name));
}

HostStream::HostStream() : recorder(*encoder) {
  use_libraries();
  use_buffers();
  use_commands();
}

std::shared_ptr<Buffer> HostStream::make_buffer(const std::string& label, std::uint64_t length) {
  constexpr std::uint64_t max_backed = 1 << 20;
  const auto mock = std::make_shared<testing::NiceMock<MockBuffer>>();
  const auto memory = std::make_shared<std::vector<std::byte>>(length <= max_backed ? length : 0);
  ON_CALL(*mock, length()).WillByDefault(testing::Return(length));
  ON_CALL(*mock, label()).WillByDefault(testing::ReturnRefOfCopy(label));
  ON_CALL(*mock, contents()).WillByDefault([memory] { return memory->data(); });
  ON_CALL(*mock, did_modify(testing::_, testing::_)).WillByDefault([this] {
    end_encoders("Buffer::did_modify");
    return Result<void>();
  });
  buffers_.push_back(mock);
  return mock;
}

Result<std::shared_ptr<Buffer>> HostStream::allocate(const std::string& label, std::uint64_t length) {
  end_encoders("Device::new_buffer");
  if (auto failure = planted<std::shared_ptr<Buffer>>({"new_buffer", label, length})) return *failure;
  lengths[label] = length;
  return make_buffer(label, length);
}

void HostStream::use_buffers() {
  ON_CALL(*device, new_buffer(testing::An<std::uint64_t>(), testing::_))
      .WillByDefault([this](std::uint64_t length, const std::string& label) { return allocate(label, length); });
  ON_CALL(*device, new_buffer(testing::An<std::span<const std::byte>>(), testing::_))
      .WillByDefault([this](std::span<const std::byte> bytes, const std::string& label) {
        copied[label].assign(bytes.begin(), bytes.end());
        return allocate(label, bytes.size());
      });
}

void HostStream::use_libraries() {
  using testing::_;
  ON_CALL(*device, new_library_from_file(_)).WillByDefault([this](const std::filesystem::path&) {
    const auto failure = planted<std::shared_ptr<Library>>({"new_library_from_file", ""});
    return failure ? *failure : Result<std::shared_ptr<Library>>(library);
  });
  ON_CALL(*library, function_names()).WillByDefault([this] { return function_names; });
  ON_CALL(*library, new_function(_, _)).WillByDefault([this](const std::string& name, const FunctionConstants& given) {
    if (auto failure = planted<std::shared_ptr<const Function>>({"new_function", name})) return *failure;
    const auto function = std::make_shared<testing::NiceMock<MockFunction>>();
    ON_CALL(*function, name()).WillByDefault(testing::ReturnRefOfCopy(name));
    constants_[function.get()] = given;
    return Result<std::shared_ptr<const Function>>(function);
  });
  ON_CALL(*device, new_pipeline(_)).WillByDefault([this](const std::shared_ptr<const Function>& function) {
    const auto failure = planted<std::shared_ptr<const ComputePipeline>>({"new_pipeline", function->name()});
    return failure ? *failure : make_pipeline(*function);
  });
}

Result<std::shared_ptr<const ComputePipeline>> HostStream::make_pipeline(const Function& function) {
  const auto pipeline = std::make_shared<testing::NiceMock<MockPipeline>>();
  ON_CALL(*pipeline, max_total_threads_per_threadgroup()).WillByDefault(testing::Return(max_threads));
  ON_CALL(*pipeline, thread_execution_width()).WillByDefault(testing::Return(width));
  ON_CALL(*pipeline, static_threadgroup_memory_length()).WillByDefault(testing::Return(static_length));
  pipelines.push_back(function.name());
  recorder.know(*pipeline, function.name(), constants_[&function]);
  return std::shared_ptr<const ComputePipeline>(pipeline);
}

void HostStream::use_commands() {
  ON_CALL(*device, new_command_queue()).WillByDefault([this]() -> std::shared_ptr<CommandQueue> {
    return planted<int>({"new_command_queue", ""}) ? nullptr : queue;
  });
  ON_CALL(*queue, command_buffer()).WillByDefault([this]() -> std::shared_ptr<CommandBuffer> {
    return planted<int>({"command_buffer", ""}) ? nullptr : commands;
  });
  ON_CALL(*commands, compute_encoder(testing::_)).WillByDefault([this](DispatchType) {
    if (auto failure = planted<std::shared_ptr<ComputeCommandEncoder>>({"compute_encoder", ""})) return *failure;
    begin();
    return Result<std::shared_ptr<ComputeCommandEncoder>>(encoder);
  });
  ON_CALL(*encoder, end_encoding()).WillByDefault([this] {
    const Result<void> ended = end();
    return planted<void>({"end_encoding", ""}).value_or(ended);
  });
  ON_CALL(*commands, commit()).WillByDefault([this] { return planted<void>({"commit", ""}).value_or(Result<void>()); });
  ON_CALL(*commands, wait_until_completed()).WillByDefault([this] {
    return planted<void>({"wait_until_completed", ""}).value_or(Result<void>());
  });
  ON_CALL(*commands, error()).WillByDefault([this] { return run_error; });
  ON_CALL(*commands, status()).WillByDefault([this] {
    return run_error ? CommandBuffer::Status::error : CommandBuffer::Status::completed;
  });
}

}  // namespace assay::metal::test
