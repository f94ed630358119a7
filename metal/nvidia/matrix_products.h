// Products of 8 x 8 matrices of 16-bit elements on tensor cores.
//
// metal/emulator/include/assay/nvptx/matrix.h writes each as an instruction that PTX does not have,
//
//   assay.product.bf16 {d, d'}, {a}, {b}, {c, c'};         d = a b + c
//
// and tensor cores multiply 16 rows and 8 or 16 k at once (mma.m16n8k8 and m16n8k16, PTX ISA section 9.7.14). So two
// products that follow each other in a sum become one of 16 k, and two with the same right factors one of 16 rows,
// where nothing between them in a basic block reads or changes their registers.
#pragma once

#include <string>

namespace assay::metal::nvidia {

/// The PTX with the tensor cores' instructions in place of those products.
std::string with_matrix_products(const std::string& ptx);

}  // namespace assay::metal::nvidia
