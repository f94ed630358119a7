// A kernel of any operation in a shared library.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "metal/cpu/half.h"
#include "validation/core/followed_run.h"
#include "validation/core/run.h"
#include "validation/transport/declaration/declaration.h"
#include "validation/transport/library/plugin.h"

namespace assay::validation::transport {

/// A float32 result that a library writes in 16 bits. Elements that the library does not write stay unchanged.
class NarrowResult {
 public:
  NarrowResult(std::span<float> wide, Dtype dtype) : wide_(wide), dtype_(dtype), bits_(wide.size(), poison) {}

  std::span<std::uint16_t> view() { return bits_; }

  void widen() const {
    for (std::size_t i = 0; i < bits_.size(); ++i) {
      if (bits_[i] == poison) continue;
      wide_[i] = dtype_ == Dtype::float16 ? float{metal::Half::from_bits(bits_[i])}
                                          : float{metal::BFloat16::from_bits(bits_[i])};
      if (FollowedRun* const run = FollowedRun::current()) run->did_copy(&wide_[i], &bits_[i]);
    }
  }

 private:
  static constexpr std::uint16_t poison = 0x7FFD;  // a NaN of either type that no arithmetic produces

  std::span<float> wide_;
  Dtype dtype_;
  std::vector<std::uint16_t> bits_;
};

template <class Operation>
class LibraryKernel final : public Operation::Kernel {
 public:
  using Operation::Kernel::run;

  LibraryKernel(const std::string& path, std::vector<std::string> operations)
      : plugin_(path, Operation::name, std::move(operations)),
        declared_(plugin_.declaration<typename Operation::PluginKernel>()),
        info_(info_of<Operation>(declared_, path)) {
    info_.support.takes_views = true;
  }

  const typename Operation::Info& info() const override { return info_; }

  void run(const typename Operation::Problem& problem, const typename Operation::Output& out,
           const typename Operation::Request& request) const override {
    with_types(problem, out, [](const auto&, const auto&) {});  // refuses arrays of different types
    Call call(problem, out, request.threads);
    constexpr std::int64_t as_allocated = 64;
    const std::int64_t alignment = std::max(declared_.alignment, request.aligned ? as_allocated : 0);
    plugin_.call(call.request, call.arrays, alignment);
    for (const NarrowResult& result : call.narrow) result.widen();
  }

 private:
  /// One call: the problem's options and arrays by their names, then `dtype` and `threads`, and the results.
  struct Call {
    Request request;
    std::vector<Array> arrays;
    std::deque<NarrowResult> narrow;
    Dtype dtype = Dtype::float32;
    bool has_dtype = false;  ///< whether a non-empty array has set the dtype

    Call(const typename Operation::Problem& problem, const typename Operation::Output& out, int threads) {
      std::string(Operation::name).copy(request.operation.data(), request.operation.size() - 1);
      for_each_row(Operation::problem(), [&](const auto& row) { state(row, problem); });
      arrays.push_back(Array::of_option("dtype", dtype));
      arrays.push_back(Array::of_option("threads", threads));
      for_each_row(Operation::results(), [&](const auto& row) { add_result(row, problem, out.*row.in_output); });
    }

    /// An array has the extents of its row, unless it has other elements: a bad argument has one axis.
    template <class Row, class Value>
    void add(const Row& row, const typename Operation::Problem& problem, std::span<Value> values) {
      Array& array = arrays.emplace_back(Array::of(row.name, values));
      const auto shape = dimensions<Operation>(row.shape.of(problem.options), problem.options);
      double elements = 1;  // no product of extents is too large
      for (const std::int64_t extent : shape) elements *= static_cast<double>(extent);
      if (elements == static_cast<double>(values.size())) array.shape = shape;
    }

    template <class Row>
    void state(const Row& row, const typename Operation::Problem& problem) {
      if constexpr (IsScalar<Row>) {
        arrays.push_back(Array::of_option(row.name, problem.options.*row.in_statement));
      } else if constexpr (IsArray<Row> && is_of_dtype<Row>) {
        std::visit(
            [&]<class Real>(std::span<const Real> span) {
              add(row, problem, span);
              if (!has_dtype) dtype = dtype_of<Real>();
              has_dtype = has_dtype || !span.empty();
            },
            problem.*row.in_problem);
      } else if constexpr (IsArray<Row>) {
        add(row, problem, problem.options.*row.in_problem);
      }
    }

    template <class Row, class View>
    void add_result(const Row& row, const typename Operation::Problem& problem, const View& view) {
      if constexpr (is_variant<View>) {
        std::visit([&](const auto& span) { add(row, problem, span); }, view);
      } else if (row.plugin_dtype && dtype != Dtype::float32) {
        add(row, problem, narrow.emplace_back(view, dtype).view());
        arrays.back().dtype = static_cast<std::int32_t>(dtype);
      } else {
        add(row, problem, view);
      }
    }
  };

  Plugin plugin_;
  typename Operation::PluginKernel declared_;
  typename Operation::Info info_;
};

}  // namespace assay::validation::transport
