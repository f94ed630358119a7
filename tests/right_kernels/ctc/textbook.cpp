// Log space as textbooks and frameworks write it, in REAL with alpha and beta stored in STORED: ln y as x - lse, sums
// of three terms by their maximum, all frames of a block of states before the next block, alpha and beta both with the
// emission, and the posterior of a class as a log-sum-exp over its states, as warp-ctc and PyTorch take it.
#include "tests/right_kernels/ctc/rows.h"

using namespace right;

namespace {

constexpr std::int64_t block = 64;
constexpr REAL nothing = -infinity<REAL>;

REAL sum_of(REAL a, REAL b, REAL c = nothing) {
  const REAL m = std::max({a, b, c});
  return m == nothing ? m : m + std::log(std::exp(a - m) + std::exp(b - m) + std::exp(c - m));
}

Table<REAL> log_y_of(const Row& row) {
  auto log_y = table<REAL>(row.T, row.C, 0);
  for (std::int64_t t = 0; t < row.T; ++t) {
    const float* const a = row.frame(t);
    const REAL largest = *std::max_element(a, a + row.C);
    REAL sum = 0;
    for (std::int64_t k = 0; k < row.C; ++k) sum += std::exp(a[k] - largest);
    const REAL lse = largest + std::log(sum);
    for (std::int64_t k = 0; k < row.C; ++k) log_y[t][k] = a[k] - lse;
  }
  return log_y;
}

Table<STORED> forward(const Row& row, const Table<REAL>& log_y) {
  auto alpha = table<STORED>(row.T, row.L(), STORED(nothing));
  for (std::int64_t first = 0; first < row.L(); first += block)
    for (std::int64_t t = 0; t < row.T; ++t)
      for (std::int64_t s = first; s < std::min(first + block, row.L()); ++s) {
        REAL sum = s < 2 ? 0 : nothing;
        if (t > 0)
          sum = sum_of(alpha[t - 1][s], s >= 1 ? alpha[t - 1][s - 1] : nothing,
                       row.skips(s) ? alpha[t - 1][s - 2] : nothing);
        alpha[t][s] = static_cast<STORED>(sum + log_y[t][row.label(s)]);
      }
  return alpha;
}

Table<STORED> backward(const Row& row, const Table<REAL>& log_y) {
  const std::int64_t L = row.L();
  auto beta = table<STORED>(row.T, L, STORED(nothing));
  for (std::int64_t first = (L - 1) / block * block; first >= 0; first -= block)
    for (std::int64_t t = row.T - 1; t >= 0; --t)
      for (std::int64_t s = std::min(first + block, L) - 1; s >= first; --s) {
        REAL sum = s >= L - 2 ? 0 : nothing;
        if (t + 1 < row.T)
          sum = sum_of(beta[t + 1][s], s + 1 < L ? beta[t + 1][s + 1] : nothing,
                       s + 2 < L && row.skips(s + 2) ? beta[t + 1][s + 2] : nothing);
        beta[t][s] = static_cast<STORED>(sum + log_y[t][row.label(s)]);
      }
  return beta;
}

double loss_of(const Row& row) {
  const auto log_y = log_y_of(row);
  const auto alpha = forward(row, log_y);
  const REAL log_p =
      log_total(row, row.T > 0 ? std::vector<REAL>(alpha.back().begin(), alpha.back().end()) : std::vector<REAL>{});
  if (row.gradient == nullptr) return -double{log_p};
  const auto beta = backward(row, log_y);
  for (std::int64_t t = 0; t < row.T; ++t) {
    std::vector<REAL> posterior(static_cast<std::size_t>(row.C), nothing);
    for (std::int64_t s = 0; s < row.L(); ++s) {
      REAL& sum = posterior[row.label(s)];
      sum = sum_of(sum, REAL{alpha[t][s]} + REAL{beta[t][s]});
    }
    for (std::int64_t k = 0; k < row.C; ++k)
      posterior[k] = posterior[k] == nothing ? 0 : std::exp(posterior[k] - log_y[t][k] - log_p);
    store_gradient(row, t, exp_of(log_y[t]), posterior, std::isfinite(log_p));
  }
  return -double{log_p};
}

int run_all(const assay_ctc_problem& p, const assay_ctc_output& out, char* message, std::size_t size) {
  return run_rows(p, out, message, size, loss_of);
}

}  // namespace

RIGHT_CTC("textbook", .unsupported = ASSAY_CTC_BASICS_ALONE);
