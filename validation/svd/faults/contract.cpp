// Faults of the error contract: results instead of a refusal, or a refusal instead of results.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "validation/core/contract_faults.h"
#include "validation/svd/faults/faults.h"
#include "validation/svd/faults/plain_kernel.h"

namespace assay::validation::svd {
namespace {

struct NanPassedOn final : Lenient<PlainSvdKernel> {
  static constexpr FaultNote note{"nan-passed-on", "success for a matrix with a NaN in it (lapack#1392)", "specials"};
  NanPassedOn() : Lenient("= nan") {}
  int exponent(const Work&, const Tall&) const override { return 0; }
  int max_sweeps() const override { return 1; }
  void orthogonalise(Tall& W, Columns& V) const override { sweep(W, V); }
  bool sweep(Tall&, Columns&) const override { return false; }
};

struct InfinityPassedOn final : Lenient<PlainSvdKernel> {
  static constexpr FaultNote note{"infinity-passed-on", "zeros for a matrix with an infinity in it", "specials"};
  InfinityPassedOn() : Lenient("inf: ") {}
  Factors factors_of_tall(const Work& work, Tall W) const override {
    for (Column& column : W.columns)
      for (double& element : column)
        if (std::isinf(element)) element = 0;
    return PlainSvdKernel::factors_of_tall(work, std::move(W));
  }
};

struct LongerOutputAccepted final : Lenient<PlainSvdKernel> {
  static constexpr FaultNote note{"longer-output-accepted", "an S that is too long is filled as far as it goes",
                                  "refusals"};
  LongerOutputAccepted() : Lenient("S.size()") {}
  void store(const Work& work, const std::vector<Factors>& all, const metal::AnySvdOutput& out) const override {
    const auto due = static_cast<std::size_t>(work.B * std::min(work.M, work.N));
    const std::size_t given = std::visit([](const auto& span) { return span.size(); }, out.S);
    if (given >= due) PlainSvdKernel::store(work, all, out);
  }
};

struct ZeroMatrixRefused final : PlainSvdKernel {
  static constexpr FaultNote note{"zero-matrix-refused",
                                  "a matrix that is zero, or nearly, does not converge (OpenModelica#16419)",
                                  "reconstruction"};
  void orthogonalise(Tall& W, Columns& V) const override {
    double squares = 0;
    for (const Column& column : W.columns) squares += dot(column, column);
    if (squares < 1e-30) throw metal::SvdNotConverged("columns are not orthogonal after 60 sweeps");
    PlainSvdKernel::orthogonalise(W, V);
  }
  int exponent(const Work&, const Tall&) const override { return 0; }
};

struct NothingRefused final : PlainSvdKernel {
  static constexpr FaultNote note{"nothing-refused", "an empty batch is refused", "empty"};
  void check(const metal::AnySvdProblem& problem, const metal::AnySvdOutput& out) const override {
    PlainSvdKernel::check(problem, out);
    if (problem.options.B == 0) throw std::invalid_argument("B = 0: expected at least 1");
  }
};

}  // namespace

std::vector<SvdFault> contract_faults() {
  return plant_all<SvdOperation, NanPassedOn, InfinityPassedOn, LongerOutputAccepted, AnonymousRefusal<PlainSvdKernel>,
                   ZeroMatrixRefused, NothingRefused>(plain_svd_kernel());
}

}  // namespace assay::validation::svd
