#include "validation/shader/check.h"

#include "metal/emulator/emulator_device.h"
#include "validation/shader/compiled.h"
#include "validation/shader/report_groups.h"

namespace assay::validation {

ShaderOutcome check_shader(const ShaderScript& script) {
  metal::emulator::EmulatorDevice device(emulator_options(script));
  return run_shader(device, script);
}

std::string to_string(const ShaderOutcome& outcome) {
  std::string text;
  for (const auto* reports : {&outcome.reports, &outcome.warnings})
    for (const auto& one : in_groups(*reports)) text += one + "\n";
  for (const auto& [report, reason, is_in_source] : outcome.allowed)
    text += fmt::format("allowed: {} at {}: {}\n", to_string(report.check), to_string(report.event.position), reason);
  if (outcome.error) text += outcome.error->text + "\n";
  return text.empty() ? "nothing found" : text;
}

std::ostream& operator<<(std::ostream& stream, const ShaderOutcome& outcome) {
  return stream << to_string(outcome);
}

}  // namespace assay::validation
