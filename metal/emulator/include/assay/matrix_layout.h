// Which lane of a simdgroup has which two neighbouring elements of a row of an 8 x 8 matrix.
//
//              row                    column of the first
//   Apple      l / 16 * 4 + l / 2 % 4   l / 8 % 2 * 4 + l % 2 * 2
//   NVIDIA     l / 4                    l % 4 * 2
//
// The second is the layout of tensor cores. A shader has it on NVIDIA GPUs if it never asks for a lane's own elements
// (thread_elements), so that it cannot tell.
#pragma once

#include <assay/compute.h>

#if ASSAY_NVPTX
namespace assay_shader_side {
/// The translator defines it behind the shader.
extern const bool sees_matrix_elements;
}  // namespace assay_shader_side
#endif

namespace metal {
namespace assay_detail {

ASSAY_OWN bool is_laid_out_as_by_apple() {
#if ASSAY_NVPTX
  return assay_shader_side::sees_matrix_elements;
#else
  return true;
#endif
}

ASSAY_OWN int matrix_row(uint lane) {
  return is_laid_out_as_by_apple() ? int(lane / 16 * 4 + lane / 2 % 4) : int(lane / 4);
}
ASSAY_OWN int matrix_column(uint lane) {
  return is_laid_out_as_by_apple() ? int(lane / 8 % 2 * 4 + lane % 2 * 2) : int(lane % 4 * 2);
}

/// The lane that holds an element; it is the lane's first if `column` is even.
ASSAY_OWN uint lane_of_element(int row, int column) {
  return is_laid_out_as_by_apple() ? uint(row / 4 * 16 + column / 4 * 8 + row % 4 * 2 + column / 2 % 2)
                                   : uint(row * 4 + column / 2);
}

}  // namespace assay_detail
}  // namespace metal
