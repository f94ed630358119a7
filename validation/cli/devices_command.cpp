// assay devices: the devices that kernels can run on, and why the others are not available.
#include <fmt/format.h>

#include "metal/devices/devices.h"
#include "validation/cli/commands.h"
#include "validation/core/terminal.h"

namespace assay::validation {
namespace {

constexpr double gibibyte = 1024.0 * 1024.0 * 1024.0;

int list_devices() {
  for (const char* name : metal::device_names) {
    const auto device = metal::open_device(name);
    if (device)
      tell("  {:<9} {}, buffers of up to {:.0f} GiB\n", name, (*device)->name(),
           static_cast<double>((*device)->limits().max_buffer_length) / gibibyte);
    else
      tell("  {:<9} not available: {}\n", name, device.error().text);
  }
  return 0;
}

}  // namespace

void add_devices_command(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("devices", "List the devices for --device, and why others are not available");
  command->callback([&action] { action = list_devices; });
}

}  // namespace assay::validation
