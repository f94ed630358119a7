// Switching between stacks of one OS thread: registers that a function must keep go to the old stack, and come from the
// new.
#pragma once

namespace assay::metal::emulator {

/// Saves where the caller is in `*from` and goes on where `to` was saved. Returns when something switches back.
extern "C" void assay_switch_context(void** from, void* to);

/// A place to switch to at the upper end of a stack, whose `top` is a multiple of 16: `entry` begins there and must
/// never return.
void* new_context(void* top, void (*entry)());

}  // namespace assay::metal::emulator
