"""How the kernels of metal/kernels that write a buffer once more are functions of arrays (_metal_kernel_plan.py).

  added         dispatches that write disjoint parts, or add to what is there: their results, from 0 on, are added
  written anew  nothing that lay in the buffer is needed
  copied        a group of threads, before it begins, copies its part, which no other group reads or writes
"""

from __future__ import annotations

ADDED = ("cce_loss", "cce_dhidden", "cce_dweight", "cce_dbias", "cce_clear_dhidden")

# Buffers that a kernel writes before it reads them, whatever lay in them, by the names of its arguments.
WRITTEN_ANEW = {
    "cce_logits": ("scores",),
    "svd_sweeps": ("projections",),
    "svd_finish": ("all_norms", "all_orders", "all_projections"),
}

_COPY_MATRIX = """for (ulong i = thread_index; i < ulong(shape.padded) * shape.rows; i += thread_count)
  work[ulong(b) * shape.padded * shape.rows + i] = before_work[ulong(b) * shape.padded * shape.rows + i];
for (ulong i = thread_index; i < ulong(shape.padded) * shape.columns; i += thread_count)
  rotations[ulong(b) * shape.padded * shape.columns + i] = before_rotations[ulong(b) * shape.padded * shape.columns + i];
"""

# Buffers whose former contents, before_NAME, are copied, and how.
COPIED = {
    "ctc_gradient": (
        ("gradients",),
        """{ const ulong frame = ulong(group.y) * simdgroup_count + simdgroup;
           if (frame < ulong(shape.T)) {
             const ulong first = frame_begin(shape, uint(frame), shape.first_row + group.x);
             for (ulong k = lane; k < ulong(shape.C); k += lane_count) gradients[first + k] = before_gradients[first + k];
           }
           simdgroup_barrier(mem_flags::mem_device); }""",
    ),
    "cce_differentiate": (
        ("scores",),
        """for (uint n = 0; n < 4; ++n) {
             const uint v = (group.x * 4 + n) * product_threads + thread_index;
             const ulong at = ulong(score_row(scores, group.y, shape) - scores) + v;
             if (v < shape.entries) scores[at] = before_scores[at];
           }""",
    ),
    "svd_sweeps": (
        ("work", "rotations", "status"),
        _COPY_MATRIX + "if (thread_index == 0) status[b] = before_status[b];\nthreadgroup_barrier(mem_flags::mem_device);",
    ),
    "svd_finish": (("work", "rotations"), _COPY_MATRIX + "threadgroup_barrier(mem_flags::mem_device);"),
}
