#include "metal/emulator/simt/fiber.h"

#include <sys/mman.h>
#include <unistd.h>

#include <new>

#ifdef ASSAY_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>

/// Clang's AddressSanitizer would give each of thousands of fibers megabytes to find uses of variables after return.
extern "C" const char* __asan_default_options() {
  return "detect_stack_use_after_return=0";
}
#endif

namespace assay::metal::emulator {

namespace {

std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

#ifdef ASSAY_ASAN
/// The bounds of the OS thread's own stack, learnt on the first switch away. Switches back must pass them.
thread_local const void* os_stack = nullptr;
thread_local std::size_t os_stack_bytes = 0;
thread_local bool os_stack_is_left = false;

void finish_switch(void* fake_stack) {
  const void* from = nullptr;
  std::size_t bytes = 0;
  __sanitizer_finish_switch_fiber(fake_stack, &from, &bytes);
  if (!os_stack_is_left) return;
  os_stack_is_left = false;
  os_stack = from;
  os_stack_bytes = bytes;
}
#endif

}  // namespace

Fiber::Fiber(std::size_t index) {
  const std::size_t all = stack_bytes + page_bytes();
  void* const memory = mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  low_ = static_cast<std::byte*>(memory);
  if (mprotect(low_, page_bytes(), PROT_NONE) != 0) {
    munmap(memory, all);
    throw std::bad_alloc();
  }
  stack_ = low_ + page_bytes();
  top_ = low_ + all - (index % 21) * 192;
}

Fiber::~Fiber() {
  if (!low_) return;
  forget();
  munmap(low_, stack_bytes + page_bytes());
}

void* Fiber::forget() {
#ifdef ASSAY_ASAN
  ASAN_UNPOISON_MEMORY_REGION(stack_, stack_bytes);
#endif
  return top_;
}

void Fiber::reset(void (*entry)()) {
  saved_ = new_context(forget(), entry);
}

#ifdef ASSAY_ASAN
void Fiber::announce_and_switch(Fiber& to, bool for_good) {
  void* fake_stack = nullptr;
  os_stack_is_left = !low_ && !os_stack;
  const void* const bottom = to.low_ ? to.stack_ : os_stack;
  const std::size_t bytes = to.low_ ? static_cast<std::size_t>(to.top_ - to.stack_) : os_stack_bytes;
  __sanitizer_start_switch_fiber(for_good ? nullptr : &fake_stack, bottom, bytes);
  switch_context(saved_, to.saved_);
  finish_switch(fake_stack);
}
#endif

void Fiber::leave_to(Fiber& to) {
#ifdef ASSAY_ASAN
  announce_and_switch(to, true);
#else
  switch_context(saved_, to.saved_);
#endif
  __builtin_unreachable();
}

void Fiber::arrive() {
#ifdef ASSAY_ASAN
  finish_switch(nullptr);
#endif
}

bool Fiber::guards(const void* address) const {
  return address >= low_ && address < stack_;
}

}  // namespace assay::metal::emulator
