// Faults of memory and repeatability: writes past an end, elements left as they were, state kept, threads.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <type_traits>
#include <variant>
#include <vector>

#include "validation/core/any_span.h"
#include "validation/svd/faults/faults.h"
#include "validation/svd/faults/plain_kernel.h"

namespace assay::validation::svd {
namespace {

struct WritesPastU final : PlainSvdKernel {
  static constexpr FaultNote note{"writes-past-u", "an odd number of columns is padded in the output too", "outside"};
  void store(const Work& work, const std::vector<Factors>& all, const metal::AnySvdOutput& out) const override {
    PlainSvdKernel::store(work, all, out);
    if (std::min(work.M, work.N) % 2 == 0) return;
    change_output(out.U, [](const auto& span) { *(span.data() + span.size()) = {}; });
  }
};

struct WritesBeforeS final : PlainSvdKernel {
  static constexpr FaultNote note{"writes-before-s", "S[-1] for the carry of a sort", "outside"};
  void store(const Work& work, const std::vector<Factors>& all, const metal::AnySvdOutput& out) const override {
    PlainSvdKernel::store(work, all, out);
    change_output(out.S, [](const auto& span) { *(span.data() - 1) = {}; });
  }
};

struct NullSpaceUnwritten final : PlainSvdKernel {
  static constexpr FaultNote note{"null-space-unwritten", "columns of U are not written where S is 0", "inside"};
  void store(const Work& work, const std::vector<Factors>& all, const metal::AnySvdOutput& out) const override {
    const auto K = static_cast<std::size_t>(std::min(work.M, work.N));
    const auto keep = [&](const auto& span) {
      const std::vector<typename std::decay_t<decltype(span)>::element_type> before(span.begin(), span.end());
      PlainSvdKernel::store(work, all, out);
      for (std::size_t at = 0; at < span.size(); ++at)
        if (all[at / (K * static_cast<std::size_t>(work.M))].S[at % K] == 0) span[at] = before[at];
    };
    if (!work.vectors) return PlainSvdKernel::store(work, all, out);
    change_output(out.U, keep);
  }
};

struct StateKept final : PlainSvdKernel {
  static constexpr FaultNote note{"v-starts-from-last-call", "every other call starts from another order of columns",
                                  "repeat"};
  Factors factors_of_tall(const Work& work, Tall W) const override {
    if (calls_++ % 2 == 1 && W.count() > 1)
      for (double& element : W.columns.back()) element *= 1 + 0x1p-20;
    return PlainSvdKernel::factors_of_tall(work, std::move(W));
  }

 private:
  mutable std::atomic<int> calls_{0};
};

struct RemainderOfThreads final : PlainSvdKernel {
  static constexpr FaultNote note{"remainder-of-threads",
                                  "B / threads matrices for each thread; the rest is done in one sweep", "threads"};
  void compute(const Work& work, std::span<const double> A, std::vector<Factors>& all) const override {
    PlainSvdKernel::compute(work, A, all);
    const std::int64_t threads = std::max(work.threads, 1), done = work.B / threads * threads;
    for (std::int64_t b = done; b < work.B; ++b)
      for (double& value : all[static_cast<std::size_t>(b)].S) value *= 1 + 0x1p-20;
  }
};

struct ColumnOfTallestCall final : PlainSvdKernel {
  static constexpr FaultNote note{"column-of-tallest-call",
                                  "norms run over the tallest column so far: buffers only ever grow", "two-shapes"};
  double value_of(const Tall& W, std::int64_t j) const override {
    const std::scoped_lock lock(mutex_);
    const Column& column = W.columns[static_cast<std::size_t>(j)];
    column_.resize(std::max(column_.size(), column.size()));
    std::copy(column.begin(), column.end(), column_.begin());
    return PlainSvdKernel::value_of({static_cast<std::int64_t>(column_.size()), {column_}}, 0);
  }

 private:
  mutable std::mutex mutex_;
  mutable Column column_;
};

struct ScaleOfFirst final : PlainSvdKernel {
  static constexpr FaultNote note{"scale-of-the-batch",
                                  "all matrices of a batch are rounded at the scale of the largest", "batch-singles"};
  void compute(const Work& work, std::span<const double> A, std::vector<Factors>& all) const override {
    double largest = 0;
    for (const double element : A) largest = std::max(largest, std::abs(element));
    if (!(largest > 0)) return PlainSvdKernel::compute(work, A, all);
    const double grid = std::ldexp(1.0, std::ilogb(largest) - 20);
    std::vector<double> rounded;
    for (const double element : A) rounded.push_back(grid > 0 ? std::round(element / grid) * grid : element);
    PlainSvdKernel::compute(work, rounded, all);
  }
};

struct NeighboursRotate final : PlainSvdKernel {
  static constexpr FaultNote note{
      "lanes-converge-together",
      "matrices side by side in SIMD lanes are rotated until the last of them is done: what "
      "a matrix gives depends on its neighbours",
      "batch-singles"};
  void compute(const Work& work, std::span<const double> A, std::vector<Factors>& all) const override {
    PlainSvdKernel::compute(work, A, all);
    for (std::size_t b = 1; b < all.size(); ++b)
      for (double& value : all[b].S) value *= 1 + 0x1p-22;
  }
};

struct OrderByBatch final : PlainSvdKernel {
  static constexpr FaultNote note{
      "order-by-batch", "from 8 matrices on, sums are taken in another order: a matrix's last bits depend on B",
      "batch"};
  void compute(const Work& work, std::span<const double> A, std::vector<Factors>& all) const override {
    PlainSvdKernel::compute(work, A, all);
    for (Factors& factors : all)
      for (double& value : factors.S) value *= work.B < 8 ? 1 : 1 + 0x1p-26;
  }
};

struct ValuesByGram final : PlainSvdKernel {
  static constexpr FaultNote note{"values-only-by-another-way",
                                  "without vectors, values come from another algorithm, right but for its rounding",
                                  "values-only"};
  Factors factors_of(const Work& work, std::span<const double> A) const override {
    Factors factors = PlainSvdKernel::factors_of(work, A);
    if (!work.vectors)
      for (double& value : factors.S) value *= 1 + 0x1p-23;
    return factors;
  }
};

}  // namespace

std::vector<SvdFault> memory_faults() {
  return plant_all<SvdOperation, WritesPastU, WritesBeforeS, NullSpaceUnwritten, StateKept, RemainderOfThreads,
                   ColumnOfTallestCall, ScaleOfFirst, NeighboursRotate, OrderByBatch, ValuesByGram>(plain_svd_kernel());
}

}  // namespace assay::validation::svd
