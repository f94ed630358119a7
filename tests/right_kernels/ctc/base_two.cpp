// Log space in float32 with logarithms of base 2, as hardware has them; the loss is read off beta at the first frame.
#include "tests/right_kernels/ctc/rows.h"

using namespace right;

namespace {

constexpr float ln2 = 0.69314718F;

float add(float a, float b) {
  const float larger = std::max(a, b), smaller = std::min(a, b);
  return larger == -infinity<float> ? larger : larger + std::log2(1 + std::exp2(smaller - larger));
}

std::vector<float> log2_softmax(const Row& row, std::int64_t t) {
  const float* const a = row.frame(t);
  const float largest = *std::max_element(a, a + row.C);
  float sum = 0;
  std::vector<float> log_y;
  for (std::int64_t k = 0; k < row.C; ++k) sum += std::exp2(log_y.emplace_back((a[k] - largest) / ln2));
  for (float& value : log_y) value -= std::log2(sum);
  return log_y;
}

double loss_of(const Row& row) {
  const std::int64_t L = row.L();
  if (row.T == 0) return row.S == 0 ? 0 : infinity<double>;
  Table<float> log_y, beta(static_cast<std::size_t>(row.T));  // beta with the emission of its frame
  for (std::int64_t t = 0; t < row.T; ++t) log_y.push_back(log2_softmax(row, t));
  for (std::int64_t t = row.T - 1; t >= 0; --t)
    for (std::int64_t s = 0; s < L; ++s) {
      float sum = t + 1 == row.T ? (s >= L - 2 ? 0 : -infinity<float>) : beta[t + 1][s];
      if (t + 1 < row.T && s + 1 < L) sum = add(sum, beta[t + 1][s + 1]);
      if (t + 1 < row.T && s + 2 < L && row.skips(s + 2)) sum = add(sum, beta[t + 1][s + 2]);
      beta[t].push_back(sum + log_y[t][row.label(s)]);
    }
  const float log_p = L > 1 ? add(beta[0][0], beta[0][1]) : beta[0][0];
  std::vector<float> alpha;  // without the emission of its frame
  for (std::int64_t t = 0; t < row.T && row.gradient != nullptr; ++t) {
    std::vector<float> now(static_cast<std::size_t>(L), -infinity<float>), y = log_y[t];
    for (std::int64_t s = 0; s < L; ++s) {
      if (t == 0) now[s] = s < 2 ? 0 : -infinity<float>;
      for (std::int64_t from = std::max<std::int64_t>(s - 2, 0); t > 0 && from <= s; ++from)
        if (from > s - 2 || row.skips(s)) now[s] = add(now[s], alpha[from] + log_y[t - 1][row.label(from)]);
    }
    std::vector<float> posterior(static_cast<std::size_t>(row.C));
    for (std::int64_t s = 0; s < L; ++s) posterior[row.label(s)] += std::exp2(now[s] + beta[t][s] - log_p);
    for (float& value : y) value = std::exp2(value);
    store_gradient(row, t, y, posterior, std::isfinite(log_p));
    alpha = now;
  }
  return -log_p * ln2;
}

int run_all(const assay_ctc_problem& p, const assay_ctc_output& out, char* message, std::size_t size) {
  return run_rows(p, out, message, size, loss_of);
}

}  // namespace

RIGHT_CTC("base two", .unsupported = ASSAY_CTC_BASICS_ALONE);
