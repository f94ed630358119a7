// What a kernel on an NVIDIA GPU is given at each launch: memory, and the grid of Metal's dispatch.
//
// A threadgroup is a block along x alone, whose thread n is the group's n-th thread: blocks have at most 64 threads
// along z, groups 1024. A grid that has more groups along an axis than CUDA launches at once is launched in parts.
#pragma once

#include "shader_abi.h"

namespace assay::metal::emulator::abi {

struct GpuCall {
  void* buffers[max_arguments];
  assay_u32 threadgroup[max_arguments];  ///< offsets of [[threadgroup(n)]] in the dynamic shared memory
  assay_u32 threads[3];                  ///< of the grid
  assay_u32 group[3];                    ///< threads of a group that is not at the grid's edge
  assay_u32 groups[3];                   ///< of the grid
  assay_u32 origin[3];                   ///< the first group of this launch
};

/// The value of a function constant, for the kernel assay_set_constants.
struct GpuConstant {
  assay_u8 bytes[16];
  assay_u32 is_set;
  assay_u32 unused[3];
};

}  // namespace assay::metal::emulator::abi
