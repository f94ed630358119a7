#include "validation/cli/device_options.h"

#include <fmt/format.h>

#include <stdexcept>
#include <vector>

#include "metal/devices/devices.h"
#include "metal/emulator/compile/math_mode.h"
#include "validation/transport/metal/shader.h"

namespace assay::validation {

std::string KernelChoice::name() const {
  if (kernel == "metal" || (kernel.empty() && !device.empty()))
    return "metal-" + (device.empty() ? metal::best_device() : device);
  if (device.empty()) return kernel;
  if (transport::is_binding(kernel)) return fmt::format("{}@{}", kernel, device);
  throw std::invalid_argument(fmt::format(
      "--device {}: kernel '{}' does not choose its device: expected --kernel metal or the binding of a shader", device,
      kernel));
}

std::vector<std::string> KernelChoice::names_in(const std::string& arithmetic) const {
  const bool is_shader = kernel.empty() || kernel == "metal" || transport::is_binding(kernel);
  if (!is_shader || !(device.empty() || device == "emulated"))
    throw std::invalid_argument(fmt::format(
        "--arithmetic {}: kernel '{}'{} does not run on the emulator: expected --kernel metal or the binding "
        "of a shader, and no other --device",
        arithmetic, kernel, device.empty() ? "" : " on " + device));
  std::vector<std::string> names;
  for (const std::string mode : metal::emulator::math_mode_names)
    if (arithmetic == "all" || arithmetic == mode)
      names.push_back(KernelChoice{kernel.empty() ? "metal" : kernel, "emulated-" + mode}.name());
  return names;
}

void add_kernel_options(CLI::App& command, KernelChoice& choice) {
  command.add_option("--kernel", choice.kernel,
                     "cpu, metal, metal-plain, plain, fault:NAME, or a path, of a plug-in (./libmine.so) or a binding; "
                     "cpu if left out");
  command
      .add_option("--device", choice.device,
                  "Where `metal` or a shader's binding runs: apple, nvidia or emulated; by default the best "
                  "available, and the emulator for a binding")
      ->check(CLI::IsMember(std::vector<std::string>(metal::device_names.begin(), metal::device_names.end())));
}

}  // namespace assay::validation
