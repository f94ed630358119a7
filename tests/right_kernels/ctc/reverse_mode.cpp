// alpha alone, in REAL; the gradient by reverse-mode differentiation of its recursion, as an automatic differentiator
// does.
#include "tests/right_kernels/ctc/rows.h"

using namespace right;

namespace {

// The share of `part` in a log-sum-exp.
REAL share(REAL part, REAL whole) {
  return part == -infinity<REAL> ? 0 : std::exp(part - whole);
}

void reverse(const Row& row, const Table<REAL>& log_y, const Table<REAL>& alpha, REAL log_p) {
  const std::int64_t L = row.L();
  std::vector<REAL> adjoint(static_cast<std::size_t>(L));  // d ln p / d alpha of the frame
  for (std::int64_t s = std::max<std::int64_t>(L - 2, 0); s < L; ++s) adjoint[s] = share(alpha.back()[s], log_p);
  for (std::int64_t t = row.T - 1; t >= 0; --t) {
    std::vector<REAL> posterior(static_cast<std::size_t>(row.C)), before(static_cast<std::size_t>(L));
    for (std::int64_t s = 0; s < L; ++s) {
      posterior[row.label(s)] += adjoint[s];
      const REAL whole = alpha[t][s] - log_y[t][row.label(s)];
      for (std::int64_t from = std::max<std::int64_t>(s - 2, 0); t > 0 && adjoint[s] > 0 && from <= s; ++from)
        if (from > s - 2 || row.skips(s)) before[from] += adjoint[s] * share(alpha[t - 1][from], whole);
    }
    store_gradient(row, t, exp_of(log_y[t]), posterior, true);
    adjoint = before;
  }
}

double loss_of(const Row& row) {
  const auto log_y = log_softmax<REAL>(row);
  Table<REAL> alpha;
  for (std::int64_t t = 0; t < row.T; ++t)
    alpha.push_back(log_forward(row, t > 0 ? alpha.back() : std::vector<REAL>{}, log_y[t]));
  const REAL log_p = log_total(row, row.T > 0 ? alpha.back() : std::vector<REAL>{});
  if (row.gradient != nullptr && row.T > 0 && std::isfinite(log_p)) reverse(row, log_y, alpha, log_p);
  for (std::int64_t t = 0; t < row.T && row.gradient != nullptr && !std::isfinite(log_p); ++t)
    store_gradient(row, t, log_y[t], log_y[t], false);
  return -double{log_p};
}

int run_all(const assay_ctc_problem& p, const assay_ctc_output& out, char* message, std::size_t size) {
  return run_rows(p, out, message, size, loss_of);
}

}  // namespace

RIGHT_CTC("reverse mode", .unit_roundoff = sizeof(REAL) == 8 ? 0x1p-53 : 0, .unsupported = ASSAY_CTC_BASICS_ALONE);
