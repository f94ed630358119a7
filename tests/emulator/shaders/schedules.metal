// Kernels whose result depends on the order of atomic accesses, at the lines that end in "// here", and their twins, which
// give the same bits in any order. 256 threads in groups of 64; x [256] holds random floats, y [256] and n [8] zeros.
#include <metal_stdlib>
using namespace metal;

#define BUFFERS                                                                                           \
  device const float *x [[buffer(0)]], device float *y [[buffer(1)]], device atomic_uint *n [[buffer(2)]], \
      uint i [[thread_position_in_grid]], uint t [[thread_position_in_threadgroup]],                      \
      uint g [[threadgroup_position_in_grid]]
#define RELAXED memory_order_relaxed

// A sum of floats by atomics, over the grid.
kernel void float_sum(BUFFERS) {
  device atomic_float* sum = (device atomic_float*)y;
  atomic_fetch_add_explicit(sum, x[i], RELAXED);  // here
}

// The same in threadgroup memory.
kernel void float_sum_of_a_group(BUFFERS) {
  threadgroup atomic_float sum;
  if (t == 0) atomic_store_explicit(&sum, 0.0f, RELAXED);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  atomic_fetch_add_explicit(&sum, x[i], RELAXED);  // here
  threadgroup_barrier(mem_flags::mem_threadgroup);
  y[i] = atomic_load_explicit(&sum, RELAXED);
}

// A sum in a loop around compare_exchange.
kernel void float_sum_by_exchange(BUFFERS) {
  float old = as_type<float>(atomic_load_explicit(n, RELAXED));  // here
  uint expected = as_type<uint>(old);
  while (!atomic_compare_exchange_weak_explicit(n, &expected, as_type<uint>(as_type<float>(expected) + x[i]),  // here
                                                RELAXED, RELAXED)) {
  }
}

// Compaction: who comes first takes the first place. The sum of all, which is whole numbers, is innocent.
kernel void slots(BUFFERS) {
  atomic_fetch_add_explicit(n + 1, i, RELAXED);
  if (x[i] < 0) return;
  uint slot = atomic_fetch_add_explicit(n, 1u, RELAXED);  // here
  y[slot] = x[i];
}

// The same in threadgroup memory, and the slots are read by others.
kernel void slots_of_a_group(BUFFERS) {
  threadgroup atomic_uint count;
  threadgroup float kept[64];
  if (t == 0) atomic_store_explicit(&count, 0u, RELAXED);
  kept[t] = 0;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (x[i] > 0) {
    uint slot = atomic_fetch_add_explicit(&count, 1u, RELAXED);  // here
    kept[slot] = x[i];
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  y[i] = kept[t] * 2;
}

// The group that is done last adds what the others left to its own sum, which comes first.
kernel void last_group_adds_its_own_first(BUFFERS) {
  threadgroup float part[64];
  threadgroup uint is_last;
  part[t] = x[i];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (t != 0) return;
  float sum = 0;
  for (uint k = 0; k < 64; ++k) sum += part[k];
  y[1 + g] = sum;
  atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device);
  is_last = atomic_fetch_add_explicit(n, 1u, RELAXED);  // here
  atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device);
  if (is_last != 3) return;
  for (uint k = 0; k < 4; ++k)
    if (k != g) sum += y[1 + k];
  y[0] = sum;
}

// The same in the order of the groups.
kernel void last_group_adds_in_order(BUFFERS) {
  threadgroup float part[64];
  part[t] = x[i];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (t != 0) return;
  float sum = 0;
  for (uint k = 0; k < 64; ++k) sum += part[k];
  y[1 + g] = sum;
  atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device);
  uint is_last = atomic_fetch_add_explicit(n, 1u, RELAXED);
  atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device);
  if (is_last != 3) return;
  sum = 0;
  for (uint k = 0; k < 4; ++k) sum += y[1 + k];
  y[0] = sum;
}

