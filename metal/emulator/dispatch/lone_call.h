// A function of a shader that runs outside of every dispatch: it computes the program-scope constants that depend on
// function constants. A fault in it becomes an error, as one in a kernel becomes a report.
#pragma once

#include <cstdint>
#include <string>

#include "metal/device/result.h"
#include "metal/emulator/simt/fiber.h"

namespace assay::metal::emulator {

/// Calls the function on a stack of its own. Error: execution, if a fault has ended it.
Result<void> call_alone(void (*function)());

/// Ends the function that call_alone has called on this OS thread, because it did what a shader must not do.
[[noreturn]] void end_lone_call(const std::string& what);

/// Ends it if it has executed too many basic blocks.
void count_lone_blocks(std::uint64_t count);

/// Its stack, or null if none runs.
Fiber* lone_fiber();

}  // namespace assay::metal::emulator
