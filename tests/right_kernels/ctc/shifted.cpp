// Log space in float32 whose alpha and beta have the maximum of their frame taken out, so that no exponent grows with
// T.
#include "tests/right_kernels/ctc/rows.h"

using namespace right;

namespace {

// Takes the largest element out of a column; -inf stays where there is nothing else.
float take_out_maximum(std::vector<float>& column) {
  const float largest = *std::max_element(column.begin(), column.end());
  if (largest != -infinity<float>)
    for (float& value : column) value -= largest;
  return largest;
}

double loss_of(const Row& row) {
  const auto log_y = log_softmax<float>(row);
  Table<float> alpha;
  double log_p = 0;
  for (std::int64_t t = 0; t < row.T; ++t) {
    alpha.push_back(log_forward(row, t > 0 ? alpha.back() : std::vector<float>{}, log_y[t]));
    log_p += take_out_maximum(alpha.back());
  }
  log_p += log_total(row, row.T > 0 ? alpha.back() : std::vector<float>{});
  std::vector<float> beta;
  for (std::int64_t t = row.T - 1; t >= 0 && row.gradient != nullptr; --t) {
    beta = log_backward(row, beta, t + 1 < row.T ? log_y[t + 1] : std::vector<float>{});
    take_out_maximum(beta);
    float total = -infinity<float>;  // of the frame: the shifts drop out of the posterior
    for (std::int64_t s = 0; s < row.L(); ++s) total = log_add(total, alpha[t][s] + beta[s]);
    store_gradient(row, t, exp_of(log_y[t]), posteriors(row, alpha[t], beta, total), std::isfinite(log_p));
  }
  return -log_p;
}

int run_all(const assay_ctc_problem& p, const assay_ctc_output& out, char* message, std::size_t size) {
  return run_rows(p, out, message, size, loss_of);
}

}  // namespace

RIGHT_CTC("log space, a maximum taken out of each frame", .unsupported = ASSAY_CTC_BASICS_ALONE);
