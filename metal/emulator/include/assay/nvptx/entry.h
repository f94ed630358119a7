// How a kernel on an NVIDIA GPU finds its arguments, its position in the grid and its memory of the group.
#pragma once

#include <assay/site.h>

extern "C" __attribute__((address_space(3), aligned(16))) char assay_dynamic_memory[];

namespace assay_shader_side {

inline constexpr unsigned is_checked = 0;

struct Block {
  unsigned extent[3], count;
};

/// The extent of this block's group, which is smaller at the grid's edge.
ASSAY_OWN Block block_at(const abi::GpuCall& call, const unsigned (&group)[3]) {
  Block block{};
  for (int k = 0; k < 3; ++k) {
    const unsigned rest = call.threads[k] - group[k] * call.group[k];
    block.extent[k] = rest < call.group[k] ? rest : call.group[k];
  }
  block.count = block.extent[0] * block.extent[1] * block.extent[2];
  return block;
}

ASSAY_OWN unsigned divided_up(unsigned count, unsigned part) {
  return (count + part - 1) / part;
}

/// The position of thread `index` of the group.
ASSAY_OWN abi::Position position_of(const abi::GpuCall& call, const unsigned (&group)[3], const Block& block,
                                    unsigned index) {
  abi::Position position{};
  const bool is_line = block.extent[1] == 1 && block.extent[2] == 1;
  const unsigned row = is_line ? 0 : index / block.extent[0];
  const unsigned inside[3] = {index - row * block.extent[0], is_line ? 0 : row % block.extent[1],
                              is_line ? 0 : row / block.extent[1]};
  for (int k = 0; k < 3; ++k) {
    position.thread_position_in_threadgroup[k] = inside[k];
    position.threadgroup_position_in_grid[k] = group[k];
    position.thread_position_in_grid[k] = group[k] * call.group[k] + inside[k];
    position.threads_per_grid[k] = call.threads[k];
    position.threadgroups_per_grid[k] = call.groups[k];
    position.threads_per_threadgroup[k] = block.extent[k];
    position.dispatch_threads_per_threadgroup[k] = call.group[k];
  }
  position.thread_index_in_threadgroup = index;
  position.thread_index_in_simdgroup = index % 32;
  position.simdgroup_index_in_threadgroup = index / 32;
  position.simdgroups_per_threadgroup = divided_up(block.count, 32);
  position.dispatch_simdgroups_per_threadgroup = divided_up(call.group[0] * call.group[1] * call.group[2], 32);
  position.threads_per_simdgroup = 32;
  position.thread_index_in_quadgroup = index % 4;
  position.quadgroup_index_in_threadgroup = index / 4;
  position.quadgroups_per_threadgroup = divided_up(block.count, 4);
  return position;
}

/// Calls the kernel `entry` for this thread. Threads beyond the grid's edge end here.
template <void (*entry)(const abi::Invocation*)>
__attribute__((always_inline)) inline void run(const abi::GpuCall& call) {
  const unsigned group[3] = {call.origin[0] + __nvvm_read_ptx_sreg_ctaid_x(),
                             call.origin[1] + __nvvm_read_ptx_sreg_ctaid_y(),
                             call.origin[2] + __nvvm_read_ptx_sreg_ctaid_z()};
  const Block block = block_at(call, group);
  const unsigned index = __nvvm_read_ptx_sreg_tid_x();
  if (index >= block.count) return;
  const abi::Position position = position_of(call, group, block, index);
  void* threadgroup[abi::max_arguments];
  for (unsigned n = 0; n < abi::max_arguments; ++n) threadgroup[n] = (char*)assay_dynamic_memory + call.threadgroup[n];
  const abi::Invocation invocation{call.buffers, threadgroup, nullptr, nullptr, &position};
  entry(&invocation);
}

/// Sets a function constant to the value that the host has given.
template <class T>
ASSAY_OWN void set_constant(T& storage, bool& is_set, const abi::GpuConstant& value) {
  is_set = value.is_set != 0;
  if (is_set) __builtin_memcpy(&storage, value.bytes, sizeof(T));
}

}  // namespace assay_shader_side
