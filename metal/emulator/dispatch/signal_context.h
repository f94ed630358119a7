// The registers of a thread that a signal has interrupted, on the systems and processors that the emulator runs on.
#pragma once

#include <cstdint>

#if defined(__APPLE__)
#include <sys/ucontext.h>
#else
#include <ucontext.h>
#endif

namespace assay::metal::emulator {

inline std::uintptr_t program_counter(void* context) {
  auto& machine = static_cast<ucontext_t*>(context)->uc_mcontext;
#if defined(__APPLE__) && defined(__aarch64__)
  return machine->__ss.__pc;
#elif defined(__APPLE__)
  return machine->__ss.__rip;
#elif defined(__x86_64__)
  return static_cast<std::uintptr_t>(machine.gregs[REG_RIP]);
#else
  return machine.pc;
#endif
}

/// Makes the thread continue at `pc` with an empty stack below `stack_top`, a multiple of 16. On x86-64 the slot of the
/// return address lies there, as after a call.
inline void set_registers(void* context, std::uintptr_t pc, std::uintptr_t stack_top) {
  auto& machine = static_cast<ucontext_t*>(context)->uc_mcontext;
#if defined(__APPLE__) && defined(__aarch64__)
  machine->__ss.__pc = pc;
  machine->__ss.__sp = stack_top;
#elif defined(__APPLE__)
  machine->__ss.__rip = pc;
  machine->__ss.__rsp = stack_top - sizeof(void*);
#elif defined(__x86_64__)
  machine.gregs[REG_RIP] = static_cast<greg_t>(pc);
  machine.gregs[REG_RSP] = static_cast<greg_t>(stack_top - sizeof(void*));
#else
  machine.pc = pc;
  machine.sp = stack_top;
#endif
}

}  // namespace assay::metal::emulator
