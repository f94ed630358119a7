#include "metal/nvidia/nvidia_device.h"

#include <utility>

#include "metal/device/buffer_rules.h"
#include "metal/nvidia/libcuda.h"
#include "metal/nvidia/nvidia_library.h"
#include "metal/nvidia/nvidia_queue.h"
#include "metal/nvidia/ptx.h"

namespace assay::metal::nvidia {

namespace {

/// PTX of version 7.8 needs the driver of CUDA 11.8.
constexpr int oldest_driver = 11080;

Result<void> check_driver(const NvidiaState& state) {
  int version = 0, count = 0;
  if (auto result = state.check("cuInit", state.driver->init()); !result) return result;
  if (auto result = state.check("cuDriverGetVersion", state.driver->driver_version(version)); !result) return result;
  if (version < oldest_driver)
    return error(Error::Kind::environment,
                 fmt::format("the NVIDIA driver serves CUDA {}.{}: install one for 11.8 or later", version / 1000,
                             version % 1000 / 10));
  if (auto result = state.check("cuDeviceGetCount", state.driver->device_count(count)); !result) return result;
  if (state.ordinal >= 0 && state.ordinal < count) return {};
  return error(
      Error::Kind::environment,
      fmt::format("NVIDIA device {}: there are {} (CUDA_VISIBLE_DEVICES may hide some)", state.ordinal, count));
}

Result<void> describe(NvidiaState& state) {
  Driver& driver = *state.driver;
  int major = 0, minor = 0, is_concurrent = 0;
  std::size_t memory = 0;
  const auto attribute = [&](int& value, DeviceAttribute which) {
    return state.check("cuDeviceGetAttribute", driver.device_attribute(value, which, state.ordinal));
  };
  if (auto result = state.check("cuDeviceGetName", driver.device_name(state.name, state.ordinal)); !result)
    return result;
  if (auto result = attribute(major, DeviceAttribute::compute_capability_major); !result) return result;
  if (auto result = attribute(minor, DeviceAttribute::compute_capability_minor); !result) return result;
  if (auto result = attribute(is_concurrent, DeviceAttribute::concurrent_managed_access); !result) return result;
  if (is_concurrent == 0)
    return error(
        Error::Kind::environment,
        fmt::format("'{}' cannot share managed memory with the host while it works: expected a GPU under Linux "
                    "that does",
                    state.name));
  if (auto result = state.check("cuDeviceTotalMem", driver.device_total_memory(memory, state.ordinal)); !result)
    return result;
  auto architecture = architecture_of(major, minor);
  if (!architecture) return tl::unexpected(architecture.error());
  state.architecture = *architecture;
  state.limits.max_buffer_length = memory / 10 * 9;
  state.limits.recommended_max_working_set_size = memory / 10 * 9;
  state.memory = std::make_unique<ManagedMemory>(driver, memory / 8);
  return {};
}

emulator::CompileOptions compile_options(const NvidiaOptions& options) {
  emulator::CompileOptions compile;
  compile.language = options.language;
  return compile;
}

}  // namespace

Result<std::shared_ptr<NvidiaDevice>> NvidiaDevice::create(std::shared_ptr<Driver> driver, NvidiaOptions options) {
  auto state = std::make_shared<NvidiaState>();
  state->driver = std::move(driver);
  state->ordinal = options.ordinal;
  auto result = check_driver(*state);
  if (result) result = describe(*state);
  if (result)
    result =
        state->check("cuDevicePrimaryCtxRetain", state->driver->retain_primary_context(state->context, state->ordinal));
  if (result) result = state->make_current();
  if (!result) return tl::unexpected(result.error());
  return std::shared_ptr<NvidiaDevice>(new NvidiaDevice(std::move(state), std::move(options)));
}

Result<std::shared_ptr<NvidiaDevice>> system_device(NvidiaOptions options) {
  auto driver = load_libcuda();
  if (!driver) return tl::unexpected(driver.error());
  return NvidiaDevice::create(std::move(*driver), std::move(options));
}

const std::string& NvidiaDevice::name() const {
  return state_->name;
}

const Limits& NvidiaDevice::limits() const {
  return state_->limits;
}

const std::string& NvidiaDevice::architecture() const {
  return state_->architecture;
}

std::uint64_t NvidiaDevice::current_allocated_size() const {
  return state_->allocated_bytes;
}

Result<std::shared_ptr<Library>> NvidiaDevice::new_library(const std::string& source) {
  return NvidiaLibrary::of_source(state_, source, "source.metal", compile_options(options_));
}

Result<std::shared_ptr<Library>> NvidiaDevice::new_library_from_file(const std::filesystem::path& path) {
  return NvidiaLibrary::of_file(state_, path, compile_options(options_));
}

Result<std::shared_ptr<const ComputePipeline>> NvidiaDevice::new_pipeline(std::shared_ptr<const Function> function) {
  auto own = std::dynamic_pointer_cast<const NvidiaFunction>(std::move(function));
  if (!own) return error(Error::Kind::argument, "newComputePipelineState: expected a function of this device");
  return NvidiaPipeline::create(*state_, std::move(own));
}

Result<std::shared_ptr<Buffer>> NvidiaDevice::new_buffer(std::uint64_t length, const std::string& label) {
  state_->epoch.end("Device::new_buffer");
  return NvidiaBuffer::create(state_, length, label);
}

Result<std::shared_ptr<Buffer>> NvidiaDevice::new_buffer(std::span<const std::byte> bytes, const std::string& label) {
  state_->epoch.end("Device::new_buffer");
  auto buffer = NvidiaBuffer::create(state_, bytes.size(), label);
  if (buffer) (*buffer)->fill_with(bytes);
  return buffer;
}

std::shared_ptr<CommandQueue> NvidiaDevice::new_command_queue() {
  return std::make_shared<NvidiaQueue>(state_, NvidiaStream::create(state_));
}

Result<std::shared_ptr<Buffer>> NvidiaDevice::adopt_buffer(Address address, std::uint64_t length) {
  if (address == 0) return error(Error::Kind::argument, "adopting a buffer: its address is 0");
  if (address % buffer_alignment != 0)
    return error(
        Error::Kind::argument,
        fmt::format("adopting a buffer: its address is {:#x}: expected a multiple of {}", address, buffer_alignment));
  if (const Result<void> fit = check_buffer_length(length, state_->limits); !fit) return tl::unexpected(fit.error());
  return NvidiaBuffer::of_address(state_, address, length);
}

std::shared_ptr<CommandQueue> NvidiaDevice::adopt_stream(Stream stream) {
  return std::make_shared<NvidiaQueue>(state_, NvidiaStream::adopt(state_, stream));
}

}  // namespace assay::metal::nvidia
