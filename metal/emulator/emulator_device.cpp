#include "metal/emulator/emulator_device.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "metal/emulator/compile/compile.h"
#include "metal/emulator/compile/library_path.h"
#include "metal/emulator/compiled_library.h"
#include "metal/emulator/device_state.h"
#include "metal/emulator/emulator_buffer.h"
#include "metal/emulator/emulator_library.h"
#include "metal/emulator/emulator_queue.h"

namespace assay::metal::emulator {

namespace {

Limits limits_of_this_machine() {
  const auto memory =
      static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  Limits limits;
  limits.recommended_max_working_set_size = memory / 4 * 3;
  limits.max_buffer_length = std::min(memory / 2, Arena::bytes / 16);
  return limits;
}

ExecutorOptions executor_options(const EmulatorOptions& options) {
  return {{options.order, options.seed, options.checks.synccheck, options.checks.simdcheck},
          options.checks,
          options.os_threads,
          options.is_checked && options.with_numerics,
          options.is_checked && options.with_algebra,
          options.is_checked && options.math_mode != MathMode::ieee,
          options.schedule};
}

LoadedShader loaded(const std::shared_ptr<const CompiledShader>& shader, const EmulatorOptions& options) {
  return {&shader->shader(), shader->object().string(), shader->load_address(), shader,
          std::make_shared<const BarrierChange>(options.barrier_change)};
}

Result<LoadedShader> loaded(const Result<std::shared_ptr<const CompiledShader>>& compiled,
                            const EmulatorOptions& options) {
  if (!compiled) return tl::unexpected(compiled.error());
  return loaded(*compiled, options);
}

}  // namespace

CompileOptions compile_options(const EmulatorOptions& options) {
  CompileOptions compile;
  compile.is_checked = options.is_checked;
  compile.with_numerics = options.is_checked && (options.with_numerics || options.with_algebra);
  compile.math_mode = options.is_checked ? options.math_mode : MathMode::ieee;
  compile.seed = options.seed;
  compile.language = options.language;
  return compile;
}

EmulatorDevice::EmulatorDevice(EmulatorOptions options)
    : options_(std::move(options)),
      state_(std::make_shared<DeviceState>(executor_options(options_), options_.is_checked, options_.step_limit)) {
  state_->limits = limits_of_this_machine();
  state_->only_groups = options_.only_groups;
}

EmulatorDevice::~EmulatorDevice() = default;

const Limits& EmulatorDevice::limits() const {
  return state_->limits;
}

std::uint64_t EmulatorDevice::current_allocated_size() const {
  return state_->allocated_bytes;
}

Result<std::shared_ptr<Library>> EmulatorDevice::new_library(const std::string& source) {
  Result<LoadedShader> shader = loaded(compile_source(source, "source.metal", compile_options(options_)), options_);
  if (!shader) return tl::unexpected(shader.error());
  return std::make_shared<EmulatorLibrary>(std::move(*shader));
}

Result<std::shared_ptr<Library>> EmulatorDevice::new_library_from_file(const std::filesystem::path& path) {
  if (is_library_file(path))
    return CompiledLibrary::of_file(
        path, [path, options = options_](const std::string& kernel) -> Result<std::shared_ptr<Library>> {
          CompileOptions with = compile_options(options);
          with.kernels = {kernel};
          Result<LoadedShader> shader = loaded(compile_file(path, with), options);
          if (!shader) return tl::unexpected(shader.error());
          return std::make_shared<EmulatorLibrary>(std::move(*shader));
        });
  return EmulatorLibrary::of_file(
      path, [path, options = options_] { return loaded(compile_file(path, compile_options(options)), options); });
}

std::shared_ptr<Library> EmulatorDevice::new_library(const abi::Shader& shader) {
  return std::make_shared<EmulatorLibrary>(LoadedShader{&shader, {}, nullptr, nullptr});
}

std::shared_ptr<Library> EmulatorDevice::new_library(const std::shared_ptr<const CompiledShader>& shader) {
  return std::make_shared<EmulatorLibrary>(loaded(shader, options_));
}

Result<std::shared_ptr<const ComputePipeline>> EmulatorDevice::new_pipeline(std::shared_ptr<const Function> function) {
  auto emulated = std::dynamic_pointer_cast<const EmulatorFunction>(std::move(function));
  if (!emulated) return error(Error::Kind::argument, "newComputePipelineState: expected a function of this device");
  const std::uint32_t own = emulated->function().max_total_threads_per_threadgroup;
  const std::uint32_t max = limits().max_total_threads_per_threadgroup;
  return std::make_shared<EmulatorPipeline>(std::move(emulated), own == 0 ? max : std::min(own, max));
}

Result<std::shared_ptr<Buffer>> EmulatorDevice::new_buffer(std::uint64_t length, const std::string& label) {
  state_->epoch.end("Device::new_buffer");
  return EmulatorBuffer::create(state_, length, label);
}

Result<std::shared_ptr<Buffer>> EmulatorDevice::new_buffer(std::span<const std::byte> bytes, const std::string& label) {
  state_->epoch.end("Device::new_buffer");
  return EmulatorBuffer::create(state_, bytes, label);
}

Result<std::shared_ptr<Buffer>> EmulatorDevice::new_filled_buffer(std::uint64_t length, const BufferFill& fill,
                                                                  const std::string& label) {
  state_->epoch.end("Device::new_filled_buffer");
  return EmulatorBuffer::create(state_, length, fill, label);
}

Result<std::shared_ptr<Buffer>> EmulatorDevice::new_sparse_buffer(std::uint64_t length, bool is_written,
                                                                  const std::string& label) {
  state_->epoch.end("Device::new_sparse_buffer");
  return EmulatorBuffer::create_sparse(state_, length, is_written, label);
}

std::shared_ptr<CommandQueue> EmulatorDevice::new_command_queue() {
  return std::make_shared<EmulatorQueue>(state_);
}

std::vector<Report> EmulatorDevice::reports() const {
  return state_->log.reports();
}

std::vector<Report> EmulatorDevice::warnings() const {
  return state_->log.warnings();
}

std::vector<DispatchLosses> EmulatorDevice::losses() const {
  return state_->executor.losses();
}

Algebra* EmulatorDevice::algebra() {
  return state_->executor.algebra();
}

ScheduleRecord EmulatorDevice::schedule_record() const {
  return state_->executor.schedule_record();
}

DispatchProgress EmulatorDevice::progress() const {
  return state_->executor.progress();
}

void EmulatorDevice::set_step_limit(std::uint64_t steps) {
  state_->step_limit = steps;
}

std::vector<LogMessage> EmulatorDevice::messages() const {
  return state_->log.messages();
}

std::uint64_t EmulatorDevice::messages_dropped() const {
  return state_->log.messages_dropped();
}

void EmulatorDevice::clear_reports() {
  state_->log.clear();
}

}  // namespace assay::metal::emulator
