// dL/dlogits and dL/dlog_probs of CTC kernels.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "validation/core/index.h"
#include "validation/core/number.h"
#include "validation/ctc/compare.h"
#include "validation/ctc/operation.h"
#include "validation/gradcheck/result_gradient.h"
#include "validation/gradcheck/sums.h"

namespace assay::validation {
namespace {

/// Elements [T, B, C] for which `choose(t, b, k)` holds.
template <class Choose>
std::vector<bool> where(const CtcCase& c, const Choose& choose) {
  std::vector<bool> in;
  for (std::int64_t t = 0; t < c.T; ++t)
    for (std::int64_t b = 0; b < c.B; ++b)
      for (std::int64_t k = 0; k < c.C; ++k) in.push_back(choose(t, b, k));
  return in;
}

std::vector<NamedRegion> regions(const CtcCase& c, const CtcTruth& truth) {
  std::vector<std::vector<std::int64_t>> labels;
  for (std::int64_t b = 0; b < c.B; ++b) labels.push_back(c.labels(b));
  const auto count = [&](std::int64_t b, std::int64_t k) {
    return std::count(labels[index(b)].begin(), labels[index(b)].end(), k);
  };
  const auto repeats = [&](std::int64_t b, std::int64_t k) {
    const auto& row = labels[index(b)];
    return std::adjacent_find(row.begin(), row.end(), [&](auto x, auto y) { return x == k && y == k; }) != row.end();
  };
  const auto frames = [&](std::int64_t b) { return c.input_lengths[index(b)]; };
  return {{"past input_lengths", where(c, [&](auto t, auto b, auto) { return t >= frames(b); })},
          {"at the first frame of each row", where(c, [&](auto t, auto b, auto) { return t == 0 && frames(b) > 0; })},
          {"at the last frame of each row", where(c, [&](auto t, auto b, auto) { return t + 1 == frames(b); })},
          {"at the blank", where(c, [&](auto, auto, auto k) { return k == c.blank; })},
          {"at labels of the row", where(c, [&](auto, auto b, auto k) { return count(b, k) > 0; })},
          {"at labels that occur twice in the row", where(c, [&](auto, auto b, auto k) { return count(b, k) > 1; })},
          {"at labels that follow themselves", where(c, [&](auto, auto b, auto k) { return repeats(b, k); })},
          {"in rows where a label follows itself", where(c,
                                                         [&](auto, auto b, auto) {
                                                           const auto& row = labels[index(b)];
                                                           return std::adjacent_find(row.begin(), row.end()) !=
                                                                  row.end();
                                                         })},
          {"at classes that are neither blank nor label",
           where(c, [&](auto, auto b, auto k) { return k != c.blank && count(b, k) == 0; })},
          {"in rows that no alignment fits",
           where(c, [&](auto t, auto b, auto) { return t < frames(b) && !truth.rows[index(b)].possible; })},
          {"in rows without labels", where(c, [&](auto, auto b, auto) { return labels[index(b)].empty(); })}};
}

/// The factors by which common mistakes multiply the rows of the batch.
std::vector<NamedFactor> factors(const CtcCase& c) {
  std::vector<NamedFactor> named;
  const auto add = [&](const std::string& reason, const auto& factor) {
    std::vector<double> by_row;
    for (std::int64_t b = 0; b < c.B; ++b) by_row.push_back(factor(b));
    const bool is_one = std::all_of(by_row.begin(), by_row.end(), [](double f) { return f == 1; });
    if (!is_one) named.push_back({reason, by_row});
  };
  const auto B = static_cast<double>(c.B), T = static_cast<double>(c.T);
  const auto T_b = [&](std::int64_t b) {
    return static_cast<double>(std::max<std::int64_t>(c.input_lengths[index(b)], 1));
  };
  const auto S_b = [&](std::int64_t b) {
    return static_cast<double>(std::max<std::int64_t>(c.target_lengths[index(b)], 1));
  };
  const auto upstream = [&](std::int64_t b) {
    return c.upstream.empty() ? 1.0 : double{c.upstream[c.reduction == Reduction::none ? index(b) : 0]};
  };
  const bool mean = c.reduction == Reduction::mean;
  add("upstream: it is applied twice", [&](auto b) { return upstream(b); });
  add("the sign of upstream: |upstream| is applied", [&](auto b) { return upstream(b) < 0 ? -1.0 : 1.0; });
  if (mean) {
    add("B max(S_b, 1): mean is computed as sum", [&](auto b) { return B * S_b(b); });
    add("B: mean divides by the labels alone", [&](auto) { return B; });
    add("max(S_b, 1): mean divides by the batch size alone", [&](auto b) { return S_b(b); });
  } else {
    add("1 / (B max(S_b, 1)): computed as mean, which is not asked for", [&](auto b) { return 1 / (B * S_b(b)); });
    add("1 / max(S_b, 1): divided by the target lengths", [&](auto b) { return 1 / S_b(b); });
  }
  add("1 / B: a mean over the batch", [&](auto) { return 1 / B; });
  if (!mean) add("B: multiplied by the batch size", [&](auto) { return B; });
  add("1 / T: divided by the frames", [&](auto) { return 1 / T; });
  add("T: multiplied by the frames", [&](auto) { return T; });
  add("1 / T_b: divided by input_lengths", [&](auto b) { return 1 / T_b(b); });
  add("T_b: multiplied by input_lengths", [&](auto b) { return T_b(b); });
  return named;
}

std::vector<double> bounds_of(const CtcKernel& kernel, const CtcCase& c, const CtcTruth& truth) {
  const CtcBounds bounds(c, kernel.info());
  std::vector<double> all;
  for (std::int64_t t = 0; t < c.T; ++t)
    for (std::int64_t b = 0; b < c.B; ++b)
      for (std::int64_t k = 0; k < c.C; ++k) all.push_back(gradient_bound(c, bounds, truth, t, b, k));
  return all;
}

/// The gradient with respect to another variable or by another formula.
struct Other {
  std::vector<BigFloat> exact;
  std::vector<double> bound;
  std::vector<bool> skip;
};

/// Tells which other gradient the kernel returned, if it is one.
class Diagnosis {
 public:
  Diagnosis(const CtcKernel& kernel, const CtcCase& c, const CtcTruth& truth, int digits, GradientJudgement& judgement)
      : kernel_(kernel),
        c_(c),
        truth_(truth),
        rows_(rows_of(c, digits)),
        judgement_(judgement),
        gradient_(judgement.gradients[0]) {}

