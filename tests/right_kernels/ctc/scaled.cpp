// Probabilities in REAL, each frame's alpha and beta divided by their sum (Rabiner 1989). Where a state that some
// alignment visits becomes subnormal, the kernel says so: such a state may be all that later frames leave.
#include "tests/right_kernels/ctc/rows.h"

using namespace right;

namespace {

constexpr REAL smallest = std::numeric_limits<REAL>::min();

REAL times(REAL a, REAL b) {
  const REAL product = a * b;
  if (a > 0 && b > 0 && !(product >= smallest)) throw Beyond("a probability beyond the range of the type");
  return product;
}

// Divides the column by its sum, which is returned; a sum of 0 stays.
REAL scale(std::vector<REAL>& column) {
  REAL sum = 0;
  for (const REAL value : column) sum += value;
  for (REAL& value : column) value = sum > 0 ? times(value, 1 / sum) : 0;
  return sum;
}

Table<REAL> softmax(const Row& row) {
  auto y = table<REAL>(row.T, row.C, 0);
  for (std::int64_t t = 0; t < row.T; ++t) {
    const float* const a = row.frame(t);
    const float largest = *std::max_element(a, a + row.C);
    for (std::int64_t k = 0; k < row.C; ++k) {
      y[t][k] = std::exp(REAL{a[k]} - REAL{largest});
      if (a[k] != -infinity<float> && !(y[t][k] >= smallest))
        throw Beyond("a probability beyond the range of the type");
    }
    scale(y[t]);
  }
  return y;
}

std::vector<REAL> forward(const Row& row, const std::vector<REAL>& before, const std::vector<REAL>& y) {
  std::vector<REAL> now(static_cast<std::size_t>(row.L()));
  for (std::int64_t s = 0; s < row.L(); ++s) {
    REAL sum = before.empty() ? REAL(s < 2) : before[s];
    if (!before.empty() && s >= 1) sum += before[s - 1];
    if (!before.empty() && row.skips(s)) sum += before[s - 2];
    now[s] = times(sum, y[row.label(s)]);
  }
  return now;
}

std::vector<REAL> backward(const Row& row, const std::vector<REAL>& after, const std::vector<REAL>& y_after) {
  const std::int64_t L = row.L();
  std::vector<REAL> now(static_cast<std::size_t>(L));
  for (std::int64_t s = 0; s < L; ++s) {
    if (after.empty()) now[s] = s >= L - 2;
    for (std::int64_t next = s; !after.empty() && next < L && next <= s + 2; ++next)
      if (next < s + 2 || row.skips(next)) now[s] += times(after[next], y_after[row.label(next)]);
  }
  return now;
}

double loss_of(const Row& row) {
  const auto y = softmax(row);
  Table<REAL> alpha;
  double log_p = 0;
  for (std::int64_t t = 0; t < row.T; ++t) {
    alpha.push_back(forward(row, t > 0 ? alpha.back() : std::vector<REAL>{}, y[t]));
    log_p += std::log(double{scale(alpha.back())});
  }
  if (row.T > 0) log_p += std::log(double{alpha.back()[row.L() - 1] + (row.S > 0 ? alpha.back()[row.L() - 2] : 0)});
  if (row.T == 0 && row.S > 0) log_p = -infinity<double>;
  std::vector<REAL> beta;
  for (std::int64_t t = row.T - 1; t >= 0 && row.gradient != nullptr; --t) {
    beta = backward(row, beta, t + 1 < row.T ? y[t + 1] : std::vector<REAL>{});
    scale(beta);
    std::vector<long double> product(static_cast<std::size_t>(row.C));  // whose range holds that of two factors
    for (std::int64_t s = 0; s < row.L(); ++s) product[row.label(s)] += static_cast<long double>(alpha[t][s]) * beta[s];
    long double sum = 0;
    for (const long double value : product) sum += value;
    std::vector<REAL> posterior;
    for (const long double value : product) posterior.push_back(static_cast<REAL>(sum > 0 ? value / sum : 0));
    store_gradient(row, t, y[t], posterior, std::isfinite(log_p));
  }
  return -log_p;
}

int run_all(const assay_ctc_problem& p, const assay_ctc_output& out, char* message, std::size_t size) {
  return run_rows(p, out, message, size, loss_of);
}

}  // namespace

constexpr bool is_double = sizeof(REAL) == 8;

RIGHT_CTC("scaled probabilities", .arithmetic = ASSAY_PROBABILITY, .unit_roundoff = is_double ? 0x1p-53 : 0,
          .unsupported = ASSAY_CTC_BASICS_ALONE, .largest_T = is_double ? 0 : 8, .largest_C = is_double ? 0 : 100,
          .largest_spread = is_double ? 600 : 6);
