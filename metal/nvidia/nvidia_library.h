// Library, function and pipeline of an NVIDIA device.
//
// A kernel's arguments are read from the emulator's build of the same text, in which the compiler has evaluated them.
// The GPU's build holds the code alone.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "metal/device/compute_pipeline.h"
#include "metal/device/library.h"
#include "metal/emulator/compile/compile.h"
#include "metal/emulator/emulator_library.h"
#include "metal/nvidia/nvidia_state.h"

namespace assay::metal::nvidia {

/// A module on the GPU, with its own function constants.
class LoadedModule {
 public:
  /// Errors: compile, with the driver's messages; environment.
  static Result<std::shared_ptr<const LoadedModule>> load(std::shared_ptr<NvidiaState> device, const std::string& ptx);
  LoadedModule(std::shared_ptr<NvidiaState> device, Module module) : device_(std::move(device)), module_(module) {}
  ~LoadedModule();
  LoadedModule(const LoadedModule&) = delete;
  LoadedModule& operator=(const LoadedModule&) = delete;

  Module module() const { return module_; }
  /// Sets the shader's function constants. Errors: environment.
  Result<void> set_constants(const emulator::abi::Shader& shader, const FunctionConstants& constants) const;

 private:
  std::shared_ptr<NvidiaState> device_;
  Module module_;
};

class NvidiaFunction final : public Function {
 public:
  using Load = std::function<Result<std::shared_ptr<const LoadedModule>>(const FunctionConstants&)>;

  NvidiaFunction(std::shared_ptr<const emulator::EmulatorFunction> stated, FunctionConstants constants, Load load)
      : stated_(std::move(stated)), constants_(std::move(constants)), load_(std::move(load)) {}

  const std::string& name() const override { return stated_->name(); }
  const std::vector<Argument>& arguments() const override { return stated_->arguments(); }

  /// The module that has this function, with its constants set. Errors: compile, environment.
  Result<std::shared_ptr<const LoadedModule>> module() const { return load_(constants_); }
  /// The name of its entry in the module.
  std::string entry() const;

 private:
  std::shared_ptr<const emulator::EmulatorFunction> stated_;
  FunctionConstants constants_;
  Load load_;
};

class NvidiaPipeline final : public ComputePipeline {
 public:
  /// Errors: compile, environment; limit, for a kernel that needs more threadgroup memory than the device has.
  static Result<std::shared_ptr<const ComputePipeline>> create(const NvidiaState& device,
                                                               std::shared_ptr<const NvidiaFunction> function);

  std::uint32_t max_total_threads_per_threadgroup() const override { return max_threads_; }
  std::uint32_t thread_execution_width() const override { return emulator::abi::lanes_per_simdgroup; }
  std::uint64_t static_threadgroup_memory_length() const override { return static_length_; }

  const NvidiaFunction& function() const { return *function_; }
  Kernel kernel() const { return kernel_; }

 private:
  NvidiaPipeline() = default;

  std::shared_ptr<const NvidiaFunction> function_;
  std::shared_ptr<const LoadedModule> module_;
  Kernel kernel_ = nullptr;
  std::uint32_t max_threads_ = 0;
  std::uint64_t static_length_ = 0;
};

class NvidiaLibrary final : public Library {
 public:
  /// Errors: compile, environment.
  static Result<std::shared_ptr<Library>> of_source(const std::shared_ptr<NvidiaState>& device,
                                                    const std::string& source, const std::filesystem::path& name,
                                                    const emulator::CompileOptions& options);
  /// A library of the file at `path`, which it can reload. Of a compiled library, each kernel is compiled for the GPU
  /// when it is asked for. Errors: as above; those of emulator::libraries_in.
  static Result<std::shared_ptr<Library>> of_file(const std::shared_ptr<NvidiaState>& device,
                                                  const std::filesystem::path& path,
                                                  const emulator::CompileOptions& options);

  std::vector<std::string> function_names() const override;
  Result<std::shared_ptr<const Function>> new_function(const std::string& name,
                                                       const FunctionConstants& constants) override;
  Result<bool> reload_if_changed() override;

 private:
  struct Built;
  using Ptx = Result<std::string>;
  using Shader = Result<std::shared_ptr<const emulator::CompiledShader>>;
  static Result<std::shared_ptr<Built>> build(const std::shared_ptr<NvidiaState>& device, const std::string& source,
                                              const std::filesystem::path& name,
                                              const emulator::CompileOptions& options);
  static Result<std::shared_ptr<Built>> built_of(const std::shared_ptr<NvidiaState>& device, const Shader& shader,
                                                 const std::function<Ptx()>& compile);
  static Result<std::shared_ptr<Library>> made_of(std::shared_ptr<NvidiaState> device,
                                                  Result<std::shared_ptr<Built>> built,
                                                  const emulator::CompileOptions& options);

  std::shared_ptr<NvidiaState> device_;
  std::shared_ptr<Built> built_;
  emulator::CompileOptions options_;
  std::filesystem::path path_;  ///< empty if there is no file to reload
  std::filesystem::file_time_type written_;
};

}  // namespace assay::metal::nvidia
