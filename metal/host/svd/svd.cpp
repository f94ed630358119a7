#include "metal/host/svd/svd.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "metal/host/svd/kernels.h"
#include "metal/host/svd/outputs.h"
#include "metal/host/svd/run.h"
#include "reference/svd/validate.h"

namespace assay::metal {

using reference::SvdProblem;

namespace {

template <class T>
void copy_out(const std::byte* from, std::span<T> to) {
  if (!to.empty()) std::memcpy(to.data(), from, to.size_bytes());
}

}  // namespace

Result<void> Svd::check(const SvdOptions& options) {
  if (options.max_sweeps > 0) return {};
  return error(Error::Kind::argument, "max_sweeps = 0: expected at least 1");
}

std::string Svd::bfloat_kernel() const {
  return host::svd_load_name("bfloat");
}

template <class Real>
Result<void> Svd::compute(const SvdProblem<Real>& problem, const SvdOutput<Real>& output) const {
  if (const Result<void> fits =
          host::check_svd_extents(static_cast<std::uint64_t>(problem.M), static_cast<std::uint64_t>(problem.N));
      !fits)
    return fits;
  if (problem.B == 0 || problem.K() == 0) return {};
  host::SvdStatement statement = host::svd_statement(problem, !output.U.empty(), options_.path, options_.max_sweeps);
  statement.max_work = options_.max_work;
  const auto kernels = host::svd_kernels(*pipelines_, device_->limits(), statement);
  if (!kernels) return tl::unexpected(kernels.error());
  const host::SvdEngine engine{*device_, *queue_, *mutex_};
  const std::uint64_t B = statement.B, chunk = host::svd_chunk(device_->limits(), statement, options_.workspace_bytes);
  for (std::uint64_t first = 0; first < B; first += chunk) {
    const std::uint64_t count = std::min(chunk, B - first);
    statement.B = count;
    const host::SvdStatement part = host::with_divided_work(statement, count);
    const auto run =
        host::SvdRun::start(engine, part, *kernels, std::as_bytes(host::part_of(problem.A, B, first, count)));
    if (!run) return tl::unexpected(run.error());
    if (const Result<void> done = run->finish(first); !done) return done;
    copy_out(run->left(), host::part_of(output.U, B, first, count));
    copy_out(run->values(), host::part_of(output.S, B, first, count));
    copy_out(run->right(), host::part_of(output.Vh, B, first, count));
  }
  return {};
}

template <class Real>
Result<SvdPlan> Svd::prepare(const SvdProblem<Real>& problem, bool with_vectors) const {
  reference::validate_without_elements(problem);
  if (!device_) return error(Error::Kind::environment, "there is no device to prepare a plan for");
  if (!is_on_device<Real>())
    return error(Error::Kind::environment, fmt::format("the library has no function {}: expected another type of "
                                                       "matrices on this device",
                                                       host::svd_load_name(host::metal_type<Real>())));
  if (const Result<void> fits =
          host::check_svd_extents(static_cast<std::uint64_t>(problem.M), static_cast<std::uint64_t>(problem.N));
      !fits)
    return tl::unexpected(fits.error());
  host::SvdStatement statement = host::svd_statement(problem, with_vectors, options_.path, options_.max_sweeps);
  statement.max_work = options_.max_work;
  if (problem.K() == 0) statement.B = 0;
  if (statement.B == 0) return host::svd_plan(*device_, statement, {}, 1);
  const auto kernels = host::svd_kernels(*pipelines_, device_->limits(), statement);
  if (!kernels) return tl::unexpected(kernels.error());
  const std::lock_guard lock(*mutex_);
  const std::uint64_t chunk = host::svd_chunk(device_->limits(), statement, options_.workspace_bytes);
  return host::svd_plan(*device_, host::with_divided_work(statement, chunk), *kernels, chunk);
}

template <class Real>
Result<void> Svd::operator()(const SvdProblem<Real>& problem, const SvdOutput<Real>& output) const {
  if constexpr (std::is_same_v<Real, double>) {
    return host::on_cpu([&] { metal::svd(problem, output); });
  } else {
    if (!is_on_device<Real>()) return host::on_cpu([&] { metal::svd(problem, output); });
    reference::validate(problem);
    host::validate_output(problem, problem.K(), output);
    reference::validate_values(problem);
    return compute(problem, output);
  }
}

#define ASSAY_INSTANTIATE(Real) \
  template Result<void> Svd::operator()(const SvdProblem<Real>&, const SvdOutput<Real>&) const;
ASSAY_INSTANTIATE(float)
ASSAY_INSTANTIATE(double)
ASSAY_INSTANTIATE(Half)
ASSAY_INSTANTIATE(BFloat16)
#undef ASSAY_INSTANTIATE

template Result<SvdPlan> Svd::prepare(const SvdProblem<float>&, bool) const;
template Result<SvdPlan> Svd::prepare(const SvdProblem<Half>&, bool) const;
template Result<SvdPlan> Svd::prepare(const SvdProblem<BFloat16>&, bool) const;

}  // namespace assay::metal
