#include "validation/cce/run.h"

#include <algorithm>
#include <bit>
#include <variant>

#include "metal/cpu/half.h"

namespace assay::validation {
namespace {

using metal::BFloat16;
using metal::Half;

/// An input in the type that the kernel is given, and what it was before the run.
class Input {
 public:
  Input(const std::vector<float>& values, Dtype dtype) {
    if (dtype == Dtype::float16) {
      fill<Half>(values);
    } else if (dtype == Dtype::bfloat16) {
      fill<BFloat16>(values);
    } else {
      now_ = values;
    }
    before_ = now_;
  }

  metal::AnyInput view() const {
    return std::visit(
        []<class Real>(const std::vector<Real>& values) -> metal::AnyInput { return std::span<const Real>(values); },
        now_);
  }

  bool changed() const {
    return std::visit(
        [this]<class Real>(const std::vector<Real>& now) {
          const auto& before = std::get<std::vector<Real>>(before_);
          return !std::equal(now.begin(), now.end(), before.begin(), [](const Real& a, const Real& b) {
            if constexpr (sizeof(Real) == 4) {
              return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
            } else {
              return a.bits == b.bits;
            }
          });
        },
        now_);
  }

 private:
  using Values = std::variant<std::vector<float>, std::vector<Half>, std::vector<BFloat16>>;

  template <class Real>
  void fill(const std::vector<float>& values) {
    std::vector<Real> converted;
    for (const float value : values) converted.emplace_back(double{value});
    now_ = std::move(converted);
  }

  Values now_;
  Values before_;
};

std::size_t size_of(std::int64_t due, int extra) {
  return static_cast<std::size_t>(std::max<std::int64_t>(0, due + extra));
}

Dtype other_than(Dtype dtype) {
  return dtype == Dtype::float16 ? Dtype::bfloat16 : Dtype::float16;
}

template <class Real>
std::vector<float> widened(std::span<const Real> values) {
  return {values.begin(), values.end()};
}

/// The outputs of a run in their types, guarded.
template <class Real>
class Outputs {
 public:
  Outputs(const CceCase& c, const CceRunOptions& options)
      : loss_("loss", size_of(c.reduction == Reduction::none ? of(c.targets) : 1, options.extra_loss)),
        dhidden_("dhidden", options.dhidden ? size_of(of(c.hidden), options.extra_dhidden) : 0),
        dweight_("dweight", options.dweight ? size_of(of(c.weight), options.extra_dweight) : 0),
        dbias_("dbias", options.dbias ? size_of(of(c.bias), options.extra_dbias) : 0) {}

  metal::AnyCceOutput views() { return {loss_.view(), dhidden_.view(), dweight_.view(), dbias_.view()}; }

  void inspect(CceRun& run) {
    loss_.inspect(run);
    dhidden_.inspect(run);
    dweight_.inspect(run);
    dbias_.inspect(run);
    run.loss = widened<float>(loss_.view());
    run.dhidden = widened<Real>(dhidden_.view());
    run.dweight = widened<Real>(dweight_.view());
    run.dbias = widened<Real>(dbias_.view());
  }

 private:
  /// What the arrays that are there ask for, whatever the extents say.
  template <class Value>
  static std::int64_t of(const std::vector<Value>& values) {
    return static_cast<std::int64_t>(values.size());
  }

  GuardedOutput<float> loss_;
  GuardedOutput<Real> dhidden_;
  GuardedOutput<Real> dweight_;
  GuardedOutput<Real> dbias_;
};

template <class Real>
CceRun run_typed(const CceKernel& kernel, const CceCase& c, const CceRunOptions& options) {
  CceRun run;
  const CceCase given = c;
  CceProblem<float> rest = given.view();
  rest.hidden = rest.weight = rest.bias = {};
  const Input hidden(c.hidden, c.dtype);
  const Input weight(c.weight, options.weight_of_other_type ? other_than(c.dtype) : c.dtype);
  const Input bias(c.bias, c.dtype);
  Outputs<Real> outputs(c, options);
  try {
    kernel.run({rest, hidden.view(), weight.view(), bias.view()}, outputs.views(), options.request);
  } catch (const std::invalid_argument& refusal) {
    run.refused = true;
    run.message = refusal.what();
  }
  outputs.inspect(run);
  if (hidden.changed() || weight.changed() || bias.changed() || !(given == c))
    run.trespasses.emplace_back("changed its input");
  return run;
}

}  // namespace

CceRun run_kernel(const CceKernel& kernel, const CceCase& c, const CceRunOptions& options) {
  if (c.dtype == Dtype::float16) return run_typed<Half>(kernel, c, options);
  if (c.dtype == Dtype::bfloat16) return run_typed<BFloat16>(kernel, c, options);
  return run_typed<float>(kernel, c, options);
}

CceRun run_valid(const CceKernel& kernel, const CceCase& c, const CceRunOptions& options) {
  if (const std::string reason = why_not(kernel.info().support, c); !reason.empty()) throw Unsupported(reason);
  CceRun run = run_kernel(kernel, c, options);
  if (run.refused) throw RefusedValidProblem("a valid problem was refused: " + run.message);
  return run;
}

}  // namespace assay::validation
