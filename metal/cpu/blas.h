// Matrix products by OpenBLAS, in float and double. Linear cross-entropy has its own (cce/gemm.h).
#pragma once

#include <cstdint>

namespace assay::metal::cpu {

/// While a SerialBlas exists, OpenBLAS computes in the calling thread alone. When the last one ends, OpenBLAS's number
/// of threads is what it was before. The first throws std::bad_alloc if the process may not have the addresses that
/// OpenBLAS needs.
class SerialBlas {
 public:
  SerialBlas();
  ~SerialBlas();
  SerialBlas(const SerialBlas&) = delete;
  SerialBlas& operator=(const SerialBlas&) = delete;
};

/// A row-major matrix [rows, columns] whose rows begin `stride` elements apart.
template <class T>
struct DenseMatrix {
  T* data = nullptr;
  std::int64_t rows = 0, columns = 0, stride = 0;

  T* row(std::int64_t i) const { return data + i * stride; }
};

enum class Transpose { no, yes };

/// C = alpha op(A) op(B) + beta C.
template <class T>
void multiply(T alpha, Transpose of_a, const DenseMatrix<T>& a, Transpose of_b, const DenseMatrix<T>& b, T beta,
              const DenseMatrix<T>& c);

/// C += A^T A, the triangle below its diagonal.
void add_gram(const DenseMatrix<double>& A, const DenseMatrix<double>& C);

/// X = R^-1 X, R upper triangular; what is below its diagonal is not read.
template <class T>
void solve_triangular(const DenseMatrix<T>& R, const DenseMatrix<T>& X);

}  // namespace assay::metal::cpu
