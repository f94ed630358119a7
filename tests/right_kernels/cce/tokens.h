// What the right cross-entropy kernels share: elements, logits and their derivatives, and how results are reduced.
// Real is the arithmetic inside, Sum how it adds.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "metal/cpu/half.h"
#include "validation/plugin/assay_plugin.h"

namespace right {

template <class Real>
constexpr Real infinity = std::numeric_limits<Real>::infinity();

inline float load(const void* array, std::int64_t i, std::int32_t dtype) {
  const auto bits = [&] { return static_cast<const std::uint16_t*>(array)[i]; };
  if (dtype == ASSAY_FLOAT16) return assay::metal::Half::from_bits(bits());
  if (dtype == ASSAY_BFLOAT16) return assay::metal::BFloat16::from_bits(bits());
  return static_cast<const float*>(array)[i];
}

inline void store(void* array, std::int64_t i, std::int32_t dtype, double value) {
  if (dtype == ASSAY_FLOAT16) {
    static_cast<std::uint16_t*>(array)[i] = assay::metal::Half(value).bits;
  } else if (dtype == ASSAY_BFLOAT16) {
    static_cast<std::uint16_t*>(array)[i] = assay::metal::BFloat16(value).bits;
  } else {
    static_cast<float*>(array)[i] = static_cast<float>(value);
  }
}

// One term after the other.
template <class Real>
struct InTurn {
  Real sum = 0;
  void add(Real term) { sum += term; }
  Real value() const { return sum; }
};

// In double, and rounded at the end.
template <class Real>
struct InDouble {
  double sum = 0;
  void add(Real term) { sum += double{term}; }
  Real value() const { return static_cast<Real>(sum); }
};

// Terms that are sums themselves: pairs, pairs of pairs, and so on.
template <class Real>
struct Pairwise {
  std::vector<Real> sums;  // of 1, 2, 4, ... terms; those of `count`'s bits are in use
  std::uint64_t count = 0;
  void add(Real term) {
    std::size_t level = 0;
    for (; (count >> level & 1U) != 0; ++level) term = sums[level] + term;
    if (level == sums.size()) sums.push_back(0);
    sums[level] = term;
    ++count;
  }
  Real value() const {
    Real sum = 0;
    for (std::size_t level = 0; level < sums.size(); ++level)
      if ((count >> level & 1U) != 0) sum = sums[level] + sum;
    return sum;
  }
};

// Kahan's sum in Neumaier's form, which also keeps what a large term rounds away of the sum.
template <class Real>
struct Compensated {
  Real sum = 0, lost = 0;
  void add(Real term) {
    const Real next = sum + term;
    lost += std::abs(sum) >= std::abs(term) ? (sum - next) + term : (term - next) + sum;
    sum = next;
  }
  Real value() const { return std::isfinite(sum) ? sum + lost : sum; }
};

// In another order on every call, as atomics add.
template <class Real>
struct AnyOrder {
  static inline std::atomic<std::uint64_t> made = 0;
  std::uint64_t bits = 0x9E3779B97F4A7C15U * ++made;
  Real sums[2] = {};
  void add(Real term) {
    sums[bits & 1U] += term;
    bits = std::rotr(bits, 1);
  }
  Real value() const { return sums[0] + sums[1]; }
};

// The log-sum-exp of some entries: largest + ln(sum).
template <class Real>
struct LogSum {
  Real largest = -infinity<Real>;
  Real sum = 0;

  void add(Real x) { merge({x, x == -infinity<Real> ? Real{0} : Real{1}}); }
  void merge(LogSum other) {
    if (other.largest > largest) std::swap(*this, other);
    if (other.largest != -infinity<Real>) sum += other.sum * std::exp(other.largest - largest);
  }
  Real value() const { return largest + std::log(sum); }
};

template <class Real, template <class> class Sum = InTurn>
class Tokens {
 public:
  Tokens(const assay_cce_problem& p, const assay_cce_output& out)
      : p(p),
        out(out),
        dhidden(static_cast<std::size_t>(out.dhidden_size)),
        dweight(static_cast<std::size_t>(out.dweight_size)),
        dbias(static_cast<std::size_t>(out.dbias_size)) {
    if (p.reduction == ASSAY_NONE) std::fill_n(out.loss, static_cast<std::size_t>(p.N), 0.0F);
    for (std::int64_t n = 0; n < p.N; ++n) valid += ignored(n) ? 0 : 1;
  }

