// All rows of the batch a frame at a time, as a kernel of tensors [B, L] does: rows that have ended wait.
#include "tests/right_kernels/ctc/rows.h"

using namespace right;

namespace {

int run_all(const assay_ctc_problem& p, const assay_ctc_output& out, char*, std::size_t) {
  clear_gradient(p, out);
  std::vector<Row> rows;
  std::vector<Table<float>> log_y, alpha(static_cast<std::size_t>(p.B));
  for (std::int64_t b = 0; b < p.B; ++b) log_y.push_back(log_softmax<float>(rows.emplace_back(row_of(p, out, b))));
  for (std::int64_t t = 0; t < p.T; ++t)
    for (std::int64_t b = 0; b < p.B; ++b)
      if (t < rows[b].T)
        alpha[b].push_back(log_forward(rows[b], t > 0 ? alpha[b].back() : std::vector<float>{}, log_y[b][t]));
  std::vector<float> log_p;
  for (std::int64_t b = 0; b < p.B; ++b) {
    log_p.push_back(log_total(rows[b], alpha[b].empty() ? std::vector<float>{} : alpha[b].back()));
    store_loss(out, b, -log_p[b]);
  }
  if (out.gradient == nullptr) return ASSAY_OK;
  Table<float> beta(static_cast<std::size_t>(p.B));
  for (std::int64_t t = p.T - 1; t >= 0; --t)
    for (std::int64_t b = 0; b < p.B; ++b) {
      if (t >= rows[b].T) continue;
      beta[b] = log_backward(rows[b], beta[b], t + 1 < rows[b].T ? log_y[b][t + 1] : std::vector<float>{});
      store_gradient(rows[b], t, exp_of(log_y[b][t]), posteriors(rows[b], alpha[b][t], beta[b], log_p[b]),
                     std::isfinite(log_p[b]));
    }
  return ASSAY_OK;
}

}  // namespace

RIGHT_CTC("frame by frame", .unsupported = ASSAY_CTC_BASICS_ALONE);
