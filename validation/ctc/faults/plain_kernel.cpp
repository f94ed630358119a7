// The steps that see the whole batch: the request, the results, and the loop over rows.
#include "validation/ctc/faults/plain_kernel.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>

#include "metal/device/joined_threads.h"
#include "reference/ctc/targets.h"
#include "reference/ctc/validate.h"
#include "validation/core/index.h"

namespace assay::validation {
namespace {

using reference::Reduction;

void expect_size(const char* name, std::size_t size, std::int64_t expected) {
  if (size == index(expected)) return;
  std::ostringstream message;
  message << name << ".size() = " << size << ": expected " << expected;
  throw std::invalid_argument(message.str());
}

}  // namespace

// The request.

void PlainCtcKernel::check(const Problem& problem, const metal::CtcOutput<float>& out) const {
  reference::validate(problem);
  reference::validate_activations(problem);
  expect_size("loss", out.loss.size(), problem.reduction == Reduction::none ? problem.B : 1);
  if (!out.gradient.empty()) expect_size("gradient", out.gradient.size(), problem.T * problem.B * problem.C);
}

std::int64_t PlainCtcKernel::frames(const Problem& problem, std::int64_t b) const {
  return problem.input_lengths[index(b)];
}

PlainCtcKernel::Labels PlainCtcKernel::labels(const Problem& problem, std::int64_t b) const {
  const reference::Targets row = reference::target_rows(problem)[index(b)];
  return {row.begin(), row.end()};
}

PlainCtcKernel::Labels PlainCtcKernel::expand(const Problem& problem, const Labels& labels) const {
  Labels states = {problem.blank};
  for (const std::int64_t label : labels) states.insert(states.end(), {label, problem.blank});
  return states;
}

std::span<const float> PlainCtcKernel::frame_of(const Problem& problem, std::int64_t t, std::int64_t b) {
  return problem.activations.subspan(index((t * problem.B + b) * problem.C), index(problem.C));
}

// The results.

double PlainCtcKernel::reduction_factor(const Problem& problem, std::int64_t b) const {
  if (problem.reduction != Reduction::mean) return 1;
  const std::int64_t S_b = problem.target_lengths[index(b)];
  return 1 / (static_cast<double>(problem.B) * static_cast<double>(std::max<std::int64_t>(S_b, 1)));
}

void PlainCtcKernel::store_loss(const Problem& problem, std::span<const double> losses, std::span<float> out) const {
  if (problem.reduction == Reduction::none) {
    for (std::size_t b = 0; b < losses.size(); ++b) out[b] = to_float(losses[b]);
    return;
  }
  double sum = 0;
  for (std::int64_t b = 0; b < problem.B; ++b) sum += losses[index(b)] * reduction_factor(problem, b);
  out[0] = to_float(sum);
}

/// The float32 nearest to `value`; never -0.
float PlainCtcKernel::to_float(double value) const {
  return static_cast<float>(value) + 0.0F;
}

// The batch.

double PlainCtcKernel::run_row(const Problem& problem, std::int64_t b, std::span<float> gradient) const {
  Row row{.problem = problem, .b = b, .frames = frames(problem, b), .labels = labels(problem, b)};
  row.states = expand(problem, row.labels);
  read_log_y(row);
  row.alpha = LogMatrix(row.frames, row.L(), log_zero);
  forward(row);
  row.log_p = log_likelihood(row);
  if (!gradient.empty()) {
    row.beta = LogMatrix(row.frames, row.L(), log_zero);
    backward(row);
    store_gradient(row, gradient);
  }
  return loss(row);
}

void PlainCtcKernel::for_each_row(std::int64_t B, int threads, const std::function<void(std::int64_t)>& body) const {
  const std::int64_t workers = std::clamp<std::int64_t>(threads, 1, std::max<std::int64_t>(B, 1));
  const auto work = [&](std::int64_t first) {
    for (std::int64_t b = first; b < B; b += workers) body(b);
  };
  metal::JoinedThreads others;
  for (std::int64_t worker = 1; worker < workers; ++worker) others.add(work, worker);
  work(0);
}

void PlainCtcKernel::run(const Problem& problem, const metal::CtcOutput<float>& out, int threads) const {
  check(problem, out);
  std::vector<double> losses(index(problem.B));
  for_each_row(problem.B, threads, [&](std::int64_t b) { losses[index(b)] = run_row(problem, b, out.gradient); });
  store_loss(problem, losses, out.loss);
}

}  // namespace assay::validation
