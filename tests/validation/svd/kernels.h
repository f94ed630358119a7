// What the tests of the SVD's gate share: small matrices that a hand can check, kernels that do as they are told, and
// properties by name.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/validation/operations/samples.h"
#include "validation/svd/case.h"
#include "validation/svd/faults/faults.h"
#include "validation/svd/fields.h"
#include "validation/svd/kernel.h"
#include "validation/svd/operation.h"

namespace assay::validation {

/// What a kernel does; what is not said, as the plain one.
struct StubSvd {
  std::function<void(const metal::AnySvdProblem&, const metal::AnySvdOutput&, const SvdRequest&)> run =
      [](const auto& problem, const auto& out, const auto& request) { plain_svd_kernel()->run(problem, out, request); };
  std::function<void(const metal::AnySvdProblem&, const reference::RandomizedSvd&, const metal::AnySvdOutput&)>
      randomized = [](const auto& problem, const auto& asked, const auto& out) {
        plain_svd_kernel()->randomized(problem, asked, out);
      };
  std::function<metal::SvdGradientNotes(const metal::SvdCotangent<double>&, std::span<double>)> gradient =
      [](const auto& cotangent, const auto& dA) { return plain_svd_kernel()->gradient(cotangent, dA); };
};

/// Does what it is told, and claims what the plain kernel claims unless it is told otherwise.
class StubSvdKernel final : public SvdKernel {
 public:
  explicit StubSvdKernel(StubSvd does, SvdKernelInfo claims = plain_svd_kernel()->info())
      : info_(std::move(claims)), does_(std::move(does)) {}

  const SvdKernelInfo& info() const override { return info_; }
  void run(const metal::AnySvdProblem& problem, const metal::AnySvdOutput& out,
           const SvdRequest& request) const override {
    does_.run(problem, out, request);
  }
  void randomized(const metal::AnySvdProblem& problem, const reference::RandomizedSvd& randomized,
                  const metal::AnySvdOutput& out) const override {
    does_.randomized(problem, randomized, out);
  }
  metal::SvdGradientNotes gradient(const metal::SvdCotangent<double>& cotangent, std::span<double> dA) const override {
    return does_.gradient(cotangent, dA);
  }

 private:
  SvdKernelInfo info_;
  StubSvd does_;
};

/// What the plain kernel gives, then `spoil`: a fault in the results alone.
inline StubSvdKernel spoiled_svd(const std::function<void(const metal::AnySvdOutput&)>& spoil) {
  return StubSvdKernel({.run = [spoil](const auto& problem, const auto& out, const auto& request) {
    plain_svd_kernel()->run(problem, out, request);
    spoil(out);
  }});
}

/// [[0, 2], [1, 0]]. By hand: S = 2, 1, U = I, Vh = [[0, 1], [1, 0]], exact in every type.
inline SvdCase exchange(Dtype dtype = Dtype::float32) {
  return {1, 2, 2, dtype, {0, 2, 1, 0}};
}

/// Two matrices of 3 x 2, of full rank: [[1/2, -1], [1/4, 2], [1, 0]] and [[1, 0], [0, 1], [1, 1]], of which the
/// latter has the singular values sqrt(3) and 1.
inline SvdCase two_tall(Dtype dtype = Dtype::float32) {
  return {2, 3, 2, dtype, {0.5, -1, 0.25, 2, 1, 0, 1, 0, 0, 1, 1, 1}};
}

template <>
struct Samples<SvdOperation> {
  static constexpr const char* line = "B=1 M=2 N=2 dtype=float32 A=0,2,1,0";
  static SvdCase small() { return exchange(); }
  static SvdCase smallest() { return {1, 1, 1, Dtype::float32, {0}}; }
  static bool is_smallest(const SvdCase& c) { return c == smallest(); }
  static constexpr int cases = 100;
  static constexpr int fault_cases = 100;
  static constexpr int metal_fault_cases = 40;
  static std::vector<std::string> kernels() { return {"plain"}; }
  static std::vector<std::string> names() {
    return {"cpu", "plain", "fault:three-sweeps", "metal-emulated", "metal-plain"};
  }
  /// Extents: B, M, N.
  static std::vector<SmallFault> small_faults() {
    return {{"absolute-threshold", {1, 2, 2}},
            {"tangent-as-sine", {1, 2, 2}},
            {"last-pair-never-meets", {1, 3, 3}},
            {"null-space-left-zero", {1, 1, 1}},
            {"null-space-unit-vector", {1, 2, 2}},
            {"unsorted", {1, 2, 2}},
            {"sign-on-s", {1, 1, 1}},
            {"values-sorted-alone", {1, 2, 2}},
            {"half-of-the-matrix", {1, 2, 2}},
            {"writes-past-u", {1, 1, 1}},
            {"scale-of-the-batch", {2, 2, 2}},
            {"lanes-converge-together", {2, 1, 1}},
            {"zero-matrix-refused", {1, 1, 1}},
            {"no-tall-correction", {1, 2, 1}},
            {"infinite-at-zero", {1, 1, 1}}};
  }
};

template <>
struct Commands<SvdOperation> {
  static constexpr const char* line = "B=1 M=2 N=2 dtype=float32 A=1,2,0,0.5";
  static constexpr const char *fault = "unsorted", *property = "order", *other = "cce";
  static constexpr Spoiled spoiled[] = {{"A=1,", "A=nan,", "A[b=0, i=0, j=0] = nan"},
                                        {"A=1,", "A=", "A.size() = 3"},
                                        {"A=1,", "A=0.1,", "A: 0.1 is not a number of float32"},
                                        {"M=2", "M=-2", "M = -2"},
                                        {"float32", "float8", "dtype=float8"},
                                        {"N=2", "N=2 K=2", "'K='"}};
  static constexpr const char *filter = "threshold", *killed = "loose-threshold +killed +[0-9]+  orthonormal-u",
                              *count = "3 of 3 faults killed";

  static SvdCase batch() { return SvdOperation::sized_case(2, 6, 4, 3, Dtype::float64, 1); }
  static constexpr const char *batch_fault = "loose-threshold", *batch_property = "orthonormal-u";
  static void spoil(SvdCase& c) { c.A[7] = std::numeric_limits<double>::quiet_NaN(); }
  static constexpr const char* complaint = "batch.npz: A[b=0, i=1, j=3] = nan: expected a finite number";
};

inline SvdCase generated_svd(std::uint64_t seed, const SvdProfile& profile = {}) {
  return generated<SvdOperation>(seed, profile);
}

inline const SvdProperty& svd_property_named(const std::string& name) {
  return named(SvdOperation::properties(), name);
}

inline const SvdFault& svd_fault_named(const std::string& name) {
  return named(SvdOperation::faults(), name);
}

inline PropertyReport svd_report(const SvdKernel& kernel, const std::string& property, int cases) {
  return report_on<SvdOperation>(kernel, property, cases);
}

inline const std::vector<Dtype>& all_dtypes() {
  static const std::vector<Dtype> all = {Dtype::float32, Dtype::float16, Dtype::bfloat16, Dtype::float64};
  return all;
}

}  // namespace assay::validation