  void run() {
    softmax();
    variables();
    formulas();
    upstreams();
  }

 private:
  static BigFloat of_logits(const BigFloat& y, const BigFloat& posterior) { return y - posterior; }
  static BigFloat of_log_probs(const BigFloat&, const BigFloat& posterior) { return -posterior; }

  bool declares_logits() const { return c_.variable == CtcVariable::logits; }

  /// y = exp(x_k) / sum over classes, in dL/dlogits alone.
  void softmax() {
    if (!declares_logits()) return;
    NamedSum sum{"the softmax's sum", "class", {}, std::vector<std::vector<double>>(index(c_.T * c_.B))};
    const Other y = other(c_, CtcVariable::logits, [](const BigFloat& y_k, const BigFloat&) { return y_k; });
    for (std::size_t i = 0; i < y.exact.size(); ++i) {
      const At where = place(i);
      const bool has_sum = where.row->possible && where.t < c_.input_lengths[index(where.b)];
      sum.part.push_back(has_sum ? to_double(y.exact[i]) : 0);
      if (has_sum) sum.shares[i / index(c_.C)].push_back(to_double(where.row->y(where.t, where.k)));
    }
    for (Pattern& pattern : missing_summands(gradient_, sum)) judgement_.patterns.push_back(std::move(pattern));
  }

  void variables() {
    const Other log_probs = other(c_, CtcVariable::log_probs, of_log_probs);
    if (declares_logits()) {
      is_variable("log_probs", log_probs);
    } else {
      is_variable("logits", other(c_, CtcVariable::logits, of_logits));
    }
    is_variable("probabilities", divided_by_y(log_probs));
  }

  void formulas() {
    using Number = const BigFloat&;
    is_formula("y alone", "gradient is y, weighted: the posterior is left out",
               other(c_, CtcVariable::logits, [](Number y, Number) { return y; }));
    is_formula("y too often", "the posterior is multiplied by y once too often: alpha and beta both hold it",
               other(c_, c_.variable, [&](Number y, Number posterior) {
                 return declares_logits() ? BigFloat(y - y * posterior) : BigFloat(-(y * posterior));
               }));
  }

