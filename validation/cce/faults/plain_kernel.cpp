#include "validation/cce/faults/plain_kernel.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <variant>

#include "metal/cpu/half.h"
#include "validation/cce/fields.h"
#include "validation/core/any_span.h"
#include "validation/core/index.h"
#include "validation/core/infinity.h"

namespace assay::validation {

void PlainCceKernel::check(const metal::AnyCceProblem& problem, const metal::AnyCceOutput& out) const {
  CceFields::validate(problem, out);
}

bool PlainCceKernel::is_ignored(const Work& work, std::int64_t n) const {
  return work.options.is_ignored(n);
}

std::int64_t PlainCceKernel::count_valid(const Work& work) const {
  std::int64_t valid = 0;
  for (std::int64_t n = 0; n < work.N(); ++n) valid += is_ignored(work, n) ? 0 : 1;
  return valid;
}

double PlainCceKernel::logit(const Work& work, std::int64_t n, std::int64_t v) const {
  double z = work.bias.empty() ? 0 : work.bias[index(v)];
  for (std::int64_t h = 0; h < work.H(); ++h)
    z += work.hidden[index(n * work.H() + h)] * work.weight[index(v * work.H() + h)];
  return z;
}

bool PlainCceKernel::has_softcap(const Work& work) const {
  return work.options.logit_softcap > 0 && std::isfinite(work.options.logit_softcap);
}

double PlainCceKernel::capped(const Work& work, double z) const {
  const double cap = work.options.logit_softcap;
  return has_softcap(work) ? cap * std::tanh(z / cap) : z;
}

double PlainCceKernel::slope(const Work& work, double z) const {
  if (!has_softcap(work)) return 1;
  const double tanh = std::tanh(z / work.options.logit_softcap);
  return 1 - tanh * tanh;
}

std::int64_t PlainCceKernel::chunk(const Work& work) const {
  return work.request.chunk > 0 ? work.request.chunk : 1024;
}

PlainCceKernel::Running PlainCceKernel::add(const Running& running, double x) const {
  return merge(running, {x, 1});
}

PlainCceKernel::Running PlainCceKernel::merge(const Running& a, const Running& b) const {
  const double max = std::max(a.max, b.max);
  if (max == -infinity) return {max, 0};  // every x so far is -inf: x - max would be NaN
  return {max, a.sum * std::exp(a.max - max) + b.sum * std::exp(b.max - max)};
}

PlainCceKernel::Running PlainCceKernel::sum_exponentials(const Work& work, const Numbers& x) const {
  Running all{-infinity, 0};
  for (std::int64_t first = 0; first < work.V(); first += chunk(work)) {
    Running part{-infinity, 0};
    const std::int64_t last = std::min(work.V(), first + chunk(work));
    for (std::int64_t v = first; v < last; ++v) part = add(part, x[index(v)]);
    all = merge(all, part);
  }
  return all;
}

double PlainCceKernel::target_logit(const Work&, const Token& token) const {
  return token.x[index(token.target)];
}

double PlainCceKernel::loss(const Work& work, const Token& token) const {
  const double eps = work.options.label_smoothing;
  const auto above = [&](double x) { return token.exponentials.above(x); };
  double loss = work.options.z_loss * token.lse() * token.lse();
  if (eps < 1) loss += (1 - eps) * above(target_logit(work, token));
  for (std::int64_t v = 0; eps > 0 && v < work.V(); ++v)
    loss += eps / static_cast<double>(work.V()) * above(token.x[index(v)]);
  return std::max(loss, 0.0);
}

double PlainCceKernel::loss_share(const Work& work) const {
  if (work.options.reduction != Reduction::mean) return 1;
  return work.valid > 0 ? 1 / static_cast<double>(work.valid) : 0;
}

double PlainCceKernel::ignored_loss(const Work&, std::int64_t) const {
  return 0;
}

double PlainCceKernel::reduced_loss(const Work& work) const {
  double sum = 0;
  for (std::int64_t n = 0; n < work.N(); ++n)
    if (!is_ignored(work, n)) sum += loss_share(work) * work.losses[index(n)];
  return sum;
}

double PlainCceKernel::weight_of(const Work& work, std::int64_t n) const {
  const auto& upstream = work.options.upstream;
  if (upstream.empty()) return loss_share(work);
  return loss_share(work) * double{upstream[work.options.reduction == Reduction::none ? index(n) : 0]};
}

double PlainCceKernel::probability(const Work&, const Token& token, std::int64_t v) const {
  return std::exp(-token.exponentials.above(token.x[index(v)]));
}

double PlainCceKernel::gradient_of_x(const Work& work, const Token& token, std::int64_t v) const {
  const double eps = work.options.label_smoothing;
  const double one_hot = v == token.target ? 1 - eps : 0;
  return probability(work, token, v) * (1 + 2 * work.options.z_loss * token.lse()) - one_hot -
         eps / static_cast<double>(work.V());
}

double PlainCceKernel::gradient_of_z(const Work& work, const Token& token, std::int64_t v) const {
  return weight_of(work, token.n) * gradient_of_x(work, token, v) * slope(work, token.z[index(v)]);
}

double PlainCceKernel::accumulate(const Work&, double sum, double term) const {
  return sum + term;
}

void PlainCceKernel::add_gradients(Work& work, const Token& token) const {
  const std::int64_t H = work.H();
  for (std::int64_t v = 0; v < work.V(); ++v) {
    const double g = gradient_of_z(work, token, v);
    work.dbias[index(v)] = accumulate(work, work.dbias[index(v)], g);
    for (std::int64_t h = 0; h < H; ++h) {
      double& dhidden = work.dhidden[index(token.n * H + h)];
      double& dweight = work.dweight[index(v * H + h)];
      dhidden = accumulate(work, dhidden, g * work.weight[index(v * H + h)]);
      dweight = accumulate(work, dweight, g * work.hidden[index(token.n * H + h)]);
    }
  }
}

PlainCceKernel::Token PlainCceKernel::forward(const Work& work, std::int64_t n) const {
  Token token{.n = n, .target = work.target(n), .z = {}, .x = {}};
  for (std::int64_t v = 0; v < work.V(); ++v) {
    token.z.push_back(logit(work, n, v));
    token.x.push_back(capped(work, token.z.back()));
  }
  token.exponentials = sum_exponentials(work, token.x);
  return token;
}

void PlainCceKernel::run_token(Work& work, std::int64_t n) const {
  if (is_ignored(work, n)) {
    work.losses[index(n)] = ignored_loss(work, n);
    return;
  }
  const Token token = forward(work, n);
  work.log_sum_exp[index(n)] = token.lse();
  work.losses[index(n)] = loss(work, token);
  add_gradients(work, token);
}

void PlainCceKernel::compute(Work& work) const {
  for (std::int64_t n = 0; n < work.N(); ++n) run_token(work, n);
}

double PlainCceKernel::stored(Dtype dtype, double value) const {
  return rounded_to(dtype, value);
}

void PlainCceKernel::store(const Work& work, const metal::AnyCceOutput& out) const {
  if (work.options.reduction == Reduction::none) {
    for (std::size_t n = 0; n < out.loss.size(); ++n) out.loss[n] = static_cast<float>(work.losses[n]);
  } else {
    out.loss[0] = static_cast<float>(reduced_loss(work));
  }
  const auto put = [&](const metal::AnyOutput& any, const Numbers& values) {
    store_each(any, [&](std::size_t i) { return stored(work.dtype, values[i]); });
  };
  put(out.dhidden, work.dhidden);
  put(out.dweight, work.dweight);
  put(out.dbias, work.dbias);
}

void PlainCceKernel::run(const metal::AnyCceProblem& problem, const metal::AnyCceOutput& out,
                         const CceRequest& request) const {
  check(problem, out);
  Work work;
  work.options = problem.options;
  work.dtype = static_cast<Dtype>(problem.hidden.index());
  work.hidden = widened(problem.hidden);
  work.weight = widened(problem.weight);
  work.bias = widened(problem.bias);
  work.request = request;
  work.losses.resize(index(work.N()));
  work.log_sum_exp.resize(index(work.N()));
  work.dhidden.resize(index(work.N() * work.H()));
  work.dweight.resize(index(work.V() * work.H()));
  work.dbias.resize(index(work.V()));
  work.valid = count_valid(work);
  compute(work);
  store(work, out);
}

}  // namespace assay::validation
