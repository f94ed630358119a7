// dL/dhidden, dL/dweight and dL/dbias of linear cross-entropy kernels.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reference/cce/gradient.h"
#include "reference/cce/loss.h"
#include "reference/cce/row.h"
#include "validation/cce/compare.h"
#include "validation/cce/operation.h"
#include "validation/core/index.h"
#include "validation/core/number.h"
#include "validation/gradcheck/result_gradient.h"
#include "validation/gradcheck/sums.h"

namespace assay::validation {
namespace {

using Bound = double (CceBounds::*)(std::size_t, double) const;

void hold(JudgedGradient& gradient, const std::vector<float>& got, const std::vector<BigFloat>& exact,
          const CceBounds& bounds, Bound bound) {
  gradient.got.assign(got.begin(), got.end());
  gradient.exact = exact;
  for (std::size_t i = 0; i < exact.size(); ++i) gradient.bound.push_back((bounds.*bound)(i, to_double(exact[i])));
  gradient.judge();
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!may_overflow(gradient.expected[i], gradient.bound[i], bounds.largest(), got[i])) continue;
    gradient.wrong[i] = false;
    gradient.error[i] = 0;
  }
}

/// Rows of `gradient`, [rows, H] or [rows], for which `choose(row)` holds.
template <class Choose>
std::vector<bool> where(const JudgedGradient& gradient, const Choose& choose) {
  std::vector<bool> in;
  for (std::size_t i = 0; i < gradient.size(); ++i) in.push_back(choose(gradient.index(i, 0)));
  return in;
}

std::vector<NamedRegion> token_regions(const CceCase& c, const JudgedGradient& gradient) {
  const auto occurred = [&](std::int64_t n) {
    const auto end = c.targets.begin() + n;
    return !c.is_ignored(n) && std::find(c.targets.begin(), end, c.targets[index(n)]) != end;
  };
  return {{"at ignored tokens", where(gradient, [&](auto n) { return c.is_ignored(n); })},
          {"at tokens whose target occurred before", where(gradient, occurred)}};
}

std::vector<NamedRegion> entry_regions(const CceCase& c, const JudgedGradient& gradient) {
  std::vector<std::int64_t> count(index(c.V));
  for (std::int64_t n = 0; n < c.N; ++n)
    if (!c.is_ignored(n)) ++count[index(c.targets[index(n)])];
  return {{"at entries that are targets", where(gradient, [&](auto v) { return count[index(v)] > 0; })},
          {"at entries that are no target", where(gradient, [&](auto v) { return count[index(v)] == 0; })},
          {"at entries that are targets more than once", where(gradient, [&](auto v) { return count[index(v)] > 1; })}};
}

/// The factors by which common mistakes multiply the rows of a gradient.
std::vector<NamedFactor> factors(const CceCase& c, const JudgedGradient& gradient, bool by_token) {
  std::vector<NamedFactor> named;
  const auto add = [&](const std::string& reason, const auto& factor) {
    std::vector<double> by_row;
    for (std::int64_t i = 0; i < gradient.extents[0]; ++i) by_row.push_back(factor(i));
    const bool is_one = std::all_of(by_row.begin(), by_row.end(), [](double f) { return f == 1; });
    if (!is_one) named.push_back({reason, by_row});
  };
  const auto N = static_cast<double>(c.N), valid = static_cast<double>(std::max<std::int64_t>(c.valid_tokens(), 1));
  if (c.upstream.size() == 1 || (by_token && !c.upstream.empty())) {
    const auto upstream = [&](std::int64_t n) { return double{c.upstream[c.upstream.size() == 1 ? 0 : index(n)]}; };
    add("upstream: it is applied twice", [&](auto n) { return upstream(n); });
  }
  if (c.reduction == Reduction::mean) {
    add("the tokens that count: mean is computed as sum", [&](auto) { return valid; });
    add("the tokens that count / N: mean divides by all tokens", [&](auto) { return valid / N; });
  } else {
    add("1 / the tokens that count: computed as mean, which is not asked for", [&](auto) { return 1 / valid; });
    add("1 / N: divided by the tokens", [&](auto) { return 1 / N; });
  }
  add("1 / the tokens that count, once more", [&](auto) { return 1 / valid; });
  add("1 / H: divided by the columns", [&](auto) { return 1 / static_cast<double>(c.H); });
  add("1 / sqrt(H)", [&](auto) { return 1 / std::sqrt(static_cast<double>(c.H)); });
  return named;
}

std::vector<JudgedGradient> gradients_of(const CceKernel& kernel, const CceCase& c, const CceRun& run,
                                         const CceTruth& truth) {
  const CceBounds bounds(c, kernel.info());
  std::vector<JudgedGradient> all = {result_gradient(c, "dhidden", {"token", "column"}),
                                     result_gradient(c, "dweight", {"entry", "column"})};
  hold(all[0], run.dhidden, truth.dhidden.all(), bounds, &CceBounds::dhidden);
  hold(all[1], run.dweight, truth.dweight.all(), bounds, &CceBounds::dweight);
  if (c.bias.empty()) return all;
  all.push_back(result_gradient(c, "dbias", {"entry"}));
  hold(all[2], run.dbias, truth.dbias.all(), bounds, &CceBounds::dbias);
  return all;
}

