#include "metal/emulator/dispatch/lone_call.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "metal/emulator/dispatch/services.h"
#include "metal/emulator/dispatch/signals.h"

namespace assay::metal::emulator {

namespace {

struct LoneCall {
  void (*function)();
  Fiber caller = {}, fiber{0};
  std::uint64_t blocks_left = 100'000'000;
  std::optional<std::string> fault = {};
};

thread_local LoneCall* call_here = nullptr;

void run() {
  Fiber::arrive();
  call_here->function();
  call_here->fiber.leave_to(call_here->caller);
}

}  // namespace

Result<void> call_alone(void (*function)()) {
  const FaultGuard guard;
  LoneCall call{function};
  GroupRunner* const outer_runner = set_runner_here(nullptr);
  LoneCall* const outer = std::exchange(call_here, &call);
  call.fiber.reset(&run);
  call.caller.switch_to(call.fiber);
  call_here = outer;
  set_runner_here(outer_runner);
  if (!call.fault) return {};
  return error(Error::Kind::execution, fmt::format("a program-scope constant of the shader: {}", *call.fault));
}

void end_lone_call(const std::string& what) {
  call_here->fault = what;
  call_here->fiber.leave_to(call_here->caller);
}

void count_lone_blocks(std::uint64_t count) {
  if (!call_here) return;
  if (call_here->blocks_left < count) end_lone_call("an endless loop?");
  call_here->blocks_left -= count;
}

Fiber* lone_fiber() {
  return call_here ? &call_here->fiber : nullptr;
}

}  // namespace assay::metal::emulator
