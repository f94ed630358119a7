// A kernel of any operation in a shared library.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "metal/cpu/half.h"
#include "validation/core/run.h"
#include "validation/transport/declaration/declaration.h"
#include "validation/transport/library/plugin.h"

namespace assay::validation::transport {

/// The offset of a member in a struct of assay_plugin.h.
template <class Struct, class Member>
std::uint32_t offset_of(Member Struct::* member) {
  const Struct whole{};
  return static_cast<std::uint32_t>(reinterpret_cast<const std::byte*>(&(whole.*member)) -
                                    reinterpret_cast<const std::byte*>(&whole));
}

/// A float32 result that a library writes in 16 bits. Elements that the library does not write stay unchanged.
class NarrowResult {
 public:
  NarrowResult(std::span<float> wide, Dtype dtype) : wide_(wide), dtype_(dtype), bits_(wide.size(), poison) {}

  std::span<std::uint16_t> view() { return bits_; }

  void widen() const {
    for (std::size_t i = 0; i < bits_.size(); ++i)
      if (bits_[i] != poison)
        wide_[i] = dtype_ == Dtype::float16 ? float{metal::Half::from_bits(bits_[i])}
                                            : float{metal::BFloat16::from_bits(bits_[i])};
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
    Call call(problem, out, request.threads);
    constexpr std::int64_t as_allocated = 64;
    const std::int64_t alignment = std::max(declared_.alignment, request.aligned ? as_allocated : 0);
    plugin_.call(call.request, call.arrays, alignment);
    for (const NarrowResult& result : call.narrow) result.widen();
  }

 private:
  /// One call, in the structs of assay_plugin.h.
  struct Call {
    Request request;
    std::vector<Array> arrays;
    std::deque<NarrowResult> narrow;
    bool has_dtype = false;  ///< whether a non-empty array has set the dtype

    Call(const typename Operation::Problem& problem, const typename Operation::Output& out, int threads) {
      typename Operation::Plugin p{};
      p.header = {sizeof p, ASSAY_PLUGIN_VERSION};
      p.threads = threads;
      for_each_row(Operation::problem(), [&](const auto& row) { state(row, problem, p); });
      put(p, request.problem);
      typename Operation::PluginOutput o{};
      o.header = {sizeof o, ASSAY_PLUGIN_VERSION};
      for_each_row(Operation::results(),
                   [&](const auto& row) { add_result(row, out.*row.in_output, static_cast<Dtype>(p.dtype)); });
      put(o, request.output);
    }

    /// Refuses on behalf of the library: the structs of C state one type, so that a library cannot see another.
    static void expect_dtype(const char* name, Dtype got, Dtype expected) {
      if (got != expected)
        throw std::invalid_argument(fmt::format("{} is of {}, expected {}", name, name_of(got), name_of(expected)));
    }

    template <class Struct, std::size_t size>
    static void put(const Struct& from, std::array<std::byte, size>& to) {
      static_assert(sizeof from <= size);
      std::memcpy(to.data(), &from, sizeof from);
    }

    template <class Row>
    void state(const Row& row, const typename Operation::Problem& problem, typename Operation::Plugin& p) {
      if constexpr (IsScalar<Row>) {
        using Value = std::remove_cvref_t<decltype(p.*row.in_plugin)>;
        p.*row.in_plugin = static_cast<Value>(problem.options.*row.in_statement);
      } else if constexpr (IsArray<Row>) {
        const std::uint32_t pointer = offset_of(row.in_plugin), size = offset_of(row.plugin_size);
        if constexpr (is_of_dtype<Row>) {
          std::visit(
              [&]<class Real>(std::span<const Real> span) {
                arrays.push_back(Array::of(row.name, span, pointer, size));
                if (has_dtype && !span.empty()) expect_dtype(row.name, dtype_of<Real>(), static_cast<Dtype>(p.dtype));
                if (!has_dtype) p.dtype = static_cast<std::int32_t>(dtype_of<Real>());
                has_dtype = has_dtype || !span.empty();
              },
              problem.*row.in_problem);
        } else {
          arrays.push_back(Array::of(row.name, problem.options.*row.in_problem, pointer, size));
        }
      }
    }

    template <class Row, class View>
    void add_result(const Row& row, const View& view, Dtype dtype) {
      const std::uint32_t pointer = offset_of(row.in_plugin), size = offset_of(row.plugin_size);
      if constexpr (is_variant<View>) {
        std::visit(
            [&]<class Real>(std::span<Real> span) {
              if (!span.empty())
                expect_dtype(row.name, dtype_of<Real>(), validation::detail::stored_dtype<View>(dtype, false));
              arrays.push_back(Array::of(row.name, span, pointer, size));
            },
            view);
      } else if (row.plugin_dtype && dtype != Dtype::float32) {
        arrays.push_back(Array::of(row.name, narrow.emplace_back(view, dtype).view(), pointer, size));
      } else {
        arrays.push_back(Array::of(row.name, view, pointer, size));
      }
    }
  };

  Plugin plugin_;
  typename Operation::PluginKernel declared_;
  typename Operation::Info info_;
};

}  // namespace assay::validation::transport
