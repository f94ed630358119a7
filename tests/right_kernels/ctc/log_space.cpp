// Log space, straight down, in REAL. TWO_STEP takes dL/dlogits from dL/dlog_probs through the softmax, as Eesen does.
#include "tests/right_kernels/ctc/rows.h"

using namespace right;

namespace {

void store(const Row& row, std::int64_t t, const std::vector<REAL>& y, std::vector<REAL> posterior, bool possible) {
  REAL sum = 0;
  for (const REAL value : posterior) sum += value;
  auto pull = y;
  for (REAL& value : pull) value *= TWO_STEP ? sum : 1;
  store_gradient(row, t, pull, posterior, possible);
}

double loss_of(const Row& row) {
  const auto log_y = log_softmax<REAL>(row);
  Table<REAL> alpha;
  for (std::int64_t t = 0; t < row.T; ++t)
    alpha.push_back(log_forward(row, t > 0 ? alpha.back() : std::vector<REAL>{}, log_y[t]));
  const REAL log_p = log_total(row, row.T > 0 ? alpha.back() : std::vector<REAL>{});
  std::vector<REAL> beta;
  for (std::int64_t t = row.T - 1; t >= 0 && row.gradient != nullptr; --t) {
    beta = log_backward(row, beta, t + 1 < row.T ? log_y[t + 1] : std::vector<REAL>{});
    store(row, t, exp_of(log_y[t]), posteriors(row, alpha[t], beta, log_p), std::isfinite(log_p));
  }
  return -double{log_p};
}

int run_all(const assay_ctc_problem& p, const assay_ctc_output& out, char* message, std::size_t size) {
  return run_rows(p, out, message, size, loss_of);
}

}  // namespace

RIGHT_CTC("log space", .unit_roundoff = sizeof(REAL) == 8 ? 0x1p-53 : 0, .two_step = TWO_STEP,
          .unsupported = ASSAY_CTC_BASICS_ALONE);
