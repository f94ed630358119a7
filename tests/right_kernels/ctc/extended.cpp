// Probabilities as pairs of a float32 mantissa and an integer exponent, whose range nothing here leaves.
#include "tests/right_kernels/ctc/rows.h"

using namespace right;

namespace {

struct Wide {
  float mantissa = 0;  // 0, or in [1/2, 1)
  std::int64_t exponent = 0;

  static Wide of(float value, std::int64_t exponent) {
    int shift = 0;
    const float mantissa = std::frexp(value, &shift);
    return {mantissa, mantissa == 0 ? 0 : exponent + shift};
  }
  // exp(a), for a whose exponential no float holds.
  static Wide exp(double a) {
    if (a == -infinity<double>) return {};
    const double power = std::floor(a / std::log(2.0));
    return of(static_cast<float>(std::exp(a - power * std::log(2.0))), static_cast<std::int64_t>(power));
  }
  friend Wide operator*(Wide a, Wide b) { return of(a.mantissa * b.mantissa, a.exponent + b.exponent); }
  friend Wide operator/(Wide a, Wide b) { return of(a.mantissa / b.mantissa, a.exponent - b.exponent); }
  friend Wide operator+(Wide a, Wide b) {
    if (a.mantissa == 0 || b.mantissa == 0) return a.mantissa == 0 ? b : a;
    if (a.exponent < b.exponent) std::swap(a, b);
    const auto shift = std::max<std::int64_t>(b.exponent - a.exponent, -200);
    return of(a.mantissa + std::ldexp(b.mantissa, static_cast<int>(shift)), a.exponent);
  }
  float value() const { return std::ldexp(mantissa, static_cast<int>(std::max<std::int64_t>(exponent, -400))); }
  double log() const { return std::log(double{mantissa}) + static_cast<double>(exponent) * std::log(2.0); }
};

using Column = std::vector<Wide>;

Column softmax(const Row& row, std::int64_t t) {
  const float* const a = row.frame(t);
  const float largest = *std::max_element(a, a + row.C);
  Column y;
  Wide sum;
  for (std::int64_t k = 0; k < row.C; ++k) sum = sum + y.emplace_back(Wide::exp(double{a[k]} - double{largest}));
  for (Wide& value : y) value = value / sum;
  return y;
}

double loss_of(const Row& row) {
  const std::int64_t L = row.L();
  std::vector<Column> y, alpha;
  for (std::int64_t t = 0; t < row.T; ++t) {
    y.push_back(softmax(row, t));
    Column now(static_cast<std::size_t>(L));
    for (std::int64_t s = 0; s < L; ++s) {
      Wide sum = t > 0 ? alpha[t - 1][s] : Wide::of(s < 2 ? 1 : 0, 0);
      if (t > 0 && s >= 1) sum = sum + alpha[t - 1][s - 1];
      if (t > 0 && row.skips(s)) sum = sum + alpha[t - 1][s - 2];
      now[s] = sum * y[t][row.label(s)];
    }
    alpha.push_back(now);
  }
  Wide p = Wide::of(row.T == 0 && row.S == 0 ? 1 : 0, 0);
  if (row.T > 0) p = L > 1 ? alpha.back()[L - 1] + alpha.back()[L - 2] : alpha.back()[0];
  Column beta;
  for (std::int64_t t = row.T - 1; t >= 0 && row.gradient != nullptr; --t) {
    Column now(static_cast<std::size_t>(L));
    std::vector<float> posterior(static_cast<std::size_t>(row.C)), weight;
    for (std::int64_t s = 0; s < L; ++s) {
      if (beta.empty()) now[s] = Wide::of(s >= L - 2 ? 1 : 0, 0);
      for (std::int64_t next = s; !beta.empty() && next < L && next <= s + 2; ++next)
        if (next < s + 2 || row.skips(next)) now[s] = now[s] + beta[next] * y[t + 1][row.label(next)];
      if (p.mantissa > 0) posterior[row.label(s)] += (alpha[t][s] * now[s] / p).value();
    }
    for (const Wide value : y[t]) weight.push_back(value.value());
    store_gradient(row, t, weight, posterior, p.mantissa > 0);
    beta = now;
  }
  return p.mantissa > 0 ? -p.log() : infinity<double>;
}

int run_all(const assay_ctc_problem& p, const assay_ctc_output& out, char* message, std::size_t size) {
  return run_rows(p, out, message, size, loss_of);
}

}  // namespace

RIGHT_CTC("mantissa and exponent", .arithmetic = ASSAY_PROBABILITY, .unsupported = ASSAY_CTC_BASICS_ALONE);
