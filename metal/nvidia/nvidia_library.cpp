#include "metal/nvidia/nvidia_library.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>
#include <span>
#include <system_error>

#include "metal/device/read_file.h"
#include "metal/emulator/compile/library_path.h"
#include "metal/emulator/compiled_library.h"
#include "metal/nvidia/ptx.h"

namespace assay::metal::nvidia {

namespace abi = emulator::abi;

/// A shader that is compiled for both sides. Functions with the same constants share a module.
struct NvidiaLibrary::Built {
  std::shared_ptr<NvidiaState> device;
  std::shared_ptr<const emulator::CompiledShader> shader;
  std::shared_ptr<emulator::EmulatorLibrary> stated;
  std::string ptx;
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<const LoadedModule>> modules;  ///< by the values of the constants

  Result<std::shared_ptr<const LoadedModule>> module_with(const FunctionConstants& constants) {
    std::string key;
    for (const auto& [index, value] : constants.values())
      key += fmt::format("{}={:02x};", index, fmt::join(value.bytes, ""));
    const std::lock_guard lock(mutex);
    if (const auto known = modules.find(key); known != modules.end()) return known->second;
    auto module = LoadedModule::load(device, ptx);
    if (!module) return module;
    if (shader->shader().constant_count != 0)
      if (auto set = (*module)->set_constants(shader->shader(), constants); !set) return tl::unexpected(set.error());
    return modules[key] = *module;
  }
};

namespace {

std::filesystem::file_time_type write_time(const std::filesystem::path& path) {
  std::error_code problem;
  return std::filesystem::last_write_time(path, problem);
}

std::vector<std::uint32_t> thread_limits(const abi::Shader& shader) {
  std::vector<std::uint32_t> limits;
  for (const abi::Function& function : std::span(shader.functions, shader.function_count))
    limits.push_back(function.max_total_threads_per_threadgroup);
  return limits;
}

std::vector<abi::GpuConstant> values_of(const abi::Shader& shader, const FunctionConstants& constants) {
  std::vector<abi::GpuConstant> values(shader.constant_count);
  for (std::size_t n = 0; n < values.size(); ++n) {
    const auto given = constants.values().find(shader.constants[n].index);
    if (given == constants.values().end()) continue;
    values[n].is_set = 1;
    std::memcpy(values[n].bytes, given->second.bytes.data(), sizeof values[n].bytes);
  }
  return values;
}

}  // namespace

Result<std::shared_ptr<const LoadedModule>> LoadedModule::load(std::shared_ptr<NvidiaState> device,
                                                               const std::string& ptx) {
  if (const Result<void> current = device->make_current(); !current) return tl::unexpected(current.error());
  Module module = nullptr;
  std::string log;
  if (const Status status = device->driver->load_module(module, ptx, log); status != success)
    return error(Error::Kind::compile, fmt::format("cuModuleLoadDataEx: {}{}{}", device->driver->describe(status),
                                                   log.empty() ? "" : "\n", log));
  return std::make_shared<const LoadedModule>(std::move(device), module);
}

LoadedModule::~LoadedModule() {
  device_->enter();
  device_->driver->unload_module(module_);
}

Result<void> LoadedModule::set_constants(const abi::Shader& shader, const FunctionConstants& constants) const {
  Driver& driver = *device_->driver;
  const std::vector<abi::GpuConstant> values = values_of(shader, constants);
  const std::size_t bytes = values.size() * sizeof(abi::GpuConstant);
  Kernel kernel = nullptr;
  Address memory = 0;
  auto result = device_->check("cuModuleGetFunction", driver.get_kernel(kernel, module_, "assay_set_constants"));
  if (!result) return result;
  result = device_->check("cuMemAllocManaged", driver.allocate_managed(memory, bytes));
  if (!result) return result;
  std::memcpy(pointer_to(memory), values.data(), bytes);
  void* argument = &memory;
  result = device_->check("cuLaunchKernel", driver.launch(kernel, {}, {}, 0, nullptr, &argument));
  if (result) result = device_->check("cuStreamSynchronize", driver.synchronize_stream(nullptr));
  driver.free(memory);
  return result;
}

std::string NvidiaFunction::entry() const {
  const abi::Shader& shader = *stated_->shader().shader;
  return fmt::format("assay_launch_{}", &stated_->function() - shader.functions);
}

Result<std::shared_ptr<const ComputePipeline>> NvidiaPipeline::create(const NvidiaState& device,
                                                                      std::shared_ptr<const NvidiaFunction> function) {
  auto module = function->module();
  if (!module) return tl::unexpected(module.error());
  auto pipeline = std::shared_ptr<NvidiaPipeline>(new NvidiaPipeline);
  int threads = 0, bytes = 0;
  Driver& driver = *device.driver;
  auto result =
      device.check("cuModuleGetFunction", driver.get_kernel(pipeline->kernel_, (*module)->module(), function->entry()));
  if (result)
    result = device.check("cuFuncGetAttribute",
                          driver.kernel_attribute(threads, KernelAttribute::max_threads_per_block, pipeline->kernel_));
  if (result)
    result = device.check("cuFuncGetAttribute",
                          driver.kernel_attribute(bytes, KernelAttribute::shared_size_bytes, pipeline->kernel_));
  if (!result) return tl::unexpected(result.error());
  if (static_cast<std::uint64_t>(bytes) > device.limits.max_threadgroup_memory_length)
    return error(Error::Kind::limit,
                 fmt::format("kernel '{}': its threadgroup variables take {} bytes, expected at most {}",
                             function->name(), bytes, device.limits.max_threadgroup_memory_length));
  pipeline->function_ = std::move(function);
  pipeline->module_ = std::move(*module);
  pipeline->max_threads_ =
      std::min(static_cast<std::uint32_t>(threads), device.limits.max_total_threads_per_threadgroup);
  pipeline->static_length_ = static_cast<std::uint64_t>(bytes);
  return pipeline;
}

Result<std::shared_ptr<NvidiaLibrary::Built>> NvidiaLibrary::build(const std::shared_ptr<NvidiaState>& device,
                                                                   const std::string& source,
                                                                   const std::filesystem::path& name,
                                                                   const emulator::CompileOptions& options) {
  emulator::CompileOptions unchecked = options;
  unchecked.is_checked = false;
  return built_of(device, emulator::compile_source(source, name, unchecked),
                  [&] { return compile_ptx(source, name, unchecked, device->architecture); });
}

Result<std::shared_ptr<NvidiaLibrary::Built>> NvidiaLibrary::built_of(const std::shared_ptr<NvidiaState>& device,
                                                                      const Shader& shader,
                                                                      const std::function<Ptx()>& compile) {
  if (!shader) return tl::unexpected(shader.error());
  const Ptx ptx = compile();
  if (!ptx) return tl::unexpected(ptx.error());
  auto built = std::make_shared<Built>();
  built->device = device;
  built->shader = *shader;
  built->stated =
      std::make_shared<emulator::EmulatorLibrary>(emulator::LoadedShader{&(*shader)->shader(), {}, nullptr, *shader});
  built->ptx = with_thread_limits(*ptx, thread_limits((*shader)->shader()));
  return built;
}

Result<std::shared_ptr<Library>> NvidiaLibrary::made_of(std::shared_ptr<NvidiaState> device,
                                                        Result<std::shared_ptr<Built>> built,
                                                        const emulator::CompileOptions& options) {
  if (!built) return tl::unexpected(built.error());
  auto library = std::make_shared<NvidiaLibrary>();
  library->device_ = std::move(device);
  library->built_ = std::move(*built);
  library->options_ = options;
  return library;
}

Result<std::shared_ptr<Library>> NvidiaLibrary::of_source(const std::shared_ptr<NvidiaState>& device,
                                                          const std::string& source, const std::filesystem::path& name,
                                                          const emulator::CompileOptions& options) {
  return made_of(device, build(device, source, name, options), options);
}

/// Reads the file's time before its text, so that a change in between is noticed at the next reload_if_changed().
Result<std::shared_ptr<Library>> NvidiaLibrary::of_file(const std::shared_ptr<NvidiaState>& device,
                                                        const std::filesystem::path& path,
                                                        const emulator::CompileOptions& options) {
  const std::filesystem::file_time_type written = write_time(path);
  if (emulator::is_library_file(path))
    return emulator::CompiledLibrary::of_file(path, [device, path, options](const std::string& kernel) {
      emulator::CompileOptions with = options;
      with.is_checked = false;
      with.kernels = {kernel};
      return made_of(device,
                     built_of(device, emulator::compile_file(path, with),
                              [&] { return compile_ptx_of_library(path, with, device->architecture); }),
                     with);
    });
  const auto source = read_text(path);
  if (!source) return tl::unexpected(source.error());
  auto library = of_source(device, *source, path, options);
  if (!library) return library;
  auto& own = static_cast<NvidiaLibrary&>(**library);
  own.path_ = path;
  own.written_ = written;
  return library;
}

std::vector<std::string> NvidiaLibrary::function_names() const {
  return built_->stated->function_names();
}

Result<std::shared_ptr<const Function>> NvidiaLibrary::new_function(const std::string& name,
                                                                    const FunctionConstants& constants) {
  auto stated = built_->stated->new_function(name, constants);
  if (!stated) return tl::unexpected(stated.error());
  return std::make_shared<const NvidiaFunction>(
      std::static_pointer_cast<const emulator::EmulatorFunction>(*stated), constants,
      [built = built_](const FunctionConstants& values) { return built->module_with(values); });
}

Result<bool> NvidiaLibrary::reload_if_changed() {
  if (path_.empty()) return false;
  const std::filesystem::file_time_type now = write_time(path_);
  if (now == written_) return false;
  const auto source = read_text(path_);
  if (!source) return tl::unexpected(source.error());
  auto built = build(device_, *source, path_, options_);
  if (!built) return tl::unexpected(built.error());
  built_ = std::move(*built);
  written_ = now;
  return true;
}

}  // namespace assay::metal::nvidia
