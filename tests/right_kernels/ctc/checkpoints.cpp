// Keeps alpha at every few frames alone, and computes the frames between two of them again on the way back.
#include "tests/right_kernels/ctc/rows.h"

using namespace right;

namespace {

double loss_of(const Row& row) {
  const auto log_y = log_softmax<float>(row);
  const auto every = static_cast<std::int64_t>(std::sqrt(static_cast<double>(row.T))) + 1;
  Table<float> kept;
  std::vector<float> alpha;
  for (std::int64_t t = 0; t < row.T; ++t) {
    alpha = log_forward(row, alpha, log_y[t]);
    if (t % every == 0) kept.push_back(alpha);
  }
  const float log_p = log_total(row, alpha);
  std::vector<float> beta;
  for (auto block = static_cast<std::int64_t>(kept.size()) - 1; block >= 0 && row.gradient != nullptr; --block) {
    const std::int64_t first = block * every, end = std::min(first + every, row.T);
    Table<float> again = {kept[block]};
    for (std::int64_t t = first + 1; t < end; ++t) again.push_back(log_forward(row, again.back(), log_y[t]));
    for (std::int64_t t = end - 1; t >= first; --t) {
      beta = log_backward(row, beta, t + 1 < row.T ? log_y[t + 1] : std::vector<float>{});
      store_gradient(row, t, exp_of(log_y[t]), posteriors(row, again[t - first], beta, log_p), std::isfinite(log_p));
    }
  }
  return -log_p;
}

int run_all(const assay_ctc_problem& p, const assay_ctc_output& out, char* message, std::size_t size) {
  return run_rows(p, out, message, size, loss_of);
}

}  // namespace

RIGHT_CTC("checkpoints of alpha", .unsupported = ASSAY_CTC_BASICS_ALONE);
