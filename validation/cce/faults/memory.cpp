// Faults of memory and repeatability: writes past an end, elements left as they were, state kept, threads.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <type_traits>
#include <variant>
#include <vector>

#include "validation/cce/faults/faults.h"
#include "validation/cce/faults/plain_kernel.h"
#include "validation/core/any_span.h"

namespace assay::validation::cce {
namespace {

struct WritesPastWeight final : PlainCceKernel {
  static constexpr FaultNote note{"writes-past-dweight", "a whole tile is stored where the last entries end",
                                  "outside"};
  void store(const Work& work, const metal::AnyCceOutput& out) const override {
    PlainCceKernel::store(work, out);
    change_output(out.dweight, [](const auto& span) { *(span.data() + span.size()) = {}; });
  }
};

struct WritesBeforeLoss final : PlainCceKernel {
  static constexpr FaultNote note{"writes-before-loss", "loss[-1] for the carry of a scan", "outside"};
  void store(const Work& work, const metal::AnyCceOutput& out) const override {
    PlainCceKernel::store(work, out);
    *(out.loss.data() - 1) = 0;
  }
};

struct IgnoredRowsUnwritten final : PlainCceKernel {
  static constexpr FaultNote note{"ignored-rows-unwritten", "dhidden of ignored tokens is left as it was", "inside"};
  void store(const Work& work, const metal::AnyCceOutput& out) const override {
    const auto keep = [&](const auto& span) {
      std::vector<typename std::decay_t<decltype(span)>::element_type> before(span.begin(), span.end());
      PlainCceKernel::store(work, out);
      for (std::int64_t i = 0; i < work.N() * work.H(); ++i)
        if (is_ignored(work, i / work.H())) span[static_cast<std::size_t>(i)] = before[static_cast<std::size_t>(i)];
    };
    if (is_empty(out.dhidden)) return PlainCceKernel::store(work, out);
    change_output(out.dhidden, keep);
  }
};

struct LossUnwritten final : PlainCceKernel {
  static constexpr FaultNote note{"loss-of-nothing-unwritten", "without tokens the reduced loss is not written",
                                  "empty"};
  void store(const Work& work, const metal::AnyCceOutput& out) const override {
    const bool nothing = work.valid == 0 && work.options.reduction != Reduction::none;
    const float before = out.loss.empty() ? 0 : out.loss[0];
    PlainCceKernel::store(work, out);
    if (nothing) out.loss[0] = before;
  }
};

struct AddedToOutput final : PlainCceKernel {
  static constexpr FaultNote note{"dweight-added-to-output", "dweight += where dweight = is due", "inside"};
  void store(const Work& work, const metal::AnyCceOutput& out) const override {
    const auto add = [&](const auto& span) {
      std::vector<float> before(span.begin(), span.end());
      PlainCceKernel::store(work, out);
      using Real = typename std::decay_t<decltype(span)>::element_type;
      for (std::size_t i = 0; i < span.size(); ++i)
        if (float{span[i]} == 0) span[i] = static_cast<Real>(double{before[i]});
    };
    if (is_empty(out.dweight)) return PlainCceKernel::store(work, out);
    change_output(out.dweight, add);
  }
};

struct AtomicOrder final : PlainCceKernel {
  static constexpr FaultNote note{"order-of-atomics", "sums in the order of arrival: every other run differs by a bit",
                                  "repeat"};
  void store(const Work& work, const metal::AnyCceOutput& out) const override {
    PlainCceKernel::store(work, out);
    const bool odd = (runs_++ & 1) != 0;
    if (odd && !out.loss.empty() && out.loss[0] > 0) out.loss[0] = std::nextafter(out.loss[0], 1e30F);
  }

 private:
  mutable std::atomic<int> runs_ = 0;
};

struct RemainderOfThreads final : PlainCceKernel {
  static constexpr FaultNote note{"remainder-of-threads", "N / threads tokens for each thread, and none does the rest",
                                  "threads"};
  void compute(Work& work) const override {
    const std::int64_t threads = std::max(work.request.threads, 1);
    const std::int64_t done = work.N() < threads ? work.N() : work.N() / threads * threads;
    for (std::int64_t n = 0; n < done; ++n) run_token(work, n);
  }
};

struct RowOfWidestCall final : PlainCceKernel {
  static constexpr FaultNote note{"row-of-widest-call",
                                  "the log-sum-exp runs over the widest vocabulary so far: buffers only ever grow",
                                  "two-shapes"};
  Running sum_exponentials(const Work& work, const Numbers& x) const override {
    const std::scoped_lock lock(mutex_);
    row_.resize(std::max(row_.size(), x.size()));
    std::copy(x.begin(), x.end(), row_.begin());
    Work widest = work;
    widest.options.V = static_cast<std::int64_t>(row_.size());
    return PlainCceKernel::sum_exponentials(widest, row_);
  }

 private:
  mutable std::mutex mutex_;
  mutable Numbers row_;
};

struct OrderByBatch final : PlainCceKernel {
  static constexpr FaultNote note{
      "order-by-batch", "from 8 tokens on, sums are taken in another order: a token's last bits depend on N", "batch"};
  double loss(const Work& work, const Token& token) const override {
    return PlainCceKernel::loss(work, token) * (work.N() < 8 ? 1 : 1 + 0x1p-26);
  }
};

struct BiasWithWeightOnly final : PlainCceKernel {
  static constexpr FaultNote note{"dbias-with-dweight-only", "dbias is left at 0 unless dweight is asked for",
                                  "outputs"};
  void store(const Work& work, const metal::AnyCceOutput& out) const override {
    PlainCceKernel::store(work, out);
    if (!is_empty(out.dweight)) return;
    change_output(out.dbias, [](const auto& span) {
      for (auto& element : span) element = {};
    });
  }
};

}  // namespace

std::vector<CceFault> memory_faults() {
  return plant_all<CceOperation, WritesPastWeight, WritesBeforeLoss, IgnoredRowsUnwritten, LossUnwritten, AddedToOutput,
                   AtomicOrder, RemainderOfThreads, RowOfWidestCall, OrderByBatch, BiasWithWeightOnly>(
      plain_cce_kernel());
}

}  // namespace assay::validation::cce