// Partial sums in the order in which the groups are done.
kernel void sums_in_order_of_arrival(BUFFERS) {
  if (t != 0) return;
  float sum = 0;
  for (uint k = 0; k < 64; ++k) sum += x[i + k];
  atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device);
  uint place = atomic_fetch_add_explicit(n, 1u, RELAXED);  // here
  y[place] = sum;
}

// The first one decides.
kernel void election(BUFFERS) {
  if (atomic_exchange_explicit(n, 1u, RELAXED) == 0) y[0] = x[i];  // here
}

// The last one decides.
kernel void last_store(BUFFERS) {
  atomic_store_explicit(n, i, RELAXED);  // here
}

// A lock around a sum of floats.
kernel void spin_lock(BUFFERS) {
  if (t != 0) return;
  uint free = 0;
  while (!atomic_compare_exchange_weak_explicit(n, &free, 1u, RELAXED, RELAXED)) free = 0;  // here
  atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device);
  y[0] = y[0] * 0.5f + x[i];
  atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device);
  atomic_store_explicit(n, 0u, RELAXED);
}

// A reader that does not wait for the writer.
kernel void flag_without_wait(BUFFERS) {
  if (i == 0) atomic_store_explicit(n, 7u, RELAXED);                   // here
  if (i == 200) y[0] = float(atomic_load_explicit(n, RELAXED)) * 0.5f;  // here
}

// A reader that waits.
kernel void flag_with_wait(BUFFERS) {
  if (i == 0) atomic_store_explicit(n, 7u, RELAXED);
  if (i != 200) return;
  uint seen;
  do seen = atomic_load_explicit(n, RELAXED);
  while (seen != 7);
  y[0] = float(seen) * 0.5f;
}

// Each group waits for the sum of the groups before it.
kernel void look_back(BUFFERS) {
  if (t != 0) return;
  float sum = 0;
  for (uint k = 0; k < 64; ++k) sum += x[i + k];
  while (atomic_load_explicit(n, RELAXED) != g) {
  }
  atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device);
  y[g] = sum + (g > 0 ? y[g - 1] : 0);
  atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device);
  atomic_store_explicit(n, g + 1, RELAXED);
}

// Whole numbers: sums, extremes and bits are the same in any order.
kernel void integers(BUFFERS) {
  uint bits = as_type<uint>(x[i]);
  atomic_fetch_add_explicit(n, bits, RELAXED);
  atomic_fetch_sub_explicit(n + 1, bits, RELAXED);
  atomic_fetch_min_explicit(n + 2, bits, RELAXED);
  atomic_fetch_max_explicit(n + 3, bits, RELAXED);
  atomic_fetch_or_explicit(n + 4, bits, RELAXED);
  atomic_fetch_and_explicit(n + 5, bits, RELAXED);
  atomic_fetch_xor_explicit(n + 6, bits, RELAXED);
}

// Floats that are whole numbers add up exactly.
kernel void exact_floats(BUFFERS) {
  atomic_fetch_add_explicit((device atomic_float*)y, float(i), RELAXED);
}

// A histogram, and its largest bin.
kernel void histogram(BUFFERS) {
  threadgroup atomic_uint bins[4];
  if (t < 4) atomic_store_explicit(bins + t, 0u, RELAXED);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  atomic_fetch_add_explicit(bins + uint(fabs(x[i]) * 64) % 4, 1u, RELAXED);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (t < 4) atomic_fetch_max_explicit(n + t, atomic_load_explicit(bins + t, RELAXED), RELAXED);
}

// Slots whose order is undone: each place holds one number, and all are added as whole numbers.
kernel void slots_that_do_not_matter(BUFFERS) {
  threadgroup atomic_uint count;
  threadgroup uint kept[64];
  if (t == 0) atomic_store_explicit(&count, 0u, RELAXED);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  uint slot = atomic_fetch_add_explicit(&count, 1u, RELAXED);
  kept[slot] = i;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (t != 0) return;
  uint sum = 0;
  for (uint k = 0; k < 64; ++k) sum += kept[k];
  y[g] = float(sum);
}