bool any_wrong(const JudgedGradient& gradient) {
  return std::find(gradient.wrong.begin(), gradient.wrong.end(), true) != gradient.wrong.end();
}

/// A related case. A common mistake is to return the gradient of that case.
struct Other {
  const char* key;
  std::string sentence;
  CceCase problem;
};

std::vector<Other> others(const CceCase& c) {
  std::vector<Other> all;
  const auto add = [&](const char* key, const std::string& sentence, const auto& change) {
    CceCase changed = c;
    change(changed);
    if (!(changed == c)) all.push_back({key, sentence, changed});
  };
  add("upstream ignored", "all gradients are those of an upstream gradient of ones: it is ignored",
      [](CceCase& o) { o.upstream.clear(); });
  if (c.upstream.size() > 1)
    add("upstream of the first token", "upstream[0] is taken for every token",
        [&](CceCase& o) { o.upstream.assign(c.upstream.size(), c.upstream[0]); });
  add("no smoothing", "all gradients are those without label_smoothing: it is forgotten",
      [](CceCase& o) { o.label_smoothing = 0; });
  add("no z-loss", "all gradients are those without z_loss: it is forgotten", [](CceCase& o) { o.z_loss = 0; });
  add("no softcap", "all gradients are those without logit_softcap: it is forgotten",
      [](CceCase& o) { o.logit_softcap = 0; });
  add("no bias", "dhidden and dweight are those without the bias: it is forgotten", [](CceCase& o) { o.bias.clear(); });
  for (const Reduction reduction : {Reduction::sum, Reduction::mean})
    if (c.reduction != Reduction::none && c.reduction != reduction)
      add("other reduction",
          fmt::format("all gradients are those of reduction {}, where {} is asked for",
                      reduction == Reduction::sum ? "sum" : "mean", reduction == Reduction::sum ? "mean" : "sum"),
          [&](CceCase& o) { o.reduction = reduction; });
  return all;
}

/// The softmax's sum, and the part of dhidden [N, H] that it divides: w_n (1 + 2 zeta lse) sum_v p_v dx_v/dz_v
/// weight_v.
NamedSum softmax(const CceCase& c) {
  NamedSum sum{"the softmax's sum", "entry", std::vector<double>(index(c.N * c.H)),
               std::vector<std::vector<double>>(index(c.N))};
  const CceProblem<float> problem = c.view();
  const auto terms = reference::terms_of<double>(problem);
  const std::vector<double> weight(c.weight.begin(), c.weight.end()), bias(c.bias.begin(), c.bias.end());
  for (std::int64_t n = 0; n < c.N; ++n) {
    if (c.is_ignored(n)) continue;
    const auto first = c.hidden.begin() + n * c.H;
    const std::vector<double> hidden(first, first + c.H);
    const auto row = reference::cce_row<double>(hidden, weight, bias, c.targets[index(n)], terms);
    std::vector<double> dz(row.p);
    for (std::size_t v = 0; v < dz.size(); ++v)
      dz[v] *= c.token_weight(n) * (1 + 2 * c.z_loss * row.lse) * row.derivative[v];
    const std::span<double> part(sum.part);
    reference::add_gradient_wrt_hidden<double>(dz, weight, part.subspan(index(n * c.H), index(c.H)));
    sum.shares[index(n)] = row.p;
  }
  return sum;
}

void diagnose(const CceKernel& kernel, const CceCase& c, const CceRun& run, int digits, GradientJudgement& judgement) {
  judgement.patterns = unwritten(run);
  for (const JudgedGradient& gradient : judgement.gradients) {
    if (!any_wrong(gradient)) continue;
    const bool by_token = gradient.name == "dhidden";
    const auto regions = by_token ? token_regions(c, gradient) : entry_regions(c, gradient);
    if (by_token)
      for (Pattern& pattern : missing_summands(gradient, softmax(c))) judgement.patterns.push_back(std::move(pattern));
    for (Pattern& pattern : patterns_of(gradient, {regions, factors(c, gradient, by_token), 0}))
      judgement.patterns.push_back(std::move(pattern));
  }
  for (const Other& other : others(c)) {
    const auto held = gradients_of(kernel, other.problem, run, truth_of(other.problem, digits));
    if (std::none_of(held.begin(), held.end(), any_wrong)) judgement.patterns.push_back({other.key, other.sentence});
  }
}

}  // namespace

GradientJudgement CceOperation::judge_gradients(const CceKernel& kernel, const CceCase& c, int digits) {
  const CceRun run = run_valid(kernel, c);
  GradientJudgement judgement;
  judgement.gradients = gradients_of(kernel, c, run, truth_of(c, digits));
  if (!run.out_of_bounds_writes.empty()) judgement.out_of_bounds_write = run.out_of_bounds_writes[0];
  if (judgement.is_wrong()) diagnose(kernel, c, run, digits, judgement);
  return judgement;
}

CceProfile CceOperation::gradcheck_profile(const CceKernel&) {
  return {.min_tokens = 2, .many_entries = 0.06};
}

}  // namespace assay::validation
