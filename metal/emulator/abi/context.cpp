// The switch saves the callee-saved registers: System V ABI for x86-64, figure 3.4; Procedure Call Standard for the Arm
// 64-bit Architecture, section 6.1.
#include "metal/emulator/abi/context.h"

#include <cstdint>

#if defined(__x86_64__)

namespace assay::metal::emulator {

/// A called function expects its return address, here null, just below a multiple of 16.
Context new_context(void* top, void (*entry)()) {
  auto* const words = static_cast<std::uintptr_t*>(top) - 1;
  *words = 0;
  return {words, nullptr, reinterpret_cast<void*>(entry)};
}

}  // namespace assay::metal::emulator

#elif defined(__aarch64__)

#if defined(__APPLE__)  // Mach-O: C's names begin with an underscore, symbols have neither type nor size
#define ASSAY_SYMBOL "_assay_switch_context"
#define ASSAY_TYPE
#define ASSAY_SIZE
#else
#define ASSAY_SYMBOL "assay_switch_context"
#define ASSAY_TYPE ".type assay_switch_context, %function\n"
#define ASSAY_SIZE ".size assay_switch_context, .-assay_switch_context\n"
#endif

asm(".text\n.p2align 2\n.globl " ASSAY_SYMBOL "\n" ASSAY_TYPE ASSAY_SYMBOL
    ":"
    R"(
  stp x19, x20, [sp, #-160]!
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  ldp x19, x20, [sp], #160
  ret
)" ASSAY_SIZE);

namespace assay::metal::emulator {

/// Twenty saved registers; the twelfth, x30, is the address to continue at.
Context new_context(void* top, void (*entry)()) {
  auto* const words = static_cast<std::uintptr_t*>(top) - 20;
  for (int word = 0; word < 20; ++word) words[word] = 0;
  words[11] = reinterpret_cast<std::uintptr_t>(entry);
  return {words};
}

}  // namespace assay::metal::emulator

#else
#error "metal/emulator/abi/context.cpp: expected x86-64 or aarch64; add the processor's context switch here"
#endif
