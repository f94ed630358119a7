// A stack of its own on which code can be left and gone on with later.
//
// A Fiber either stands for the OS thread's own stack, or owns one with a guard page below it. AddressSanitizer is told
// of every switch.
#pragma once

#include <cstddef>

#include "metal/emulator/simt/context.h"

#if defined(__SANITIZE_ADDRESS__)
#define ASSAY_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ASSAY_ASAN 1
#endif
#endif

namespace assay::metal::emulator {

class Fiber {
 public:
  static constexpr std::size_t stack_bytes = std::size_t{256} << 10;

  /// The stack that is running: where a scheduler is.
  Fiber() = default;

  /// A new stack. `index` staggers the tops of stacks, which would share the same few cache sets otherwise.
  explicit Fiber(std::size_t index);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Makes `entry`, which must never return, what the next switch to this fiber begins with. What was on the stack is
  /// forgotten. An entry begins with arrive().
  void reset(void (*entry)());

  /// Forgets what is on the stack; its upper end, from which code may run anew.
  void* forget();

  /// Leaves `this`, which is running, for `to`; returns when something switches back.
  void switch_to(Fiber& to) {
#ifdef ASSAY_ASAN
    announce_and_switch(to, false);
#else
    switch_context(saved_, to.saved_);
#endif
  }

  /// The same for good: nobody will switch back.
  [[noreturn]] void leave_to(Fiber& to);

  /// To be called first on a fresh stack.
  static void arrive();

  /// What to switch to this fiber by, from shaders too; null where AddressSanitizer must be told of it.
  Context* context() {
#ifdef ASSAY_ASAN
    return nullptr;
#else
    return &saved_;
#endif
  }

  /// Whether [address, address + 1) is on this fiber's stack, or on its guard page.
  bool owns(const void* address) const;
  bool guards(const void* address) const;

 private:
#ifdef ASSAY_ASAN
  void announce_and_switch(Fiber& to, bool for_good);
#endif

  std::byte* low_ = nullptr;  ///< the guard page; the stack is above it
  std::byte* top_ = nullptr;
  Context saved_;
};

}  // namespace assay::metal::emulator
