// The handler makes the thread continue at the upper end of its own stack, whose content is no longer needed. There the
// thread reports its fault and ends as after any fault.
#include "metal/emulator/dispatch/signals.h"

#include <signal.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <mutex>

#include "metal/emulator/dispatch/group_runner.h"
#include "metal/emulator/dispatch/lone_call.h"
#include "metal/emulator/dispatch/services.h"
#include "metal/system/system.h"

namespace assay::metal::emulator {

namespace {

struct Fault {
  int signal = 0;
  const void* address = nullptr;
  const void* pc = nullptr;
};

constexpr std::array caught = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};

thread_local Fault fault_here;
std::array<struct sigaction, caught.size()> earlier_actions;

[[noreturn]] void land() {
  const auto [signal, address, pc] = fault_here;
  GroupRunner* const runner = runner_here();
  if (!runner) end_lone_call(signal == SIGFPE ? "an integer division that has no result" : "a fault of the processor");
  if (signal == SIGFPE) runner->division_overflow(pc);
  if (signal == SIGILL || signal == SIGTRAP) runner->refused_instruction(pc);
  runner->fault(address, pc);
}

/// The fiber whose code has been interrupted, or null if it is not a shader's.
Fiber* fiber_here() {
  if (const GroupRunner* const runner = runner_here()) return runner->running_fiber();
  return lone_fiber();
}

/// Makes the thread continue in land(). Returns the instruction that the signal interrupted.
const void* redirect(void* context, void* stack_top) {
  const std::uintptr_t pc = system::program_counter(context);
  system::set_registers(context, reinterpret_cast<std::uintptr_t>(&land), reinterpret_cast<std::uintptr_t>(stack_top));
  return reinterpret_cast<const void*>(pc);  // NOLINT(performance-no-int-to-ptr): a register holds it
}

void handle(int signal, siginfo_t* info, void* context) {
  Fiber* const fiber = fiber_here();
  if (!fiber) {
    const auto index = std::ranges::find(caught, signal) - caught.begin();
    sigaction(signal, &earlier_actions[static_cast<std::size_t>(index)], nullptr);  // it faults again, in that handler
    return;
  }
  fault_here = {signal, info->si_addr, redirect(context, fiber->forget())};
}

void install() {
  struct sigaction action{};
  action.sa_sigaction = &handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (std::size_t n = 0; n < caught.size(); ++n) sigaction(caught[n], &action, &earlier_actions[n]);
}

}  // namespace

struct FaultGuard::State {
  std::array<std::byte, std::size_t{64} << 10> stack;
  stack_t earlier;
};

FaultGuard::FaultGuard() : state_(std::make_unique<State>()) {
  static std::once_flag once;
  std::call_once(once, &install);
  stack_t alternative{};
  alternative.ss_sp = state_->stack.data();
  alternative.ss_size = state_->stack.size();
  sigaltstack(&alternative, &state_->earlier);
}

FaultGuard::~FaultGuard() {
  sigaltstack(&state_->earlier, nullptr);
}

}  // namespace assay::metal::emulator
