// The device layer on any CPU. Compiles .metal sources at run time, runs them with Metal's semantics and, by default,
// checks every access and barrier: check/report.h.
//
// In checked kernels an out-of-bounds access is reported, not performed, and ends its thread; so does an access that
// the processor refuses. Unchecked kernels run at several times the speed; their out-of-bounds accesses are caught only
// if they leave mapped memory. Both run on all OS threads, checked ones with the results and reports of one: Trial.
//
// To initcheck, memory is written if its contents were given to new_buffer, the host announced them by
// Buffer::did_modify, or a kernel wrote them. All other memory is filled with 0xFF bytes, and a kernel's read of it is
// reported.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "metal/device/buffer.h"
#include "metal/device/device.h"
#include "metal/device/shader_language.h"
#include "metal/emulator/abi/shader_abi.h"
#include "metal/emulator/barrier_change.h"
#include "metal/emulator/check/checker.h"
#include "metal/emulator/check/report.h"
#include "metal/emulator/compile/math_mode.h"
#include "metal/emulator/dispatch/progress.h"
#include "metal/emulator/dispatch/schedule.h"
#include "metal/emulator/numerics/losses.h"
#include "metal/emulator/simt/group_range.h"
#include "metal/emulator/simt/order.h"

namespace assay::metal::emulator {

class Algebra;
class CompiledShader;
struct CompileOptions;
struct DeviceState;

struct EmulatorOptions {
  bool is_checked = true;  ///< false: no checks but synccheck and simdcheck
  Checks checks;
  bool with_numerics = false;           ///< checked kernels: numcheck too, and losses()
  bool with_algebra = false;            ///< checked kernels, instead of it: algebra()
  MathMode math_mode = MathMode::ieee;  ///< another one in checked kernels only
  ThreadOrder order = ThreadOrder::forward;
  std::uint64_t seed = 1;   ///< of the random order, and of what the maths mode leaves open
  unsigned os_threads = 0;  ///< 0: as many as the machine runs at once
  ShaderLanguage language;
  /// The number of steps after which a threadgroup is taken to be endless. Barriers and collectives are steps; in
  /// checked kernels accesses and basic blocks are too. Blocks are counted to the nearest few thousand.
  std::uint64_t step_limit = 4'000'000'000;
  /// The threadgroups of each dispatch that run; empty: all.
  std::vector<GroupRange> only_groups = {};
  /// In the shaders that the device compiles.
  BarrierChange barrier_change = {};
  /// Checked kernels run interleaved in this order, and are not checked: all that is of interest is their results.
  std::optional<Schedule> schedule = {};
};

/// The options with which a device compiles its shaders.
CompileOptions compile_options(const EmulatorOptions& options);

class EmulatorDevice final : public Device {
 public:
  explicit EmulatorDevice(EmulatorOptions options = {});
  ~EmulatorDevice() override;

  const std::string& name() const override { return name_; }
  const Limits& limits() const override;
  const EmulatorOptions& options() const { return options_; }
  std::uint64_t current_allocated_size() const override;
  Result<std::shared_ptr<Library>> new_library(const std::string& source) override;
  Result<std::shared_ptr<Library>> new_library_from_file(const std::filesystem::path& path) override;
  Result<std::shared_ptr<const ComputePipeline>> new_pipeline(std::shared_ptr<const Function> function) override;
  Result<std::shared_ptr<Buffer>> new_buffer(std::uint64_t length, const std::string& label) override;
  Result<std::shared_ptr<Buffer>> new_buffer(std::span<const std::byte> bytes, const std::string& label) override;
  std::shared_ptr<CommandQueue> new_command_queue() override;

  /// A buffer with the contents that `fill` writes, which no other memory holds. Errors: as Device::new_buffer.
  Result<std::shared_ptr<Buffer>> new_filled_buffer(std::uint64_t length, const BufferFill& fill,
                                                    const std::string& label);

  /// A buffer of zeros whose pages exist only where they are touched. To initcheck it is written if `is_written`.
  Result<std::shared_ptr<Buffer>> new_sparse_buffer(std::uint64_t length, bool is_written, const std::string& label);

  /// A library of a shader that is part of this program. The shader must outlive all that is made of it.
  std::shared_ptr<Library> new_library(const abi::Shader& shader);

  /// A library of a shader compiled by compile.h, for callers that need the shader itself too.
  std::shared_ptr<Library> new_library(const std::shared_ptr<const CompiledShader>& shader);

  /// The findings of the checks in the commands that have ended, one report for each place in the source.
  std::vector<Report> reports() const;
  /// Findings that may be intended: operations of simdgroups that not all lanes execute and whose result Metal defines.
  std::vector<Report> warnings() const;
  void clear_reports();
  /// The first thousand messages that shaders wrote by os_log, in the order in which the threads ran.
  std::vector<LogMessage> messages() const;
  /// How many messages came after these.
  std::uint64_t messages_dropped() const;
  /// The findings of --numerics in the dispatches that have ended, in their order.
  std::vector<DispatchLosses> losses() const;
  /// The residues of the dispatches that have ended; null without EmulatorOptions::with_algebra.
  Algebra* algebra();
  /// With EmulatorOptions::schedule: of the dispatches that have ended.
  ScheduleRecord schedule_record() const;

  /// How far the dispatch that runs has come.
  DispatchProgress progress() const;

  /// Sets EmulatorOptions::step_limit for the dispatches that are encoded from now on.
  void set_step_limit(std::uint64_t steps);

 private:
  EmulatorOptions options_;
  std::string name_ = "Assay emulator";
  std::shared_ptr<DeviceState> state_;
};

}  // namespace assay::metal::emulator
