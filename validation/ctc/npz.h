// A CTC batch as an .npz file, under NumPy's names and layouts:
//
//   logits | log_probs   float16, float32, float64   [T, B, C], or [T, C] for one row
//   targets              any integer type            [B, S] padded, or [sum of target_lengths] concatenated;
//                                                    [S] for one row whose activations are [T, C]
//   input_lengths        any integer type            [B], or a scalar for one row
//   target_lengths       any integer type            [B], or a scalar for one row
//
// and, where the default will not do,
//
//   blank                any integer type            scalar; 0
//   reduction            text                        'none', 'sum' or 'mean'; 'none'
//   upstream             float16, float32, float64   [B] for 'none', else a scalar; ones
//   zero_infinity        bool                        scalar; False
//   variable             text                        'logits' or 'log_probs'; 'logits'
//
// in C or Fortran order and either byte order. np.savez(path, logits=..., targets=..., ...) writes such a file.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "validation/ctc/case.h"

namespace assay::validation {

/// Reads a batch whose shapes agree; what the numbers mean is not judged here, so that `diagnose` can. `notes` gains a
/// sentence for each thing that was changed or left aside: float64 rounded to float32, arrays of other names.
/// Throws std::runtime_error naming the file, the array, what was found and what was expected.
CtcCase read_ctc_npz(const std::filesystem::path& path, std::vector<std::string>& notes);
CtcCase read_ctc_npz(const std::filesystem::path& path);

/// Writes a batch that reads back equal, bit for bit (S of concatenated targets, which nothing reads, as the longest).
/// Throws std::invalid_argument where the sizes of its parts disagree, std::runtime_error where writing fails.
void write_npz(const std::filesystem::path& path, const CtcCase& c);

}  // namespace assay::validation
