// Library, function and pipeline of an emulated device.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "metal/device/compute_pipeline.h"
#include "metal/device/library.h"
#include "metal/emulator/abi/shader_abi.h"
#include "metal/emulator/barrier_change.h"

namespace assay::metal::emulator {

/// A shader in this process, with the owner that keeps it loaded.
struct LoadedShader {
  const abi::Shader* shader = nullptr;
  std::string object;                  ///< the file with its line table; empty: this program
  const void* load_address = nullptr;  ///< of `object`
  std::shared_ptr<const void> owner;
  std::shared_ptr<const BarrierChange> barrier_change = nullptr;
  std::shared_ptr<std::mutex> constants = std::make_shared<std::mutex>();  ///< guards the values of its constants
};

class EmulatorFunction final : public Function {
 public:
  /// Errors: execution, if a program-scope constant cannot be computed.
  static Result<std::shared_ptr<const Function>> create(LoadedShader shader, const abi::Function& function,
                                                        FunctionConstants constants);

  const std::string& name() const override { return name_; }
  const std::vector<Argument>& arguments() const override { return arguments_; }

  const LoadedShader& shader() const { return shader_; }
  const abi::Function& function() const { return *function_; }

  /// The buffers that the kernel takes under a function constant that is false: they are not among its arguments.
  const std::vector<Argument>& absent_buffers() const { return absent_buffers_; }

  /// The address of a [[visible]] function, as the visible_function_table with this index of a buffer holds it. Errors:
  /// not_found; argument, if the function has another type than the table's.
  Result<const void*> visible_function(const std::string& name, std::uint32_t table) const;

  /// Sets the shader's function constants to the values of this function. LoadedShader::constants must be held.
  /// Errors: as above.
  Result<void> write_constants() const;

 private:
  EmulatorFunction(LoadedShader shader, const abi::Function& function, FunctionConstants constants);
  void reflect_arguments();

  LoadedShader shader_;
  const abi::Function* function_;
  FunctionConstants constants_;
  std::string name_;
  std::vector<Argument> arguments_, absent_buffers_;
};

class EmulatorPipeline final : public ComputePipeline {
 public:
  EmulatorPipeline(std::shared_ptr<const EmulatorFunction> function, std::uint32_t max_threads)
      : function_(std::move(function)), max_threads_(max_threads) {}

  std::uint32_t max_total_threads_per_threadgroup() const override { return max_threads_; }
  std::uint32_t thread_execution_width() const override { return abi::lanes_per_simdgroup; }

  /// 0 before the first dispatch, because a variable becomes known only when a thread first uses it.
  std::uint64_t static_threadgroup_memory_length() const override { return *static_length_; }

  const EmulatorFunction& function() const { return *function_; }
  const std::shared_ptr<std::atomic<std::uint64_t>>& static_length() const { return static_length_; }

 private:
  std::shared_ptr<const EmulatorFunction> function_;
  std::uint32_t max_threads_;
  std::shared_ptr<std::atomic<std::uint64_t>> static_length_ = std::make_shared<std::atomic<std::uint64_t>>(0);
};

class EmulatorLibrary final : public Library {
 public:
  using Compile = std::function<Result<LoadedShader>()>;

  explicit EmulatorLibrary(LoadedShader shader);

  /// A library of the file at `path`, which `compile` compiles. Errors: those of compile.
  static Result<std::shared_ptr<Library>> of_file(std::filesystem::path path, Compile compile);

  std::vector<std::string> function_names() const override;
  Result<std::shared_ptr<const Function>> new_function(const std::string& name,
                                                       const FunctionConstants& constants) override;
  Result<bool> reload_if_changed() override;

 private:
  void bind() const;

  LoadedShader shader_;
  std::filesystem::path path_;  ///< empty if there is no file to reload
  std::filesystem::file_time_type written_;
  Compile compile_;
};

}  // namespace assay::metal::emulator
