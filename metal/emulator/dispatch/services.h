// The emulator's side of abi::Services: each call is passed to the runner of the OS thread that makes it.
#pragma once

#include "metal/emulator/abi/shader_abi.h"

namespace assay::metal::emulator {

class GroupRunner;

/// The Services of every shader.
const abi::Services& services();

/// The runner whose threads run on this OS thread, or null.
GroupRunner* runner_here();

/// Sets the runner of this OS thread; returns the runner before.
GroupRunner* set_runner_here(GroupRunner* next);

}  // namespace assay::metal::emulator
