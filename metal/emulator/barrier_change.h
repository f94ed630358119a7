// A change to a barrier of a shader: barrier_sweep.h makes them.
#pragma once

#include <cstdint>
#include <string>

namespace assay::metal::emulator {

struct BarrierChange {
  std::string file;                    ///< as the source's line markers name it; empty: any
  std::uint32_t line = 0, column = 0;  ///< where the call begins; 0: nothing is changed
  bool is_deleted = false;
  std::uint32_t memory_flags = 0;  ///< abi::MemoryFlags that it orders instead, if it is not deleted
};

}  // namespace assay::metal::emulator
