#include "validation/svd/run.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <utility>

#include "metal/cpu/half.h"

namespace assay::validation {
namespace {

using metal::BFloat16;
using metal::Half;
using reference::SingularValue;

/// Elements due for extents that may be nonsense; then as good as none.
std::size_t size_of(std::int64_t due, int extra) {
  constexpr std::int64_t most = std::int64_t{1} << 30;
  return static_cast<std::size_t>(std::clamp<std::int64_t>(due + extra, 0, most));
}

/// a b c, or 0 where that is no size.
std::int64_t extent(std::int64_t a, std::int64_t b, std::int64_t c) {
  std::int64_t ab = 0, abc = 0;
  if (a < 0 || b < 0 || c < 0 || __builtin_mul_overflow(a, b, &ab) || __builtin_mul_overflow(ab, c, &abc)) return 0;
  return abc > (std::int64_t{1} << 30) ? 0 : abc;
}

template <class Real>
std::vector<Real> narrowed(const std::vector<double>& values) {
  std::vector<Real> converted;
  for (const double value : values) converted.push_back(static_cast<Real>(value));
  return converted;
}

template <class Real>
std::vector<double> widened(std::span<const Real> values) {
  std::vector<double> wide;
  for (const Real& value : values) wide.push_back(static_cast<double>(value));
  return wide;
}

/// Beside the right types, the wrong ones: what a caller may hand over by mistake.
template <class Real>
using OtherReal = std::conditional_t<std::is_same_v<Real, Half>, BFloat16, Half>;
template <class Value>
using OtherValue = std::conditional_t<std::is_same_v<Value, float>, double, float>;

/// The outputs of a run in their types, guarded.
template <class Real>
class Outputs {
 public:
  Outputs(const SvdCase& c, std::int64_t K, const SvdRunOptions& options)
      : options_(options),
        U_("U", options.vectors ? size_of(extent(c.B, c.M, K), options.extra_U) : 0),
        S_("S", size_of(extent(c.B, K, 1), options.extra_S)),
        Vh_("Vh", options.vectors && !options.U_alone ? size_of(extent(c.B, K, c.N), options.extra_Vh) : 0),
        wrong_type_values_(options.S_of_other_type ? S_.view().size() : 0),
        wrong_type_vectors_(options.Vh_of_other_type ? Vh_.view().size() : 0) {}

  metal::AnySvdOutput views() {
    metal::AnySvdOutput out{U_.view(), S_.view(), Vh_.view()};
    if (options_.S_of_other_type) out.S = std::span(wrong_type_values_);
    if (options_.Vh_of_other_type) out.Vh = std::span(wrong_type_vectors_);
    return out;
  }

  void inspect(SvdRun& run) {
    U_.inspect(run);
    S_.inspect(run);
    Vh_.inspect(run);
    run.U = widened<Real>(U_.view());
    run.S = widened<SingularValue<Real>>(S_.view());
    run.Vh = widened<Real>(Vh_.view());
  }

 private:
  const SvdRunOptions& options_;
  GuardedOutput<Real> U_;
  GuardedOutput<SingularValue<Real>> S_;
  GuardedOutput<Real> Vh_;
  std::vector<OtherValue<SingularValue<Real>>> wrong_type_values_;
  std::vector<OtherReal<Real>> wrong_type_vectors_;
};

template <class Real>
bool same_bytes(const std::vector<Real>& a, const std::vector<Real>& b) {
  return a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(Real)) == 0;
}

template <class Real>
SvdRun run_typed(const SvdKernel& kernel, const SvdCase& c, const SvdRunOptions& options) {
  SvdRun run;
  run.M = c.M;
  run.N = c.N;
  run.K = options.randomized ? options.randomized->rank : c.K();
  const std::vector<Real> A = narrowed<Real>(c.A);
  const std::vector<Real> before = A;
  Outputs<Real> outputs(c, run.K, options);
  const metal::AnySvdProblem problem{{c.B, c.M, c.N, {}}, std::span(A)};
  try {
    if (options.randomized) {
      kernel.randomized(problem, *options.randomized, outputs.views());
    } else {
      kernel.run(problem, outputs.views(), options.request);
    }
  } catch (const std::invalid_argument& refusal) {
    run.refused = true;
    run.message = refusal.what();
  }
  outputs.inspect(run);
  if (!same_bytes(A, before)) run.trespasses.emplace_back("changed its input");
  return run;
}

}  // namespace

SvdRun run_kernel(const SvdKernel& kernel, const SvdCase& c, const SvdRunOptions& options) {
  if (c.dtype == Dtype::float16) return run_typed<Half>(kernel, c, options);
  if (c.dtype == Dtype::bfloat16) return run_typed<BFloat16>(kernel, c, options);
  if (c.dtype == Dtype::float64) return run_typed<double>(kernel, c, options);
  return run_typed<float>(kernel, c, options);
}

SvdRun run_valid(const SvdKernel& kernel, const SvdCase& c, const SvdRunOptions& options) {
  if (const std::string reason = why_not(kernel.info().support, c); !reason.empty()) throw Unsupported(reason);
  SvdRun run = run_kernel(kernel, c, options);
  if (run.refused) throw RefusedValidProblem("a valid problem was refused: " + run.message);
  return run;
}

}  // namespace assay::validation
