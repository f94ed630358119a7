#include "metal/host/cce/cce.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "metal/host/cce/budget.h"
#include "metal/host/cce/outputs.h"
#include "metal/host/cce/tokens.h"
#include "metal/host/failure.h"
#include "reference/cce/validate.h"

namespace assay::metal {

using reference::CceProblem;

namespace {

template <class Real>
host::CceWork backward_work(const CceGradients<Real>& gradients) {
  return {false, !gradients.dhidden.empty(), !gradients.dweight.empty(), !gradients.dbias.empty()};
}

/// The lse of each token as the kernels take it: minus the offset, as an unevaluated sum of two floats.
std::vector<cce::LogSum> log_sums(std::span<const cce::Token> tokens, double offset,
                                  std::span<const double> log_sum_exp) {
  std::vector<cce::LogSum> sums;
  for (std::size_t i = 0; !log_sum_exp.empty() && i < tokens.size(); ++i) {
    const double lse = log_sum_exp[tokens[i].row] - offset;
    const auto high = static_cast<float>(lse);
    sums.push_back({high, static_cast<float>(lse - double{high})});
  }
  return sums;
}

template <class Real>
Result<void> check_extents(const CceProblem<Real>& problem) {
  return host::check_cce_extents(static_cast<std::uint64_t>(problem.N), static_cast<std::uint64_t>(problem.H),
                                 static_cast<std::uint64_t>(problem.V));
}

std::uint64_t chunk_of(const Device& device, const host::CceStatement& statement, const CceOptions& options) {
  if (options.chunk != 0) return options.chunk;
  const host::CceMemory memory{device.limits().recommended_max_working_set_size, device.current_allocated_size(),
                               host::cce_fixed_bytes(statement)};
  const std::uint64_t fitting =
      host::cce_chunk(statement, host::cce_budget(statement.path, memory, options.workspace_bytes));
  if (statement.path == CcePath::plain) return fitting;
  return std::min(fitting, host::cce_block_rows(options.max_work / host::saturated_product(statement.V, statement.H)));
}

}  // namespace

Result<void> LinearCrossEntropy::check(const CceOptions& options) {
  if (options.chunk % cce::slab == 0) return {};
  return error(Error::Kind::argument,
               fmt::format("chunk = {}: expected a multiple of {}, or 0", options.chunk, static_cast<int>(cce::slab)));
}

std::string LinearCrossEntropy::bfloat_kernel() const {
  return host::cce_logits_name(options_.path, "bfloat");
}

template <class Real>
Result<CcePlan> LinearCrossEntropy::plan(const CceProblem<Real>& problem, const host::CceTables& tables,
                                         const CceWork& work) const {
  host::CceStatement statement = host::cce_statement(problem, tables.tokens.size(), work, options_.path);
  statement.chunk = chunk_of(*device_, statement, options_);
  statement.max_work = options_.max_work;
  return host::cce_plan(*device_, *pipelines_, statement, tables);
}

template <class Real>
Result<CcePlan> LinearCrossEntropy::prepare(const CceProblem<Real>& problem, const CceWork& work) const {
  reference::validate_without_arrays(problem);
  reference::detail::validate_bias(problem);
  if (!device_) return error(Error::Kind::environment, "there is no device to prepare a plan for");
  if (!is_on_device<Real>())
    return error(Error::Kind::environment,
                 fmt::format("the library has no function {}: expected another type of hidden on this device",
                             host::cce_logits_name(options_.path, host::metal_type<Real>())));
  if (work.dbias && problem.bias.empty())
    return error(Error::Kind::argument, "work.dbias = true: expected false, for the problem has no bias");
  if (const Result<void> fits = check_extents(problem); !fits) return tl::unexpected(fits.error());
  const host::CceTables tables = host::cce_tables(problem);
  const std::lock_guard lock(*mutex_);
  return plan(problem, tables, work);
}

template <class Real>
Result<host::CceResults> LinearCrossEntropy::compute(const CceProblem<Real>& problem, const CceWork& work,
                                                     std::span<const double> log_sum_exp) const {
  if (const Result<void> fits = check_extents(problem); !fits) return tl::unexpected(fits.error());
  host::CceTables tables = host::cce_tables(problem);
  host::CceResults results;
  if (tables.tokens.empty()) return results;
  std::unique_lock lock(*mutex_);
  const Result<CcePlan> made = plan(problem, tables, work);
  if (!made) return tl::unexpected(made.error());
  results.tokens = std::move(tables.tokens);
  results.offset = made->statement().shape.offset;
  if (made->dispatches().empty()) return results;
  const std::vector<cce::LogSum> given = log_sums(results.tokens, results.offset, log_sum_exp);
  Result<host::CceRun> run = host::CceRun::start(
      *device_, *queue_, *made,
      {std::as_bytes(problem.hidden), std::as_bytes(problem.weight), std::as_bytes(problem.bias), given});
  lock.unlock();
  if (!run) return tl::unexpected(run.error());
  if (const Result<void> waited = run->wait(); !waited) return tl::unexpected(waited.error());
  results.run = std::move(*run);
  return results;
}

template <class Real>
Result<void> LinearCrossEntropy::operator()(const CceProblem<Real>& problem, const CceOutput<Real>& output) const {
  if (!is_on_device<Real>()) {
    cce_loss(problem, output);
    return {};
  }
  reference::validate(problem);
  host::validate_loss(problem, output.loss);
  host::validate_gradients(problem, output.gradients);
  reference::validate_values(problem);
  CceWork work = backward_work(output.gradients);
  work.forward = true;
  const Result<host::CceResults> results = compute(problem, work, {});
  if (!results) return tl::unexpected(results.error());
  host::write_losses(problem.reduction, *results, output.loss);
  host::write_gradients(*results, output.gradients);
  return {};
}

template <class Real>
Result<void> LinearCrossEntropy::forward(const CceProblem<Real>& problem, std::span<float> loss,
                                         std::span<double> log_sum_exp) const {
  if (!is_on_device<Real>()) {
    cce_forward(problem, loss, log_sum_exp);
    return {};
  }
  reference::validate(problem);
  host::validate_loss(problem, loss);
  reference::detail::expect_size("log_sum_exp", log_sum_exp.size(), "N", problem.N);
  reference::validate_values(problem);
  const Result<host::CceResults> results = compute(problem, {.forward = true}, {});
  if (!results) return tl::unexpected(results.error());
  host::write_losses(problem.reduction, *results, loss);
  host::write_log_sums(*results, results->offset, log_sum_exp);
  return {};
}

template <class Real>
Result<void> LinearCrossEntropy::backward(const CceProblem<Real>& problem, std::span<const double> log_sum_exp,
                                          const CceGradients<Real>& gradients) const {
  if (!is_on_device<Real>()) {
    cce_backward(problem, log_sum_exp, gradients);
    return {};
  }
  reference::validate(problem);
  reference::detail::expect_size("log_sum_exp", log_sum_exp.size(), "N", problem.N);
  host::validate_gradients(problem, gradients);
  reference::validate_values(problem);
  const Result<host::CceResults> results = compute(problem, backward_work(gradients), log_sum_exp);
  if (!results) return tl::unexpected(results.error());
  host::write_gradients(*results, gradients);
  return {};
}

#define ASSAY_INSTANTIATE(Real)                                                                                   \
  template Result<CcePlan> LinearCrossEntropy::prepare(const CceProblem<Real>&, const CceWork&) const;            \
  template Result<void> LinearCrossEntropy::operator()(const CceProblem<Real>&, const CceOutput<Real>&) const;    \
  template Result<void> LinearCrossEntropy::forward(const CceProblem<Real>&, std::span<float>, std::span<double>) \
      const;                                                                                                      \
  template Result<void> LinearCrossEntropy::backward(const CceProblem<Real>&, std::span<const double>,            \
                                                     const CceGradients<Real>&) const;
ASSAY_INSTANTIATE(float)
ASSAY_INSTANTIATE(Half)
ASSAY_INSTANTIATE(BFloat16)
#undef ASSAY_INSTANTIATE

}  // namespace assay::metal
