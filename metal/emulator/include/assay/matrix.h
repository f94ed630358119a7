// matrix<T, C, R> of C columns and R rows: Metal Shading Language Specification, sections 2.3 and 6.8 (float4x3 has 4
// columns of 3).
#pragma once

#include <assay/math.h>

namespace metal {

namespace assay_detail {
/// What nothing converts to.
template <int count>
struct NoColumn {
  NoColumn() = delete;
  operator vec<float, 2>() const;
};
}  // namespace assay_detail

template <class T, int C, int R>
struct matrix {
  vec<T, R> columns[C];
  /// A column, for a constructor of `count` columns. Not deduced, so that it may be a list: float2x2({1, 0}, {0, 1}).
  template <int count>
  using Column = conditional_t<count == C, vec<T, R>, assay_detail::NoColumn<count>>;

  matrix() = default;
  /// A diagonal matrix.
  ASSAY_OWN explicit constexpr matrix(T diagonal) : columns{} {
    for (int c = 0; c < C; ++c) columns[c] = vec<T, R>(T(0));
    for (int c = 0; c < C && c < R; ++c) columns[c].at(c) = diagonal;
  }
  ASSAY_OWN constexpr matrix(Column<2> a, Column<2> b) : columns{a, b} {}
  ASSAY_OWN constexpr matrix(Column<3> a, Column<3> b, Column<3> c) : columns{a, b, c} {}
  ASSAY_OWN constexpr matrix(Column<4> a, Column<4> b, Column<4> c, Column<4> d) : columns{a, b, c, d} {}
  template <class... Elements, enable_if_t<sizeof...(Elements) == C * R && (is_arithmetic_v<Elements> && ...), int> = 0>
  ASSAY_OWN constexpr matrix(Elements... given) : columns{} {
    const T all[C * R] = {T(given)...};
    for (int n = 0; n < C * R; ++n) columns[n / R].at(n % R) = all[n];
  }
  template <class U>
  ASSAY_OWN explicit constexpr matrix(matrix<U, C, R> other) : columns{} {
    for (int c = 0; c < C; ++c) columns[c] = vec<T, R>(other.columns[c]);
  }

  ASSAY_IN_PLACE constexpr vec<T, R>& operator[](int c) {
    ASSAY_EXPECT_INDEX(C, c, "columns of a matrix");
    return columns[c];
  }
  ASSAY_IN_PLACE constexpr const vec<T, R>& operator[](int c) const {
    ASSAY_EXPECT_INDEX(C, c, "columns of a matrix");
    return columns[c];
  }

  ASSAY_OWN friend matrix operator+(matrix a, matrix b) {
    for (int c = 0; c < C; ++c) a.columns[c] += b.columns[c];
    return a;
  }
  ASSAY_OWN friend matrix operator-(matrix a, matrix b) {
    for (int c = 0; c < C; ++c) a.columns[c] -= b.columns[c];
    return a;
  }
  ASSAY_OWN friend matrix operator-(matrix a) {
    for (int c = 0; c < C; ++c) a.columns[c] = -a.columns[c];
    return a;
  }
  ASSAY_OWN friend matrix operator*(matrix a, T s) {
    for (int c = 0; c < C; ++c) a.columns[c] *= s;
    return a;
  }
  ASSAY_OWN friend matrix operator*(T s, matrix a) { return a * s; }
  ASSAY_OWN friend vec<T, R> operator*(matrix a, vec<T, C> v) {
    vec<T, R> sum = a.columns[0] * v.at(0);
    for (int c = 1; c < C; ++c) sum += a.columns[c] * v.at(c);
    return sum;
  }
  ASSAY_OWN friend vec<T, C> operator*(vec<T, R> v, matrix a) {
    vec<T, C> result(T(0));
    for (int c = 0; c < C; ++c) result.at(c) = dot(v, a.columns[c]);
    return result;
  }
  ASSAY_OWN friend bool operator==(matrix a, matrix b) {
    for (int c = 0; c < C; ++c)
      if (!all(a.columns[c] == b.columns[c])) return false;
    return true;
  }
  ASSAY_OWN friend bool operator!=(matrix a, matrix b) { return !(a == b); }
  template <class S>
  ASSAY_IN_PLACE matrix& operator*=(S other) {
    return *this = *this * other;
  }
  ASSAY_IN_PLACE matrix& operator+=(matrix other) { return *this = *this + other; }
  ASSAY_IN_PLACE matrix& operator-=(matrix other) { return *this = *this - other; }
};

template <class T, int C, int K, int R>
ASSAY_OWN matrix<T, C, R> operator*(matrix<T, K, R> a, matrix<T, C, K> b) {
  matrix<T, C, R> product;
  for (int c = 0; c < C; ++c) product.columns[c] = a * b.columns[c];
  return product;
}

template <class T, int C, int R>
ASSAY_OWN matrix<T, R, C> transpose(matrix<T, C, R> a) {
  matrix<T, R, C> result;
  for (int c = 0; c < C; ++c)
    for (int r = 0; r < R; ++r) result.columns[r].at(c) = a.columns[c].at(r);
  return result;
}

/// Laplace expansion along the first row.
template <class T, int N>
ASSAY_OWN T determinant(matrix<T, N, N> a) {
  if constexpr (N == 2) {
    return a[0].x * a[1].y - a[1].x * a[0].y;
  } else {
    T sum = 0;
    for (int c = 0; c < N; ++c) {
      matrix<T, N - 1, N - 1> minor;
      for (int m = 0; m < N - 1; ++m)
        for (int r = 0; r < N - 1; ++r) minor.columns[m].at(r) = a.columns[m < c ? m : m + 1].at(r + 1);
      sum += (c % 2 == 0 ? T(1) : T(-1)) * a.columns[c].at(0) * determinant(minor);
    }
    return sum;
  }
}

#define ASSAY_MATRIX_NAMES(T)     \
  using T##2x2 = matrix<T, 2, 2>; \
  using T##2x3 = matrix<T, 2, 3>; \
  using T##2x4 = matrix<T, 2, 4>; \
  using T##3x2 = matrix<T, 3, 2>; \
  using T##3x3 = matrix<T, 3, 3>; \
  using T##3x4 = matrix<T, 3, 4>; \
  using T##4x2 = matrix<T, 4, 2>; \
  using T##4x3 = matrix<T, 4, 3>; \
  using T##4x4 = matrix<T, 4, 4>;
ASSAY_MATRIX_NAMES(float)
ASSAY_MATRIX_NAMES(half)
#undef ASSAY_MATRIX_NAMES

}  // namespace metal
