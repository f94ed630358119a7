#include "metal/host/recording_device.h"

#include <fmt/format.h>

#include <utility>

#include "metal/device/recording_encoder.h"

namespace assay::metal::host {

namespace {

/// A buffer of the device, or the bytes that set_bytes was given.
class KeptBuffer final : public Buffer {
 public:
  static constexpr std::size_t of_bytes = static_cast<std::size_t>(-1);

  KeptBuffer(RecordedBuffer buffer, std::size_t place) : buffer_(std::move(buffer)), place_(place) {}

  std::byte* contents() override { return buffer_.contents.empty() ? nullptr : buffer_.contents.data(); }
  std::uint64_t length() const override { return buffer_.length; }
  const std::string& label() const override { return buffer_.label; }
  Result<void> did_modify(std::uint64_t, std::uint64_t) override {
    return error(Error::Kind::environment, "a recording device has its buffers from the start: expected no change");
  }

  const std::vector<std::byte>& bytes() const { return buffer_.contents; }
  std::size_t place() const { return place_; }

 private:
  RecordedBuffer buffer_;
  std::size_t place_;  ///< in RecordingDevice::buffers(), or of_bytes
};

class NamedFunction final : public Function {
 public:
  NamedFunction(std::string name, FunctionConstants constants)
      : name_(std::move(name)), constants_(std::move(constants)) {}

  const std::string& name() const override { return name_; }
  /// The other program's Metal knows them.
  const std::vector<Argument>& arguments() const override { return arguments_; }
  const FunctionConstants& constants() const { return constants_; }

 private:
  std::string name_;
  FunctionConstants constants_;
  std::vector<Argument> arguments_;
};

class AnyLibrary final : public Library {
 public:
  /// The kernels by whose names the hosts tell that the device supports bfloat: PyTorch's Metal is 3.1 or later.
  std::vector<std::string> function_names() const override {
    return {"ctc_emissions_bfloat", "cce_logits_bfloat", "svd_load_bfloat"};
  }
  Result<std::shared_ptr<const Function>> new_function(const std::string& name,
                                                       const FunctionConstants& constants) override {
    return std::make_shared<const NamedFunction>(name, constants);
  }
  Result<bool> reload_if_changed() override { return false; }
};

class NamedPipeline final : public ComputePipeline {
 public:
  NamedPipeline(std::shared_ptr<const NamedFunction> function, std::uint32_t max_threads)
      : function_(std::move(function)), max_threads_(max_threads) {}

  std::uint32_t max_total_threads_per_threadgroup() const override { return max_threads_; }
  std::uint32_t thread_execution_width() const override { return 32; }
  std::uint64_t static_threadgroup_memory_length() const override {
    return RecordingDevice::static_threadgroup_memory_length;
  }
  const NamedFunction& function() const { return *function_; }

 private:
  std::shared_ptr<const NamedFunction> function_;
  std::uint32_t max_threads_;
};

class NoQueue final : public CommandQueue {
 public:
  std::shared_ptr<CommandBuffer> command_buffer() override { return nullptr; }
};

class KeepingEncoder final : public RecordingEncoder<NamedPipeline, KeptBuffer> {
 public:
  KeepingEncoder(const EncoderEpoch& epoch, const Limits& limits, std::vector<RecordedDispatch>& dispatches)
      : RecordingEncoder(epoch, limits), dispatches_(dispatches) {}

  void memory_barrier() override {}  // dispatches run one after the other
  Result<void> end_encoding() override { return state().end(); }

 private:
  void record(Size threads, Size group) override {
    RecordedDispatch dispatch;
    dispatch.kernel = pipeline()->function().name();
    dispatch.constants = pipeline()->function().constants();
    dispatch.threads = threads;
    dispatch.group = group;
    for (std::uint32_t index = 0; index < bindings().size(); ++index) {
      const auto& [buffer, offset] = bindings()[index];
      if (buffer && buffer->place() == KeptBuffer::of_bytes)
        dispatch.bytes[index] = buffer->bytes();
      else if (buffer)
        dispatch.buffers[index] = {buffer->place(), offset};
      if (const std::uint64_t length = threadgroup_lengths()[index]; length != 0)
        dispatch.threadgroup_lengths[index] = length;
    }
    dispatches_.push_back(std::move(dispatch));
  }

  Result<std::shared_ptr<KeptBuffer>> copy_of(std::span<const std::byte> bytes) override {
    return std::make_shared<KeptBuffer>(RecordedBuffer{"", bytes.size(), {bytes.begin(), bytes.end()}},
                                        KeptBuffer::of_bytes);
  }

  std::vector<RecordedDispatch>& dispatches_;
};

}  // namespace

std::shared_ptr<RecordingDevice> RecordingDevice::create(RecordingOptions options) {
  return std::shared_ptr<RecordingDevice>(new RecordingDevice(std::move(options)));
}

RecordingDevice::RecordingDevice(RecordingOptions options) : options_(std::move(options)) {
  limits_.recommended_max_working_set_size = options_.recommended_max_working_set_size;
}

const std::string& RecordingDevice::name() const {
  static const std::string name = "recording";
  return name;
}

std::uint64_t RecordingDevice::current_allocated_size() const {
  std::uint64_t bytes = 0;
  for (const RecordedBuffer& buffer : buffers_) bytes += buffer.length;
  return bytes;
}

Result<std::shared_ptr<Library>> RecordingDevice::new_library(const std::string&) {
  return std::make_shared<AnyLibrary>();
}

Result<std::shared_ptr<Library>> RecordingDevice::new_library_from_file(const std::filesystem::path&) {
  return std::make_shared<AnyLibrary>();
}

Result<std::shared_ptr<const ComputePipeline>> RecordingDevice::new_pipeline(std::shared_ptr<const Function> function) {
  auto named = std::dynamic_pointer_cast<const NamedFunction>(std::move(function));
  if (!named) return error(Error::Kind::argument, "newComputePipelineState: expected a function of this device");
  const auto known = options_.max_threads.find(named->name());
  const std::uint32_t threads =
      known == options_.max_threads.end() ? limits_.max_total_threads_per_threadgroup : known->second;
  return std::make_shared<const NamedPipeline>(std::move(named), threads);
}

Result<std::shared_ptr<Buffer>> RecordingDevice::new_buffer(std::uint64_t length, const std::string& label) {
  return keep({label, length, {}});
}

Result<std::shared_ptr<Buffer>> RecordingDevice::new_buffer(std::span<const std::byte> bytes,
                                                            const std::string& label) {
  return keep({label, bytes.size(), {bytes.begin(), bytes.end()}});
}

std::shared_ptr<Buffer> RecordingDevice::keep(RecordedBuffer buffer) {
  buffers_.push_back(buffer);
  return std::make_shared<KeptBuffer>(std::move(buffer), buffers_.size() - 1);
}

std::shared_ptr<CommandQueue> RecordingDevice::new_command_queue() {
  return std::make_shared<NoQueue>();
}

BufferPart RecordingDevice::part(const std::string& label, std::uint64_t bytes) {
  if (bytes == 0) return {};
  return {keep({label, bytes, {}}), 0};
}

Result<void> RecordingDevice::record(const std::function<Result<void>(ComputeCommandEncoder&)>& encode) {
  const EncoderEpoch epoch;
  KeepingEncoder encoder(epoch, limits_, dispatches_);
  if (Result<void> encoded = encode(encoder); !encoded) return encoded;
  return encoder.end_encoding();
}

}  // namespace assay::metal::host
