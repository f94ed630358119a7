#include "metal/cpu/svd/merge.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "metal/cpu/svd/pieces.h"

namespace assay::metal::cpu {

namespace {

/// Which columns a row of Ut and Vt has elements in: those of the upper part, all, or those of the lower part.
enum class Reach { upper, both, lower };

/// What counts as 0 in a matrix whose largest element is between 1 and 2: 8 units of roundoff, as in xLASD2.
template <class T>
constexpr T negligible = 4 * std::numeric_limits<T>::epsilon();

template <class T>
class Merge {
 public:
  Merge(const SvdKernels<T>& kernels, const BidiagonalPart& whole, const RowBetween<T>& between, T* values,
        const DivideMemory<T>& memory, std::size_t threads)
      : kernels_(kernels),
        whole_(whole),
        memory_(memory),
        threads_(threads),
        first_(whole.first),
        end_(whole.first + whole.rows),
        middle_(whole.first + whole.upper()),
        values_(values),
        z_(size(whole.rows)),
        reach_(size(whole.rows)) {
    find_z(between);
  }

  bool run() {
    deflate();
    group();
    if (!solve()) return false;
    write_vectors(memory_.Ut, whole_.rows, SecularSide::left);
    write_vectors(memory_.Vt, whole_.rows + whole_.extra, SecularSide::right);
    write_values();
    return true;
  }

 private:
  static std::size_t size(std::int64_t x) { return static_cast<std::size_t>(x); }

  T& z(std::int64_t row) { return z_[size(row - first_)]; }
  Reach& reach(std::int64_t row) { return reach_[size(row - first_)]; }

  /// The row between, multiplied by the right vectors of the parts: element p belongs to row p of Vt. The vectors that
  /// the parts map to 0 are rotated, so that the row between meets the first one alone.
  void find_z(const RowBetween<T>& between) {
    const DenseMatrix<T>& Vt = memory_.Vt;
    for (std::int64_t p = first_; p < middle_; ++p) {
      z(p) = between.alpha * Vt.row(p)[middle_];
      reach(p) = Reach::upper;
    }
    for (std::int64_t p = middle_ + 1; p < end_; ++p) {
      z(p) = between.beta * Vt.row(p)[middle_ + 1];
      reach(p) = Reach::lower;
    }
    const T upper = between.alpha * Vt.row(middle_)[middle_];
    const T lower = whole_.extra == 0 ? T(0) : between.beta * Vt.row(end_)[middle_ + 1];
    const T length = std::hypot(upper, lower);
    z(middle_) = std::max(length, negligible<T>);
    reach(middle_) = Reach::both;
    if (whole_.extra == 1 && length > negligible<T>) rotate(Vt, middle_, end_, upper / length, lower / length);
    if (whole_.extra == 0 && upper < 0) z(middle_) = -z(middle_);
  }

  /// (x, y) <- (c x + s y, c y - s x) for two rows of Ut or Vt.
  void rotate(const DenseMatrix<T>& M, std::int64_t x, std::int64_t y, T c, T s) const {
    T *const of_x = M.row(x), *const of_y = M.row(y);
    for (std::int64_t j = first_; j < end_ + (&M == &memory_.Vt ? whole_.extra : 0); ++j) {
      const T before = of_x[j];
      of_x[j] = c * before + s * of_y[j];
      of_y[j] = c * of_y[j] - s * before;
    }
  }

  /// Finds the rows whose singular values stay as they are: their z is negligible, or becomes 0 by a rotation with a
  /// row whose value is about the same. `kept_` are the others, in rising order.
  void deflate() {
    std::vector<std::int64_t> rows;
    for (std::int64_t p = first_; p < end_; ++p)
      if (p != middle_) rows.push_back(p);
    std::ranges::sort(rows, {}, [&](std::int64_t p) { return values_[p]; });
    kept_ = {middle_};
    for (const std::int64_t p : rows) {
      if (!(std::abs(z(p)) > negligible<T>)) {
        deflated_.push_back(p);
      } else if (kept_.size() > 1 && values_[p] - values_[kept_.back()] <= negligible<T>) {
        deflated_.push_back(kept_.back());
        join(kept_.back(), p);
        kept_.back() = p;
      } else {
        kept_.push_back(p);
      }
    }
  }

  /// Rotates z of row `from` into that of row `to`.
  void join(std::int64_t from, std::int64_t to) {
    const T length = std::hypot(z(from), z(to)), c = z(to) / length, s = -z(from) / length;
    rotate(memory_.Ut, from, to, c, s);
    rotate(memory_.Vt, from, to, c, s);
    z(to) = length;
    if (reach(from) != reach(to)) reach(to) = Reach::both;
  }

  /// Sets the order in which rows are multiplied: first those that reach the upper part alone, last the lower part.
  void group() {
    append(Reach::upper);
    first_both_ = std::ssize(grouped_);
    append(Reach::both);
    first_lower_ = std::ssize(grouped_);
    append(Reach::lower);
  }

