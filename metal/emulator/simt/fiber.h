// A stack on which code can be suspended and resumed.
//
// A Fiber either stands for the OS thread's own stack, or owns a stack with a guard page below it. AddressSanitizer is
// told of every switch.
#pragma once

#include <cstddef>

#include "metal/emulator/abi/context.h"

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

  /// The stack that runs now, which is the OS thread's.
  Fiber() = default;

  /// A new stack. `index` staggers the tops of stacks, which would else share the same few cache sets.
  explicit Fiber(std::size_t index);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Discards what is on the stack. The next switch to this fiber calls `entry`, which must begin with arrive() and
  /// never return.
  void reset(void (*entry)());

  /// Discards what is on the stack. Returns the stack's upper end.
  void* forget();

  /// Switches from this fiber, which must be running, to `to`. Returns when something switches back.
  void switch_to(Fiber& to) {
#ifdef ASSAY_ASAN
    announce_and_switch(to, false);
#else
    switch_context(saved_, to.saved_);
#endif
  }

  /// The same, if nothing will ever switch back.
  [[noreturn]] void leave_to(Fiber& to);

  /// Must be called first on a fresh stack.
  static void arrive();

  /// The context by which shaders switch to this fiber; null if AddressSanitizer must be told of each switch.
  Context* context() {
#ifdef ASSAY_ASAN
    return nullptr;
#else
    return &saved_;
#endif
  }

  /// Whether the address is on this fiber's stack, or on its guard page.
  bool owns(const void* address) const { return address >= stack_ && address < stack_ + stack_bytes; }
  bool guards(const void* address) const;

 private:
#ifdef ASSAY_ASAN
  void announce_and_switch(Fiber& to, bool for_good);
#endif

  std::byte* low_ = nullptr;    ///< the guard page
  std::byte* stack_ = nullptr;  ///< above the guard page
  std::byte* top_ = nullptr;
  Context saved_;
};

}  // namespace assay::metal::emulator