  bool ignored(std::int64_t n) const { return p.targets[n] == p.ignore_index; }
  bool capped() const { return p.logit_softcap > 0 && p.logit_softcap < infinity<double>; }
  Real hidden(std::int64_t n, std::int64_t h) const { return load(p.hidden, n * p.H + h, p.dtype); }
  Real weight(std::int64_t v, std::int64_t h) const { return load(p.weight, v * p.H + h, p.dtype); }

  Real z(std::int64_t n, std::int64_t v) const {
    Sum<Real> sum;
    for (std::int64_t h = 0; h < p.H; ++h) sum.add(hidden(n, h) * weight(v, h));
    return p.bias == nullptr ? sum.value() : sum.value() + load(p.bias, v, p.dtype);
  }
  Real x(Real z) const {
    const Real cap = static_cast<Real>(p.logit_softcap);
    return capped() ? cap * std::tanh(z / cap) : z;
  }
  Real logit(std::int64_t n, std::int64_t v) const { return x(z(n, v)); }

  // Takes the loss of a token whose logits are x(v).
  template <class Logit>
  void add_loss(std::int64_t n, Real lse, const Logit& x) {
    const Real eps = static_cast<Real>(p.label_smoothing), zeta = static_cast<Real>(p.z_loss);
    Real loss = eps < 1 ? eps * lse + (1 - eps) * (lse - x(p.targets[n])) : lse;
    if (eps > 0) {
      Sum<Real> all;
      for (std::int64_t v = 0; v < p.V; ++v) all.add(x(v));
      loss -= eps / static_cast<Real>(p.V) * all.value();
    }
    loss += zeta * lse * lse;
    total.add(loss * share());
    if (p.reduction == ASSAY_NONE) out.loss[n] = static_cast<float>(loss);
  }

  // Takes the derivative with respect to logit v of token n, before the cap z.
  void add_gradient(std::int64_t n, std::int64_t v, Real z, Real lse) {
    const Real eps = static_cast<Real>(p.label_smoothing), zeta = static_cast<Real>(p.z_loss);
    const Real tanh = capped() ? std::tanh(z / static_cast<Real>(p.logit_softcap)) : 0;
    Real dx = std::exp(x(z) - lse) * (1 + 2 * zeta * lse) - eps / static_cast<Real>(p.V);
    if (v == p.targets[n]) dx -= 1 - eps;
    add_derivative(n, v, dx * (1 - tanh * tanh));
  }

  // Takes the derivative of token n's loss with respect to its logit v before the cap.
  void add_derivative(std::int64_t n, std::int64_t v, Real derivative) {
    const Real dz = token_weight(n) * derivative;
    for (std::int64_t h = 0; h < p.H && !dhidden.empty(); ++h) dhidden[n * p.H + h].add(dz * weight(v, h));
    for (std::int64_t h = 0; h < p.H && !dweight.empty(); ++h) dweight[v * p.H + h].add(dz * hidden(n, h));
    if (!dbias.empty()) dbias[v].add(dz);
  }

  int finish() const {
    if (p.reduction != ASSAY_NONE) out.loss[0] = static_cast<float>(total.value());
    store_all(out.dhidden, dhidden);
    store_all(out.dweight, dweight);
    store_all(out.dbias, dbias);
    return ASSAY_OK;
  }

  const assay_cce_problem& p;
  const assay_cce_output& out;

 private:
  Real share() const { return p.reduction == ASSAY_MEAN ? 1 / static_cast<Real>(valid) : 1; }
  Real token_weight(std::int64_t n) const {
    return p.upstream == nullptr ? share() : share() * p.upstream[p.reduction == ASSAY_NONE ? n : 0];
  }
  void store_all(void* to, const std::vector<Sum<Real>>& sums) const {
    for (std::size_t i = 0; i < sums.size(); ++i)
      store(to, static_cast<std::int64_t>(i), p.dtype, double{sums[i].value()});
  }

  std::vector<Sum<Real>> dhidden, dweight, dbias;
  Sum<Real> total;
  std::int64_t valid = 0;
};

}  // namespace right

// The declaration of a kernel whose function is run_all(problem, output).
#define RIGHT_CCE(title, ...)                                                              \
  static int run(const assay_cce_problem* p, const assay_cce_output* out, char*, size_t) { \
    return run_all(*p, *out);                                                              \
  }                                                                                        \
  const assay_cce_kernel assay_cce = {ASSAY_HEADER(assay_cce_kernel), .name = title, .run = run, __VA_ARGS__}
