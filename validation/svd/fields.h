// The table of the fields of the singular value decomposition: a problem, its results, and what a kernel may decline.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "metal/cpu/svd/any.h"
#include "validation/core/npz_archive.h"
#include "validation/core/roundoff_count.h"
#include "validation/core/run.h"
#include "validation/plugin/assay_plugin.h"
#include "validation/svd/case.h"
#include "validation/svd/kernel.h"

namespace assay::validation {

/// Results as float64, which holds all other types exactly.
struct SvdRun : BasicRun {
  std::int64_t M = 0, N = 0;
  std::int64_t K = 0;      ///< triplets of each matrix
  std::vector<double> U;   ///< [B, M, K]
  std::vector<double> S;   ///< [B, K]
  std::vector<double> Vh;  ///< [B, K, N]

  double u(std::int64_t b, std::int64_t i, std::int64_t k) const { return U[index((b * M + i) * K + k)]; }
  double s(std::int64_t b, std::int64_t k) const { return S[index(b * K + k)]; }
  double vh(std::int64_t b, std::int64_t k, std::int64_t j) const { return Vh[index((b * K + k) * N + j)]; }

  void describe(const SvdCase& c, const SvdRequest& request) {
    M = c.M;
    N = c.N;
    K = c.K();
    request.replaces("K", K);
  }

 private:
  static std::size_t index(std::int64_t at) { return static_cast<std::size_t>(at); }
};

struct SvdFields : FieldTypes<SvdCase, SvdKernel, SvdRun> {
  static constexpr const char* name = "svd";

  using Image = double;
  using Input = metal::AnySvdInput;
  using PluginKernel = assay_svd_kernel;

  static const auto& problem();
  static const auto& results();
  static const auto& declarations();
  static constexpr const char* wanted = "vectors";  ///< the common name of the results other than the values

  /// Runs the whole decomposition, or the rSVD, as the request asks.
  static void call(const Kernel& kernel, const Problem& problem, const Output& out, const Request& request) {
    if (request.randomized) return kernel.randomized(problem, *request.randomized, out);
    kernel.run(problem, out, request);
  }

  /// Throws std::invalid_argument for a problem or output that this project's own host code refuses.
  static void validate(const Problem& problem, const Output& out);

  /// Makes one matrix [M, N] a batch of one.
  static void prepare_npz(NpzContents& contents, Case& c);

  static ValueShrinks<double> shrinks();
};

// clang-format off: a row is easier to read in few lines.
inline const auto& SvdFields::problem() {
  using T = SvdFields;
  static const std::tuple table{
      Extent<T>{"B", &Case::B, &Statement::B, &PluginKernel::largest_B},
      Extent<T>{"M", &Case::M, &Statement::M, &PluginKernel::largest_M},
      Extent<T>{"N", &Case::N, &Statement::N, &PluginKernel::largest_N},
      DerivedExtent<T>{"K", [](const Statement& s) { return s.K(); }},
      DtypeField<T>{"dtype", &Case::dtype, {Dtype::float32, Dtype::float16, Dtype::bfloat16, Dtype::float64}},
      DtypeArray<T>{.name = "A", .in_case = &Case::A, .in_problem = &Problem::A, .shape = {"B,M,N"},
                    .shrinks = shrinks(), .npz_or = " or [M, N]"},
      Further<T>{{"wide", "wide matrices", ASSAY_SVD_NO_WIDE}, [](const Case& c) { return c.M < c.N; }},
      Further<T>{{"tall", "tall matrices", ASSAY_SVD_NO_TALL}, [](const Case& c) { return c.M > c.N; }},
      Further<T>{{"empty", "no matrices, or matrices of nothing", ASSAY_SVD_NO_EMPTY},
                 [](const Case& c) { return c.B <= 0 || c.K() <= 0; }},
      Further<T>{{"checks_arguments", "", ASSAY_SVD_NO_CHECKS}},
      Further<T>{{"same_bits", "", ASSAY_SVD_NO_SAME_BITS}}};
  return table;
}

inline const auto& SvdFields::declarations() {
  using T = SvdFields;
  static const std::tuple table{
      Declaration<T, double, double>{"unit_roundoff", &Info::unit_roundoff, &PluginKernel::unit_roundoff, 0x1p-8,
                                     "0 for float32's, or a roundoff, at most 2^-8, that of bfloat16"},
      RoundoffCount<T, int, std::int64_t>{
          {"sweeps", &Info::sweeps, &PluginKernel::sweeps, 1000, "0 for 10, or up to 1000"}},
      Declaration<T, bool, double>{"graded", &Info::graded, &PluginKernel::graded_range, 1,
                                   "0, or a share of the largest singular value"},
      Declaration<T, double, double>{"graded_range", &Info::graded_range, &PluginKernel::graded_range, 1,
                                     "0, or a share of the largest singular value"},
      Declaration<T, bool, std::uint32_t>{"canonical_signs", &Info::canonical_signs, &PluginKernel::canonical_signs, 1,
                                          "0 or 1"},
      Declaration<T, bool, std::uint32_t>{"exact_scaling", &Info::exact_scaling, &PluginKernel::exact_scaling, 1,
                                          "0 or 1"},
      Declaration<T, bool, std::uint32_t>{"same_values", &Info::same_values, &PluginKernel::same_values, 1, "0 or 1"},
      Declaration<T, bool, std::uint32_t>{"batch_invariant", &Info::batch_invariant, &PluginKernel::batch_invariant, 1,
                                          "0 or 1"}};
  return table;
}

inline const auto& SvdFields::results() {
  using T = SvdFields;
  using Vectors = Result<T, metal::AnySvdOutputArray>;
  static const std::tuple table{
      Vectors{.name = "U", .in_run = &Run::U, .in_output = &Output::U, .shape = {"B,M,K"},
              .indices = "bik", .wanted_with = "vectors"},
      Result<T, metal::AnyOutputOf<float, double>>{
          .name = "S", .in_run = &Run::S, .in_output = &Output::S, .shape = {"B,K"},
          .indices = "bk", .metal_type = "float"},
      Vectors{.name = "Vh", .in_run = &Run::Vh, .in_output = &Output::Vh, .shape = {"B,K,N"},
              .indices = "bkj", .wanted_with = "vectors"}};
  return table;
}

// clang-format on

}  // namespace assay::validation
