// The kernels of the singular value decomposition on the emulator, each way of rotating on matrices of any size. Svd
// itself uses most of them for large matrices only.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include "metal/device/or_throw.h"
#include "metal/host/kernel_file.h"
#include "metal/host/svd/run.h"
#include "tests/kernels/emulated.h"
#include "tests/kernels/svd/case.h"

namespace assay::metal::test {

using host::SvdMethod;

/// The kernels that rotate.
struct SvdWay {
  std::string_view name;
  SvdMethod method;
  std::uint32_t threads_per_pair = 8;
  bool shares_work = false, shares_rotations = false;
};

inline constexpr SvdWay svd_ways[] = {{"pairs", SvdMethod::pairs},
                                      {"blocks", SvdMethod::blocks},
                                      {"sweeps_8_shared", SvdMethod::sweeps, 8, true, true},
                                      {"sweeps_8_threadgroup", SvdMethod::sweeps, 8, true},
                                      {"sweeps_8", SvdMethod::sweeps, 8},
                                      {"sweeps_32_threadgroup", SvdMethod::sweeps, 32, true},
                                      {"sweeps_32", SvdMethod::sweeps, 32}};

/// The ways for most tests: blocks take 512 threads for a matrix of any size.
inline auto quick_svd_ways() {
  return testing::Values(svd_ways[0], svd_ways[2], svd_ways[6]);
}

inline SvdWay svd_way(std::string_view name) {
  return *std::ranges::find(svd_ways, name, &SvdWay::name);
}

inline void PrintTo(const SvdWay& way, std::ostream* out) {
  *out << way.name;
}

inline std::string name_of_way(const testing::TestParamInfo<SvdWay>& info) {
  return std::string(info.param.name);
}

class SvdBench {
 public:
  explicit SvdBench(const emulator::EmulatorOptions& options = {})
      : device_(std::make_shared<emulator::EmulatorDevice>(options)) {
    pipelines_.emplace(device_, or_throw(device_->new_library_from_file(host::kernel_file("svd/svd.metal"))));
  }

  /// Takes the kernels that rotate, or all kernels, from this text.
  void rotate_by(const std::string& source) { rotating_.emplace(device_, or_throw(device_->new_library(source))); }
  void use(const std::string& source) {
    rotating_.reset();
    pipelines_.emplace(device_, or_throw(device_->new_library(source)));
  }

  template <class Real = float>
  Result<void> try_run(const SvdWay& way, const SvdProblem<Real>& problem, SvdResults<Real>& results) {
    const host::SvdStatement statement = statement_of(way, problem, !results.U.empty());
    host::SvdKernels kernels = or_throw(host::svd_kernels(*pipelines_, device_->limits(), statement));
    kernels.rotate.pipeline =
        or_throw(rotating().get(host::svd_rotate_name(statement), host::svd_constants(statement)));
    const host::SvdRun run = or_throw(host::SvdRun::start(engine(), statement, kernels, std::as_bytes(problem.A)));
    if (Result<void> done = run.finish(0); !done) return done;
    const auto take = [](const std::byte* from, auto& to) {
      if (!to.empty()) std::memcpy(to.data(), from, std::span(to).size_bytes());
    };
    take(run.left(), results.U);
    take(run.values(), results.S);
    take(run.right(), results.Vh);
    return {};
  }

  template <class Real = float>
  SvdResults<Real> run(const SvdWay& way, const SvdCase& c, bool with_vectors = true) {
    const TypedSvd<Real> typed(c);
    SvdResults<Real> results(typed.problem(), with_vectors);
    or_throw(try_run(way, typed.problem(), results));
    return results;
  }

  std::uint32_t max_sweeps = 60;

  emulator::EmulatorDevice& device() const { return *device_; }
  host::Pipelines& rotating() { return rotating_ ? *rotating_ : *pipelines_; }
  host::SvdEngine engine() { return {*device_, *queue_, mutex_}; }

  /// The findings of the checks so far, as text; empty if there are none.
  std::string reports() const { return text_of_reports(*device_); }

 private:
  template <class Real>
  host::SvdStatement statement_of(const SvdWay& way, const SvdProblem<Real>& problem, bool with_vectors) const {
    host::SvdStatement statement = host::svd_statement(problem, with_vectors, host::SvdPath::production, max_sweeps);
    statement.method = way.method;
    statement.threads_per_pair = way.threads_per_pair;
    statement.shares_work = way.shares_work;
    statement.shares_rotations = way.shares_rotations && with_vectors;
    if (way.method == SvdMethod::blocks) statement.shape.padded = (statement.shape.columns + 31) / 32 * 32;
    statement.shape.groups = statement.groups();
    statement.sweeps_at_once = way.method == SvdMethod::sweeps ? max_sweeps : 1;
    return statement;
  }

  std::shared_ptr<emulator::EmulatorDevice> device_;
  std::optional<host::Pipelines> pipelines_, rotating_;
  std::shared_ptr<CommandQueue> queue_ = device_->new_command_queue();
  std::mutex mutex_;
};

}  // namespace assay::metal::test
