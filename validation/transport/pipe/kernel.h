// A kernel of any operation in the process that started this program, called through pipes (channel.h). The gate judges
// a function in Python this way.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <variant>
#include <vector>

#include "validation/core/run.h"
#include "validation/core/words.h"
#include "validation/transport/declaration/declaration.h"
#include "validation/transport/pipe/channel.h"
#include "validation/transport/pipe/shapes.h"

namespace assay::validation::transport {

/// Whether `kernel` names a kernel behind pipes: "pipe:ANSWERS,CALLS", two file descriptors.
inline bool is_pipe(const std::string& kernel) {
  return kernel.starts_with("pipe:");
}

template <class Operation>
class PipeKernel final : public Operation::Kernel {
 public:
  using Operation::Kernel::run;

  explicit PipeKernel(const Channel& channel) : channel_(channel), info_(declared()) {}

  const typename Operation::Info& info() const override { return info_; }

  void run(const typename Operation::Problem& problem, const typename Operation::Output& out,
           const typename Operation::Request& request) const override {
    with_types(problem, out, [](const auto&, const auto&) {});  // refuses arrays of different types
    require_shapes<Operation>(problem, out);
    const PipeMessage answer = channel_.call(message_of(problem, out, request));
    for_each_row(Operation::results(), [&](const auto& row) {
      if (row.wanted_with == nullptr || size_of(out.*row.in_output) != 0) take(row, answer, problem, out);
    });
  }

 private:
  typename Operation::Info declared() const {
    const PipeMessage answer = channel_.call({{{"call", "declare"}, {"operation", Operation::name}}, {}});
    const auto kernel = BindingNode::of(answer.header.at("kernel").dump(), "the declaration of the kernel");
    kernel.expect_keys({"name", "declares", "dtypes", "support"});
    typename Operation::Info info;
    info.name = kernel.at("name").text();
    assume_float32(info);
    read_declares<Operation>(kernel, info);
    info.support.dtypes.clear();
    for (const auto& dtype : kernel.at("dtypes").list()) info.support.dtypes.push_back(dtype_from(dtype));
    read_support<Operation>(kernel, info.support);
    info.support.is_isolated = false;
    info.support.takes_strides = true;
    return info;
  }

  static Dtype dtype_from(const BindingNode& node) {
    const auto found = std::ranges::find(dtype_names(), node.text());
    if (found == dtype_names().end()) node.refuse(fmt::format("one of {}", fmt::join(dtype_names(), ", ")));
    return static_cast<Dtype>(found - dtype_names().begin());
  }

  static PipeMessage message_of(const typename Operation::Problem& problem, const typename Operation::Output& out,
                                const typename Operation::Request& request) {
    bool more_wanted = false;
    for_each_row(Operation::results(), [&](const auto& row) {
      more_wanted = more_wanted || (row.wanted_with != nullptr && size_of(out.*row.in_output) != 0);
    });
    PipeMessage message{{{"call", "run"}, {"threads", request.threads}, {"strides", request.layout}}, {}};
    message.header[std::string(Operation::wanted) + "_wanted"] = more_wanted;
    name_results(problem, more_wanted, message.header);
    for_each_row(Operation::problem(), [&](const auto& row) { add(row, problem, message); });
    return message;
  }

  /// Lists the results that exist, and those that must come. A missing array has no gradient.
  static void name_results(const typename Operation::Problem& problem, bool more_wanted, nlohmann::json& header) {
    for_each_row(Operation::results(), [&](const auto& row) {
      bool exists = true;
      with_source<Operation>(
          row, [&](const auto& source) { exists = !source.optional || size_of(problem.*source.in_problem) != 0; });
      if (!exists) return;
      header["results"].push_back(row.name);
      if (more_wanted || row.wanted_with == nullptr) header["due"].push_back(row.name);
    });
  }

  template <class Row>
  static void add(const Row& row, const typename Operation::Problem& problem, PipeMessage& message) {
    const auto& statement = problem.options;
    if constexpr (IsChoice<Row>) {
      message.header[row.call_name != nullptr ? row.call_name : row.name] =
          enum_name(statement.*row.in_statement, row.values);
    } else if constexpr (IsOption<Row>) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(statement.*row.in_statement)>, double>) {
        // As text, because JSON has neither NaN nor infinities.
        message.header[row.name] = fmt::format("{}", statement.*row.in_statement);
      } else {
        message.header[row.name] = statement.*row.in_statement;
      }
    } else if constexpr (IsArray<Row>) {
      const auto words = row.shape.of(statement);
      const auto add_span = [&](const auto& span) {
        if (row.optional && span.empty()) return;
        const auto size = static_cast<std::int64_t>(span.size());
        message.arrays.push_back(pipe_array(
            row.name, names_in(words).size() > 1 ? dimensions<Operation>(words, statement) : std::vector{size}, span));
      };
      if constexpr (is_of_dtype<Row>) {
        std::visit(add_span, problem.*row.in_problem);
      } else {
        add_span(statement.*row.in_problem);
      }
    }
  }

  static std::string dtype_of_arrays(const typename Operation::Problem& problem) {
    std::string name;
    for_each_row(Operation::problem(), [&]<class Row>(const Row& row) {
      if constexpr (is_of_dtype<Row>)
        if (name.empty())
          name = std::visit([]<class Real>(std::span<const Real>) { return metal::dtype_name<Real>(); },
                            problem.*row.in_problem);
    });
    return name;
  }

  template <class Row>
  static void take(const Row& row, const PipeMessage& answer, const typename Operation::Problem& problem,
                   const typename Operation::Output& out) {
    const PipeArray& array = answer.array(row.name);
    const auto shape = dimensions<Operation>(row.shape.of(problem.options), problem.options);
    const auto take_span = [&]<class Real>(std::span<Real> to) {
      const bool narrow = row.plugin_dtype && array.dtype == dtype_of_arrays(problem);
      if (narrow && array.dtype == "float16") return take_elements<metal::Half>(array, shape, to);
      if (narrow && array.dtype == "bfloat16") return take_elements<metal::BFloat16>(array, shape, to);
      if (row.plugin_dtype) return take_elements<float>(array, shape, to);
      take_elements<Real>(array, shape, to);
    };
    if constexpr (is_variant<std::remove_cvref_t<decltype(out.*row.in_output)>>) {
      std::visit(take_span, out.*row.in_output);
    } else {
      take_span(out.*row.in_output);
    }
  }

  Channel channel_;
  typename Operation::Info info_;
};

}  // namespace assay::validation::transport
