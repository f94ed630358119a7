// The handler makes the thread continue at the upper end of its own stack, whose content is no longer needed. There the
// thread reports its fault and ends as after any fault.
#include "metal/emulator/dispatch/signals.h"

#include <signal.h>
#include <array>
#include <cstddef>
#include <mutex>

#include "metal/emulator/dispatch/group_runner.h"
#include "metal/emulator/dispatch/services.h"
#include "metal/system/system.h"

namespace assay::metal::emulator {

namespace {

struct Fault {
  const void* address = nullptr;
  const void* pc = nullptr;
};

thread_local Fault fault_here;
std::array<struct sigaction, 2> earlier_actions;

void land() {
  runner_here()->fault(fault_here.address, fault_here.pc);
}

/// Makes the thread continue in land(). Returns the instruction that the signal interrupted.
const void* redirect(void* context, void* stack_top) {
  const std::uintptr_t pc = system::program_counter(context);
  system::set_registers(context, reinterpret_cast<std::uintptr_t>(&land), reinterpret_cast<std::uintptr_t>(stack_top));
  return reinterpret_cast<const void*>(pc);  // NOLINT(performance-no-int-to-ptr): a register holds it
}

void handle(int signal, siginfo_t* info, void* context) {
  GroupRunner* const runner = runner_here();
  Fiber* const fiber = runner ? runner->running_fiber() : nullptr;
  if (!fiber) {
    sigaction(signal, &earlier_actions[signal == SIGSEGV ? 0 : 1],
              nullptr);  // the access faults again, now in that handler
    return;
  }
  fault_here.address = info->si_addr;
  fault_here.pc = redirect(context, fiber->forget());
}

void install() {
  struct sigaction action{};
  action.sa_sigaction = &handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  sigaction(SIGSEGV, &action, &earlier_actions[0]);
  sigaction(SIGBUS, &action, &earlier_actions[1]);
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
