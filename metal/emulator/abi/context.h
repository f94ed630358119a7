// Switching between stacks of one OS thread: the callee-saved registers are saved on the old stack and restored from
// the new one. Shaders include this header too.
#pragma once

namespace assay::metal::emulator {

/// Where a stack's code was left.
struct Context {
#if defined(__x86_64__)
  void *stack = nullptr, *frame = nullptr, *next = nullptr;
#else
  void* stack = nullptr;
#endif
};

#if defined(__x86_64__)

// Shaders are preprocessed without the processor's macros, and clang accepts the names of registers that the processor
// lacks.
#if defined(__AVX512F__) || defined(ASSAY_SHADER)
#define ASSAY_AVX512_REGISTERS                                                                                  \
  , "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", "xmm27", \
      "xmm28", "xmm29", "xmm30", "xmm31", "k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7"
#else
#define ASSAY_AVX512_REGISTERS
#endif

/// Saves the caller's context in `from` and continues at `to`. Returns when something switches back to `from`. Inlined,
/// so that only those callee-saved registers are saved that are in use.
[[gnu::always_inline]] inline void switch_context(Context& from, const Context& to) {
  const Context* target = &to;
  Context* source = &from;
  asm volatile(
      "leaq 1f(%%rip), %%rax\n\t"
      "movq %%rsp, 0(%0)\n\t"
      "movq %%rbp, 8(%0)\n\t"
      "movq %%rax, 16(%0)\n\t"
      "movq 0(%1), %%rsp\n\t"
      "movq 8(%1), %%rbp\n\t"
      "jmpq *16(%1)\n"
      "1:"
      : "+D"(source), "+S"(target)
      :
      : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0", "xmm1", "xmm2",
        "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15",
        "memory", "cc" ASSAY_AVX512_REGISTERS);
}

#undef ASSAY_AVX512_REGISTERS

#else

extern "C" void assay_switch_context(void** from, void* to);

inline void switch_context(Context& from, const Context& to) {
  assay_switch_context(&from.stack, to.stack);
}

#endif

/// A context that calls `entry`, which must never return, on a stack that grows down from `top`, a multiple of 16.
Context new_context(void* top, void (*entry)());

}  // namespace assay::metal::emulator
