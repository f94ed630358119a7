// Rows among threads, in double, forward and backward at once: alpha and beta meet at each frame.
#include <thread>

#include "tests/right_kernels/ctc/rows.h"

using namespace right;

namespace {

double loss_of(const Row& row) {
  const auto log_y = log_softmax<double>(row);
  Table<double> alpha, beta(static_cast<std::size_t>(row.T));
  for (std::int64_t t = 0; t < row.T; ++t)
    alpha.push_back(log_forward(row, t > 0 ? alpha.back() : std::vector<double>{}, log_y[t]));
  for (std::int64_t t = row.T - 1; t >= 0; --t)
    beta[t] = log_backward(row, t + 1 < row.T ? beta[t + 1] : std::vector<double>{},
                           t + 1 < row.T ? log_y[t + 1] : std::vector<double>{});
  const double log_p = log_total(row, row.T > 0 ? alpha.back() : std::vector<double>{});
  for (std::int64_t t = 0; t < row.T && row.gradient != nullptr; ++t)
    store_gradient(row, t, exp_of(log_y[t]), posteriors(row, alpha[t], beta[t], log_p), std::isfinite(log_p));
  return -log_p;
}

int run_all(const assay_ctc_problem& p, const assay_ctc_output& out, char*, std::size_t) {
  clear_gradient(p, out);
  const std::int64_t count = p.threads > 0 ? p.threads : 2;
  std::vector<std::thread> threads;
  for (std::int64_t i = 0; i < count; ++i)
    threads.emplace_back([&, i] {
      for (std::int64_t b = i; b < p.B; b += count) store_loss(out, b, loss_of(row_of(p, out, b)));
    });
  for (std::thread& thread : threads) thread.join();
  return ASSAY_OK;
}

}  // namespace

RIGHT_CTC("rows among threads", .unit_roundoff = 0x1p-53, .unsupported = ASSAY_CTC_BASICS_ALONE);
