// A linear cross-entropy problem as an .npz file, under the names of reference/cce/problem.h:
//
//   hidden            float16, float32, float64   [N, H]
//   weight            the same                    [V, H]
//   targets           any integer type            [N]
//
// and, where the default will not do,
//
//   bias              the same as weight          [V]; none
//   dtype             text                        'float32', 'float16' or 'bfloat16', which NumPy has not: what the
//   kernel
//                                                 is given. float16 where hidden is, else float32
//   ignore_index      any integer type            scalar; -100
//   logit_softcap     any number                  scalar; 0
//   label_smoothing   any number                  scalar; 0
//   z_loss            any number                  scalar; 0
//   reduction         text                        'none', 'sum' or 'mean'; 'none'
//   upstream          float16, float32, float64   [N] for 'none', else a scalar; ones
//
// in C or Fortran order and either byte order. np.savez(path, hidden=..., weight=..., targets=...) writes such a file.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "validation/cce/case.h"

namespace assay::validation {

/// Reads a problem whose shapes agree and whose elements are numbers of its dtype. `notes` gains a sentence for each
/// thing that was changed or left aside: float64 rounded to float32, arrays of other names.
/// Throws std::runtime_error naming the file, the array, what was found and what was expected.
CceCase read_cce_npz(const std::filesystem::path& path, std::vector<std::string>& notes);

/// Writes a problem that reads back equal, bit for bit. Throws std::invalid_argument where the sizes of its parts
/// disagree, std::runtime_error where writing fails.
void write_npz(const std::filesystem::path& path, const CceCase& c);

}  // namespace assay::validation
