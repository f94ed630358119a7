// The scratch memory of a call: how large it is and how it is divided. One function divides it; called without memory,
// the same function measures it, so that size and use cannot disagree.
//
//   shared      losses [B], labels [B], order [B], states [B]
//   per thread  exps [C], emissions [T, K], normalizers [T], the cells of alpha, beta and N [S], classes, slots,
//               skips, seen [C]
//
// Where there are more threads than rows, each thread has exps [C], and each row has the rest. Sizes are the largest
// that any row of the batch needs; the loss alone needs only two rows of alpha. The recursion in scaled doubles and the
// one in extended range never run at the same time and share memory for their cells.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "metal/cpu/ctc/states.h"
#include "reference/ctc/problem.h"
#include "reference/ctc/targets.h"

namespace assay::metal::cpu {

/// Hands out consecutive spans of a block of memory, each on its own cache line. Without memory it only counts bytes.
class Arena {
 public:
  static constexpr std::size_t alignment = 64;

  explicit Arena(std::byte* memory = nullptr) : memory_(memory) {}

  template <class Element>
  std::span<Element> take(std::size_t count) {
    const std::size_t begin = used_;
    used_ += (count * sizeof(Element) + alignment - 1) / alignment * alignment;
    return memory_ == nullptr ? std::span<Element>() : std::span(reinterpret_cast<Element*>(memory_ + begin), count);
  }

  std::size_t used() const { return used_; }

 private:
  std::byte* memory_;
  std::size_t used_ = 0;
};

/// `count` rounded up to whole groups of the eight elements that the inner loops take at a time.
constexpr std::size_t whole_lanes(std::size_t count) {
  return (count + 7) / 8 * 8;
}

/// Turns an activation into a probability: y = exp(a - shift) * 2^-k0 * scale. What stands before the scale is kept,
/// and multiplied by it where y is used.
struct Normalizer {
  float shift = 0.0F;
  bool is_usual = false;  ///< whether every y of the frame is known to be in the range of scaled doubles
  double scale = 1.0;
  double k0 = 0.0;
};

/// One row of y: K classes, then at least one 0 for the states that are not there.
constexpr std::size_t emission_stride(std::size_t K) {
  return whole_lanes(K + 1);
}

/// How many frames are converted from classes to labels and back together (metal/cpu/ctc/simd/scaled_block.h).
inline constexpr std::size_t block = 4;

/// The cells of the recursion in scaled doubles for S labels (metal/cpu/ctc/simd/scaled.h).
struct ScaledCells {
  std::span<double> alpha;         ///< [rows, stride()]
  std::span<double> of_labels;     ///< [block, width] y(t) of each label, then alpha(t) * beta(t) of each
  std::span<double> next;          ///< [stride() + 8] y(t+1) * beta(t+1)
  std::span<double> skips;         ///< [width + 8]
  std::span<double> exponents;     ///< [T + 1] row t of alpha stands for its cells times 2 to this power
  std::span<double> label_totals;  ///< [T] the sum of alpha(t) * beta(t) over labels
  std::span<double> blank_totals;  ///< [T] the same sum over blanks
  std::span<double> numerators;    ///< [block, emission_stride(K)]
  std::span<double> interleaved;   ///< [emission_stride(K), block]
  std::span<double> occurs;        ///< [emission_stride(K)] 1 for the classes of some state, else 0
  std::span<std::uint64_t> slots;  ///< [width]

  /// The cells of labels, and of blanks: S + 1, rounded up, and 8 zeros.
  static constexpr std::size_t width(std::size_t S) { return whole_lanes(S + 1) + 8; }
  /// The cells of a row: blanks, 8 zeros, labels.
  static constexpr std::size_t stride(std::size_t S) { return 2 * width(S) + 8; }
};

/// The cells of the recursion in extended range for S labels (metal/cpu/ctc/simd/extended.h).
struct ExtendedCells {
  ScaledCells scaled;           ///< of which alpha is [rows, 2, stride()]: mantissas, exponents; the rest mantissas
  std::span<double> of_labels;  ///< [block, width] the exponents
  std::span<double> next;       ///< [stride() + 8] the exponents
  std::span<double> emissions;  ///< [block, 2, emission_stride(K)] y(t): mantissas, exponents
};

/// For each buffer, the largest size that any row needs.
struct RowSizes {
  std::size_t cells = 0;  ///< bytes
  std::size_t emissions = 0;
  std::size_t frames = 0;
  std::size_t labels = 0;
  std::size_t classes = 0;
};

/// The scratch memory of one thread.
struct RowWorkspace {
  std::span<double> exps;
  std::span<double> emissions;  ///< [T, emission_stride(K)] y, but for the scales of the normalizers
  std::span<Normalizer> normalizers;
  std::span<std::byte> cells;
  States states;
};

/// The scratch memory that threads share, [B] each.
struct SharedWorkspace {
  std::span<double> losses;
  std::span<reference::Targets> labels;
  std::span<std::size_t> order;  ///< in which rows are computed
  std::span<States> states;      ///< where the steps of a row are separate stages
};

/// How many rows of alpha are kept at once.
constexpr std::size_t kept_rows(std::size_t T, bool with_gradient) {
  return with_gradient ? T + 1 : 2;
}

ScaledCells take_scaled(Arena& arena, std::size_t T, std::size_t S, std::size_t K, std::size_t rows);
ExtendedCells take_extended(Arena& arena, std::size_t T, std::size_t S, std::size_t K, std::size_t rows);

template <class Real>
RowSizes row_sizes(const reference::CtcProblem<Real>& problem, bool with_gradient);
RowWorkspace take_row(Arena& arena, const RowSizes& sizes);
/// The exponentials of one frame, for threads that share a row.
std::span<double> take_exps(Arena& arena, const RowSizes& sizes);
SharedWorkspace take_shared(Arena& arena, std::size_t B);

}  // namespace assay::metal::cpu
