// The parts of svd and randomized_svd around the decomposition: validation, threads, types, exceptions.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <limits>
#include <mutex>
#include <sstream>
#include <type_traits>
#include <vector>

#include "metal/cpu/parallel.h"
#include "metal/cpu/svd/single.h"
#include "metal/cpu/svd/stored.h"
#include "metal/cpu/svd/svd.h"
#include "reference/svd/validate.h"

namespace assay::metal::cpu {

/// Throws std::invalid_argument for whatever is wrong with a call for `K` singular triplets, except for elements of A.
template <class Real>
void validate_svd_call(const reference::SvdProblem<Real>& problem, const SvdOutput<Real>& output, std::int64_t K,
                       int threads) {
  using reference::detail::expect_size;
  reference::validate(problem);
  if (threads < 0) reference::detail::refuse("threads = ", threads, ": expected at least 0");
  constexpr std::int64_t max_extent = std::numeric_limits<int>::max() / 2;
  if (problem.M > max_extent || problem.N > max_extent)
    reference::detail::refuse("M = ", problem.M, ", N = ", problem.N, ": expected at most ", max_extent,
                              ", which the BLAS can count");
  expect_size("S", output.S.size(), "B * K", problem.B * K);
  if (output.U.empty() && output.Vh.empty()) return;
  expect_size("U", output.U.size(), "B * M * K, or Vh empty too", problem.B * problem.M * K);
  expect_size("Vh", output.Vh.size(), "B * K * N, or U empty too", problem.B * K * problem.N);
}

inline SvdTrouble trouble(SvdEnd end) {
  return {end == SvdEnd::not_finite ? 0 : -1, end == SvdEnd::not_converged ? 0 : -1};
}

/// Divides the matrices of a batch over threads, `at_once` matrices at a time.
template <class Real>
class SvdCall {
 public:
  using T = reference::SingularValue<Real>;

  SvdCall(const reference::SvdProblem<Real>& problem, const SvdOutput<Real>& output, std::int64_t K, int threads,
          std::int64_t at_once)
      : problem_(problem),
        output_(output),
        K_(K),
        at_once_(at_once),
        tasks_(static_cast<std::size_t>((problem.B + at_once - 1) / at_once)),
        workers_(worker_count(threads, tasks_)),
        threads_of_matrix_(worker_count(threads, std::numeric_limits<std::size_t>::max()) / workers_) {
    if constexpr (converts)
      for (std::size_t worker = 0; worker < workers_; ++worker)
        stored_.emplace_back(at_once, problem.M, problem.N, K, !output.U.empty());
  }

  std::size_t workers() const { return workers_; }

  /// The threads that share a matrix: more than one where there are fewer matrices than threads.
  std::size_t threads_of_matrix() const { return threads_of_matrix_; }

  /// Calls decompose(worker, first, count) for matrices first .. first + count - 1, until all are done. Rethrows its
  /// exceptions, and throws as svd does for the trouble that it returns.
  template <class Decompose>
  void run(const Decompose& decompose, int sweep_limit) {
    for_each_piece(tasks_, workers_, [&](std::size_t worker, std::size_t task) {
      try {
        run_task(decompose, worker, static_cast<std::int64_t>(task) * at_once_);
      } catch (...) {  // out of memory
        const std::scoped_lock lock(mutex_);
        error_ = std::current_exception();
      }
    });
    if (error_) std::rethrow_exception(error_);
    if (not_finite_ != none) reference::validate_values(problem_);
    if (not_converged_ == none) return;
    std::ostringstream message;
    message << "A[b=" << not_converged_ << "]: columns not orthogonal after " << sweep_limit << " sweeps";
    throw SvdNotConverged(message.str());
  }

 private:
  static constexpr bool converts = !std::is_same_v<Real, T>;
  static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();

  template <class Decompose>
  void run_task(const Decompose& decompose, std::size_t worker, std::int64_t first) {
    const std::int64_t count = std::min(at_once_, problem_.B - first);
    SvdMatrix<T> matrix = first_of(worker, first, count);
    matrix.S = output_.S.data() + first * K_;
    const SvdTrouble trouble = decompose(worker, matrix, count);
    note(not_finite_, trouble.not_finite, first);
    note(not_converged_, trouble.not_converged, first);
    if constexpr (converts)
      if (trouble.not_finite < 0 && trouble.not_converged < 0) stored_[worker].store(output_, first, count);
  }

  SvdMatrix<T> first_of(std::size_t worker, std::int64_t first, [[maybe_unused]] std::int64_t count) {
    if constexpr (converts) {
      return stored_[worker].load(problem_, first, count);
    } else {
      SvdMatrix<T> matrix = {problem_.A.data() + first * problem_.M * problem_.N, problem_.M, problem_.N};
      if (output_.U.empty()) return matrix;
      matrix.U = output_.U.data() + first * problem_.M * K_;
      matrix.Vh = output_.Vh.data() + first * K_ * problem_.N;
      return matrix;
    }
  }

  static void note(std::atomic<std::int64_t>& lowest, std::int64_t found, std::int64_t first) {
    if (found < 0) return;
    std::int64_t before = lowest;
    while (first + found < before && !lowest.compare_exchange_weak(before, first + found)) {
    }
  }

  const reference::SvdProblem<Real>& problem_;
  const SvdOutput<Real>& output_;
  std::int64_t K_, at_once_;
  std::size_t tasks_, workers_, threads_of_matrix_;
  std::vector<StoredMatrices<Real>> stored_;
  std::atomic<std::int64_t> not_finite_ = none, not_converged_ = none;
  std::mutex mutex_;
  std::exception_ptr error_;
};

}  // namespace assay::metal::cpu
