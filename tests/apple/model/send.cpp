// objc_msgSend: finds the method and jumps to it with all registers that hold arguments as they were. A message to nil
// returns 0, as in Objective-C.
#if defined(__x86_64__)

asm(R"(
.macro ASSAY_SEND receiver, selector, nil
  endbr64
  testq %\receiver, %\receiver
  je \nil
  pushq %rbp
  movq %rsp, %rbp
  subq $192, %rsp
  movq %rdi, 0(%rsp)
  movq %rsi, 8(%rsp)
  movq %rdx, 16(%rsp)
  movq %rcx, 24(%rsp)
  movq %r8, 32(%rsp)
  movq %r9, 40(%rsp)
  movq %rax, 48(%rsp)
  movaps %xmm0, 64(%rsp)
  movaps %xmm1, 80(%rsp)
  movaps %xmm2, 96(%rsp)
  movaps %xmm3, 112(%rsp)
  movaps %xmm4, 128(%rsp)
  movaps %xmm5, 144(%rsp)
  movaps %xmm6, 160(%rsp)
  movaps %xmm7, 176(%rsp)
  movq %\receiver, %rdi
  movq %\selector, %rsi
  call assay_model_method@PLT
  movq %rax, %r11
  movq 0(%rsp), %rdi
  movq 8(%rsp), %rsi
  movq 16(%rsp), %rdx
  movq 24(%rsp), %rcx
  movq 32(%rsp), %r8
  movq 40(%rsp), %r9
  movq 48(%rsp), %rax
  movaps 64(%rsp), %xmm0
  movaps 80(%rsp), %xmm1
  movaps 96(%rsp), %xmm2
  movaps 112(%rsp), %xmm3
  movaps 128(%rsp), %xmm4
  movaps 144(%rsp), %xmm5
  movaps 160(%rsp), %xmm6
  movaps 176(%rsp), %xmm7
  leave
  jmp *%r11
.endm

  .text
  .globl objc_msgSend, objc_msgSend_fpret, objc_msgSend_stret
  .type objc_msgSend, @function
  .type objc_msgSend_fpret, @function
  .type objc_msgSend_stret, @function
objc_msgSend:
objc_msgSend_fpret:
  ASSAY_SEND rdi, rsi, 1f
1:
  xorl %eax, %eax
  xorl %edx, %edx
  pxor %xmm0, %xmm0
  pxor %xmm1, %xmm1
  ret

objc_msgSend_stret:
  ASSAY_SEND rsi, rdx, assay_model_no_structure@PLT
  .size objc_msgSend_stret, . - objc_msgSend_stret
  .size objc_msgSend, objc_msgSend_stret - objc_msgSend
  .section .note.GNU-stack, "", @progbits
  .text
)");

#elif defined(__aarch64__)

// Structures are returned through x8, so one function serves all messages.
asm(R"(
  .text
  .globl objc_msgSend
  .type objc_msgSend, %function
objc_msgSend:
  cbz x0, 1f
  stp x29, x30, [sp, #-224]!
  mov x29, sp
  stp x0, x1, [sp, #16]
  stp x2, x3, [sp, #32]
  stp x4, x5, [sp, #48]
  stp x6, x7, [sp, #64]
  str x8, [sp, #80]
  stp q0, q1, [sp, #96]
  stp q2, q3, [sp, #128]
  stp q4, q5, [sp, #160]
  stp q6, q7, [sp, #192]
  bl assay_model_method
  mov x16, x0
  ldp x0, x1, [sp, #16]
  ldp x2, x3, [sp, #32]
  ldp x4, x5, [sp, #48]
  ldp x6, x7, [sp, #64]
  ldr x8, [sp, #80]
  ldp q0, q1, [sp, #96]
  ldp q2, q3, [sp, #128]
  ldp q4, q5, [sp, #160]
  ldp q6, q7, [sp, #192]
  ldp x29, x30, [sp], #224
  br x16
1:
  mov x1, #0
  movi d0, #0
  movi d1, #0
  movi d2, #0
  movi d3, #0
  ret
  .size objc_msgSend, . - objc_msgSend
  .section .note.GNU-stack, "", %progbits
  .text
)");

#else
#error "The model of Objective-C's runtime is written for x86-64 and AArch64."
#endif
