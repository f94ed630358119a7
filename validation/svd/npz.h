// A batch of matrices as an .npz file:
//
//   A         float16, float32, float64   [B, M, N], or [M, N] for one matrix
//
// and, where the default will not do,
//
//   dtype     text                        'float32', 'float16', 'bfloat16', which NumPy has not, or 'float64': what the
//                                         kernel is given; that of A
//
// in C or Fortran order and either byte order. np.savez(path, A=...) writes such a file.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "validation/svd/case.h"

namespace assay::validation {

/// Reads a problem whose elements are numbers of its dtype. `notes` gains a sentence for each array left aside.
/// Throws std::runtime_error naming the file, the array, what was found and what was expected.
SvdCase read_svd_npz(const std::filesystem::path& path, std::vector<std::string>& notes);

/// Writes a problem that reads back equal, bit for bit. Throws std::invalid_argument where the sizes of its parts
/// disagree, std::runtime_error where writing fails.
void write_npz(const std::filesystem::path& path, const SvdCase& c);

}  // namespace assay::validation
