// Runs a script on a device of the device layer. On the emulator every check is on.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "metal/device/device.h"
#include "metal/emulator/check/report.h"
#include "metal/emulator/compile/compile.h"
#include "metal/emulator/numerics/losses.h"
#include "validation/shader/array.h"
#include "validation/shader/bind.h"
#include "validation/shader/buffers.h"
#include "validation/shader/script.h"

namespace assay::metal::emulator {
class EmulatorDevice;
}

namespace assay::validation {

/// The dispatch of a pass.
struct ShaderDispatch {
  std::string function;
  metal::Size grid = {};                   ///< in threads; of an indirect dispatch, once it begins
  std::optional<double> gpu_seconds = {};  ///< once it has run, on a device that measures it
  bool has_begun = false;                  ///< false if a pass before it failed
};

/// A report or a warning that a comment in the source or a suppression allows (allow.h).
struct AllowedReport {
  metal::emulator::Report report;
  std::string reason;
  bool is_in_source = true;  ///< allowed by a comment
};

/// Runs under random schedules: schedules.h.
struct ScheduleSummary {
  std::uint64_t schedules = 0;        ///< that ran
  std::uint64_t different = 0;        ///< schedules whose results differ from the plain order's
  std::uint64_t atomic_accesses = 0;  ///< the largest number in one run
};

struct ShaderOutcome {
  std::string device;                         ///< its own name
  bool is_checked = false;                    ///< by the emulator; a GPU checks no access
  std::vector<ShaderDispatch> dispatches;     ///< one for each pass; empty if the shader does not compile
  std::map<std::string, ShaderArray> arrays;  ///< outputs, and what a kernel may write; empty after a GPU's error
  std::vector<metal::emulator::Report> reports, warnings;
  std::vector<AllowedReport> allowed;
  std::vector<metal::emulator::DispatchLosses> losses;  ///< with EmulatorOptions::with_numerics: of each dispatch
  std::optional<ScheduleSummary> schedules;             ///< with --schedules
  std::vector<metal::emulator::LogMessage> messages;    ///< of os_log, on the emulator
  std::uint64_t messages_dropped = 0;                   ///< messages after the first thousand
  std::optional<metal::Error> error;                    ///< the error that stopped the script, if there is no report

  bool passed() const { return reports.empty() && !error; }
};

/// Runs the passes in their order, up to the first that fails, on the outcome's arrays, and adds their dispatches to
/// the outcome. Throws std::invalid_argument for what is beyond the device's limits.
void run_passes(metal::Device& device, const ShaderScript& script, const ShaderFunctions& functions,
                const ShaderBuffers& buffers, ShaderOutcome& outcome);

/// Throws std::invalid_argument if the script does not fit the shader (bind.h) or the device's limits, or if the file
/// cannot be read. If the shader does not compile, the outcome's error has the kind `compile`.
ShaderOutcome run_shader(metal::Device& device, const ShaderScript& script);

/// As above, for a checked emulator and a shader that is compiled already. The script must name the kernels.
ShaderOutcome run_compiled(metal::emulator::EmulatorDevice& device, const ShaderScript& script,
                           const std::shared_ptr<const metal::emulator::CompiledShader>& shader);

/// Moves the reports and warnings that comments in the source or a suppression file, which may be empty, allow to
/// `allowed`.
void apply_allowances(const std::filesystem::path& suppressions, ShaderOutcome& outcome);

}  // namespace assay::validation