  void append(Reach of_group) {
    for (std::size_t i = 0; i < kept_.size(); ++i)
      if (reach(kept_[i]) == of_group) grouped_.push_back(i);
  }

  bool solve() {
    const std::size_t count = kept_.size();
    std::vector<T> d(count), z_of(count), weights(count);
    for (std::size_t i = 0; i < count; ++i) {
      d[i] = i == 0 ? T(0) : std::max(values_[kept_[i]], negligible<T> / 2);
      z_of[i] = z(kept_[i]);
    }
    poles_.resize(count);
    offsets_.resize(count);
    const SvdSecular<T> equation = {static_cast<std::int64_t>(count), d.data(), z_of.data(), threads_};
    const SvdRoots<T> roots = {poles_.data(), offsets_.data()};
    kernels_.secular_roots(equation, roots);
    if (!std::ranges::all_of(offsets_, [](T x) { return std::isfinite(x); })) return false;
    kernels_.secular_weights(equation, roots, weights.data());
    for (const std::size_t i : grouped_) {
      grouped_d_.push_back(d[i]);
      grouped_z_.push_back(weights[i]);
    }
    return true;
  }

  void write_vectors(const DenseMatrix<T>& M, std::int64_t columns, SecularSide side) const {
    const std::int64_t count = std::ssize(kept_), pieces = svd_pieces(count);
    for (std::int64_t i = 0; i < count; ++i) copy_row(M, kept_[grouped_[size(i)]], memory_.before, first_ + i, columns);
    for (std::int64_t i = count; i < whole_.rows; ++i)
      copy_row(M, deflated_[size(i - count)], memory_.before, first_ + i, columns);
    const SvdSecular<T> equation = {count, grouped_d_.data(), grouped_z_.data()};
    for_ranges(threads_, count, (count + pieces - 1) / pieces, [&](std::size_t, std::int64_t first, std::int64_t rows) {
      for (std::int64_t i = first; i < first + rows; ++i)
        kernels_.secular_vector(equation, poles_[size(i)], offsets_[size(i)], side,
                                memory_.vectors.row(first_ + i) + first_);
      multiply_rows(M, first, rows, {0, first_lower_}, {0, whole_.upper() + 1});
      multiply_rows(M, first, rows, {first_both_, count}, {whole_.upper() + 1, columns});
    });
    for (std::int64_t i = count; i < whole_.rows; ++i) copy_row(memory_.before, first_ + i, M, first_ + i, columns);
  }

  void copy_row(const DenseMatrix<T>& from, std::int64_t row, const DenseMatrix<T>& to, std::int64_t to_row,
                std::int64_t columns) const {
    std::copy_n(from.row(row) + first_, columns, to.row(to_row) + first_);
  }

  struct Range {
    std::int64_t first, end;
  };

  /// These columns of rows first .. first + rows - 1 of M: the vectors times these rows of those before.
  void multiply_rows(const DenseMatrix<T>& M, std::int64_t first, std::int64_t rows, Range of, Range columns) const {
    const auto block = [&](const DenseMatrix<T>& whole, Range row, Range column) {
      return DenseMatrix<T>{whole.row(first_ + row.first) + first_ + column.first, row.end - row.first,
                            column.end - column.first, whole.stride};
    };
    const Range to = {first, first + rows};
    multiply(T(1), Transpose::no, block(memory_.vectors, to, of), Transpose::no, block(memory_.before, of, columns),
             T(0), block(M, to, columns));
  }

  void write_values() {
    std::vector<T> all;
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      const T pole = poles_[i], offset = offsets_[i];
      all.push_back(pole + offset / (pole + std::sqrt(pole * pole + offset)));
    }
    for (const std::int64_t p : deflated_) all.push_back(values_[p]);
    std::ranges::copy(all, values_ + first_);
  }

  const SvdKernels<T>& kernels_;
  const BidiagonalPart& whole_;
  const DivideMemory<T>& memory_;
  std::size_t threads_;
  std::int64_t first_, end_, middle_;
  T* values_;
  std::vector<T> z_, poles_, offsets_, grouped_d_, grouped_z_;
  std::vector<Reach> reach_;
  std::vector<std::int64_t> kept_, deflated_;
  std::vector<std::size_t> grouped_;
  std::int64_t first_both_ = 0, first_lower_ = 0;  ///< in `grouped_`
};

}  // namespace

template <class T>
bool merge_parts(const SvdKernels<T>& kernels, const BidiagonalPart& whole, const RowBetween<T>& between, T* values,
                 const DivideMemory<T>& memory, std::size_t threads) {
  return Merge<T>(kernels, whole, between, values, memory, threads).run();
}

template bool merge_parts(const SvdKernels<float>&, const BidiagonalPart&, const RowBetween<float>&, float*,
                          const DivideMemory<float>&, std::size_t);
template bool merge_parts(const SvdKernels<double>&, const BidiagonalPart&, const RowBetween<double>&, double*,
                          const DivideMemory<double>&, std::size_t);

}  // namespace assay::metal::cpu
