// The device layer on any CPU. Compiles .metal sources at run time, runs them with Metal's semantics and, unless told
// otherwise, checks every access and barrier: check/report.h.
//
// Checked kernels run on one OS thread. An access outside of all that is bound is reported, not performed, and ends its
// thread; so does one that the processor refuses. Unchecked kernels run at several times the speed on all OS threads;
// their wild accesses are caught only where they leave mapped memory.
//
// initcheck takes as written what was given to new_buffer, what the host told of by Buffer::did_modify, and what a
// kernel wrote. All else is filled with 0xFF bytes and reported when a kernel reads it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "metal/device/device.h"
#include "metal/emulator/check/checker.h"
#include "metal/emulator/check/report.h"
#include "metal/emulator/shader_abi.h"
#include "metal/emulator/simt/order.h"

namespace assay::metal::emulator {

class CompiledShader;
struct DeviceState;

struct EmulatorOptions {
  bool is_checked = true;  ///< false compiles kernels without hooks; barriers that never meet are reported all the same
  Checks checks;
  ThreadOrder order = ThreadOrder::forward;
  std::uint64_t seed = 1;   ///< of the random order
  unsigned os_threads = 0;  ///< for unchecked kernels; 0: all that the machine has
  int metal_version = 320;  ///< __METAL_VERSION__
  std::map<std::string, std::string> macros;
  /// Accesses and basic blocks (both of checked kernels alone) and meetings of one threadgroup, after which it is taken
  /// to be endless. Blocks are counted to the nearest few thousand.
  std::uint64_t step_limit = 4'000'000'000;
};

class EmulatorDevice final : public Device {
 public:
  explicit EmulatorDevice(EmulatorOptions options = {});
  ~EmulatorDevice() override;

  const std::string& name() const override { return name_; }
  const Limits& limits() const override;
  std::uint64_t current_allocated_size() const override;
  Result<std::shared_ptr<Library>> new_library(const std::string& source) override;
  Result<std::shared_ptr<Library>> new_library_from_file(const std::filesystem::path& path) override;
  Result<std::shared_ptr<const ComputePipeline>> new_pipeline(std::shared_ptr<const Function> function) override;
  Result<std::shared_ptr<Buffer>> new_buffer(std::uint64_t length, const std::string& label) override;
  Result<std::shared_ptr<Buffer>> new_buffer(std::span<const std::byte> bytes, const std::string& label) override;
  std::shared_ptr<CommandQueue> new_command_queue() override;

  /// A library of a shader that is part of this program, and outlives all that is made of it.
  std::shared_ptr<Library> new_library(const abi::Shader& shader);

  /// A library of what compile.h makes, for whoever looks into it first.
  std::shared_ptr<Library> new_library(const std::shared_ptr<const CompiledShader>& shader);

  /// What the checks have found in the commands that have ended, each place in the source once.
  std::vector<Report> reports() const;
  void clear_reports();

  /// EmulatorOptions::step_limit for the dispatches that are encoded from now on.
  void set_step_limit(std::uint64_t steps);

 private:
  EmulatorOptions options_;
  std::string name_ = "Assay emulator";
  std::shared_ptr<DeviceState> state_;
};

}  // namespace assay::metal::emulator