  void upstreams() {
    CtcCase changed = c_;
    changed.upstream.clear();
    const auto formula = declares_logits() ? of_logits : of_log_probs;
    if (c_.upstream.empty()) return;
    is_formula("upstream ignored", "gradient is that of an upstream gradient of ones: it is ignored",
               other(changed, c_.variable, formula));
    if (c_.upstream.size() < 2) return;
    changed.upstream.assign(c_.upstream.size(), c_.upstream[0]);
    is_formula("upstream of the first row", "upstream[0] is taken for every row", other(changed, c_.variable, formula));
  }

  /// weight * formula(y, posterior) if the row has an alignment, else the true gradient of c.
  template <class Formula>
  Other other(CtcCase changed, CtcVariable variable, const Formula& formula) const {
    changed.variable = variable;
    Other result{truth_.gradient.all(), bounds_of(kernel_, changed, truth_), {}};
    for (std::size_t i = 0; i < result.exact.size(); ++i) {
      const At where = place(i);
      if (where.row->possible && where.t < c_.input_lengths[index(where.b)])
        result.exact[i] = BigFloat(changed.row_weight(where.b)) *
                          formula(where.row->y(where.t, where.k), where.row->posterior(where.t, where.k));
    }
    return result;
  }

  /// dL/dy = dL/dln y / y. Elements with y = 0 are not compared.
  Other divided_by_y(Other log_probs) const {
    log_probs.skip.resize(log_probs.exact.size());
    for (std::size_t i = 0; i < log_probs.exact.size(); ++i) {
      const At where = place(i);
      if (!where.row->possible || where.t >= c_.input_lengths[index(where.b)]) continue;
      const BigFloat& y = where.row->y(where.t, where.k);
      log_probs.skip[i] = to_double(y) < 1e-300;
      if (log_probs.skip[i]) continue;
      log_probs.exact[i] = log_probs.exact[i] / y;
      log_probs.bound[i] = log_probs.bound[i] / to_double(y) + 0x1p-20 * std::abs(to_double(log_probs.exact[i]));
    }
    return log_probs;
  }

  struct At {
    std::int64_t t, b, k;
    const reference::CtcRow<BigFloat>* row;
  };

  At place(std::size_t i) const {
    const std::int64_t b = gradient_.index(i, 1);
    return {gradient_.index(i, 0), b, gradient_.index(i, 2), &rows_[index(b)]};
  }

  void is_variable(const char* name, const Other& other) {
    if (!gradient_.fits(other.exact, other.bound, other.skip)) return;
    judgement_.variables.push_back(
        {name, fmt::format("this is dL/d{}, you declared dL/d{}", name, declares_logits() ? "logits" : "log_probs")});
  }

  void is_formula(const char* key, const char* sentence, const Other& other) {
    if (gradient_.fits(other.exact, other.bound, other.skip)) judgement_.patterns.push_back({key, sentence});
  }

  const CtcKernel& kernel_;
  const CtcCase& c_;
  const CtcTruth& truth_;
  std::vector<reference::CtcRow<BigFloat>> rows_;
  GradientJudgement& judgement_;
  const JudgedGradient& gradient_;
};

}  // namespace

GradientJudgement CtcOperation::judge_gradients(const CtcKernel& kernel, const CtcCase& c, int digits) {
  const CtcTruth truth = truth_of(c, digits);
  const CtcRun run = run_valid(kernel, c);
  GradientJudgement judgement;
  JudgedGradient gradient = result_gradient(c, "gradient", {"frame", "row", "class"});
  gradient.exact = truth.gradient.all();
  gradient.bound = bounds_of(kernel, c, truth);
  gradient.got.assign(run.gradient.begin(), run.gradient.end());
  gradient.judge();
  judgement.gradients.push_back(std::move(gradient));
  if (!run.out_of_bounds_writes.empty()) judgement.out_of_bounds_write = run.out_of_bounds_writes[0];
  if (!judgement.is_wrong()) return judgement;
  judgement.patterns = unwritten(run);
  for (Pattern& pattern : patterns_of(judgement.gradients[0], {regions(c, truth), factors(c), 1}))
    judgement.patterns.push_back(std::move(pattern));
  Diagnosis(kernel, c, truth, digits, judgement).run();
  return judgement;
}

CtcProfile CtcOperation::gradcheck_profile(const CtcKernel&) {
  return {.min_rows = 2, .long_rows = 0.04};
}

}  // namespace assay::validation
