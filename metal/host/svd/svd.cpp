#include "metal/host/svd/svd.h"

#include <cstring>
#include <utility>

#include "metal/host/svd/kernels.h"
#include "metal/host/svd/outputs.h"
#include "metal/host/svd/run.h"
#include "reference/svd/validate.h"

namespace assay::metal {

using reference::SvdProblem;

namespace {

Result<void> check(const SvdOptions& options) {
  if (options.max_sweeps > 0) return {};
  return error(Error::Kind::argument, "max_sweeps = 0: expected at least 1");
}

/// Elements of matrices first .. first + count - 1, of those that `whole` has of B.
template <class T>
std::span<T> part_of(std::span<T> whole, std::uint64_t B, std::uint64_t first, std::uint64_t count) {
  const std::size_t matrix = whole.size() / B;
  return whole.subspan(first * matrix, count * matrix);
}

template <class T>
void copy_out(const host::SvdRun& run, svd::BufferIndex index, std::span<T> to) {
  if (!to.empty()) std::memcpy(to.data(), run.contents(index), to.size_bytes());
}

}  // namespace

Result<Svd> Svd::create(std::shared_ptr<Device> device, const SvdOptions& options) {
  if (const Result<void> fits = check(options); !fits) return tl::unexpected(fits.error());
  if (!device) return Svd(nullptr, nullptr, nullptr, options);
  auto library = host::library_of(*device, options.kernels, "svd/svd.metal");
  if (!library) return tl::unexpected(library.error());
  return create(std::move(device), std::move(*library), options);
}

Result<Svd> Svd::create(std::shared_ptr<Device> device, std::shared_ptr<Library> library, const SvdOptions& options) {
  if (const Result<void> fits = check(options); !fits) return tl::unexpected(fits.error());
  auto engine = host::engine_of(device, std::move(library));
  if (!engine) return tl::unexpected(engine.error());
  return Svd(std::move(device), std::move(engine->queue), std::move(engine->pipelines), options);
}

template <class Real>
bool Svd::is_on_device() const {
  if (!device_ || std::is_same_v<Real, double>) return false;
  if constexpr (!std::is_same_v<Real, BFloat16>) return true;
  return pipelines_->has_function(host::svd_load_name("bfloat"));
}

template <class Real>
Result<void> Svd::compute(const SvdProblem<Real>& problem, const SvdOutput<Real>& output) const {
  if (const Result<void> fits =
          host::check_svd_extents(static_cast<std::uint64_t>(problem.M), static_cast<std::uint64_t>(problem.N));
      !fits)
    return fits;
  if (problem.B == 0 || problem.K() == 0) return {};
  const host::SvdStatement statement =
      host::svd_statement(problem, !output.U.empty(), options_.path, options_.max_sweeps);
  const auto kernels = host::svd_kernels(*pipelines_, device_->limits(), statement);
  if (!kernels) return tl::unexpected(kernels.error());
  const host::SvdEngine engine{*device_, *queue_, *mutex_};
  const std::uint64_t B = statement.B, chunk = host::svd_chunk(device_->limits(), statement, options_.workspace_bytes);
  for (std::uint64_t first = 0; first < B; first += chunk) {
    const std::uint64_t count = std::min(chunk, B - first);
    const auto run =
        host::SvdRun::start(engine, statement, *kernels, count, std::as_bytes(part_of(problem.A, B, first, count)));
    if (!run) return tl::unexpected(run.error());
    if (const Result<void> done = run->finish(first); !done) return done;
    copy_out(*run, svd::left_index, part_of(output.U, B, first, count));
    copy_out(*run, svd::values_index, part_of(output.S, B, first, count));
    copy_out(*run, svd::right_index, part_of(output.Vh, B, first, count));
  }
  return {};
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

Result<bool> Svd::reload_if_changed() const {
  return device_ ? pipelines_->reload_if_changed() : Result<bool>(false);
}

#define ASSAY_INSTANTIATE(Real)                  \
  template bool Svd::is_on_device<Real>() const; \
  template Result<void> Svd::operator()(const SvdProblem<Real>&, const SvdOutput<Real>&) const;
ASSAY_INSTANTIATE(float)
ASSAY_INSTANTIATE(double)
ASSAY_INSTANTIATE(Half)
ASSAY_INSTANTIATE(BFloat16)
#undef ASSAY_INSTANTIATE

}  // namespace assay::metal
