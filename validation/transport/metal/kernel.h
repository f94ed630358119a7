// A kernel of any operation in Metal, as a binding describes it (docs/plugins-metal.md), on the emulator with every
// check on. A binding may use the arrays and variables of the operation's table.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "validation/core/run.h"
#include "validation/transport/declaration/declaration.h"
#include "validation/transport/metal/shader.h"

namespace assay::validation::transport {

/// The arrays and variables that a table offers to shaders.
template <class Fields>
ShaderInterface interface_of() {
  ShaderInterface all{Fields::name, {}, {}};
  for_each_row(Fields::problem(), [&]<class Row>(const Row& row) {
    if constexpr (IsExtent<Row> || IsDerived<Row> || IsOption<Row>) all.variables.emplace_back(row.name);
    if constexpr (IsChoice<Row>) all.variables.emplace_back(row.metal_flag != nullptr ? row.metal_flag : row.name);
    if constexpr (IsArray<Row>) {
      all.arrays.push_back({row.name, row.metal_type});
      if (is_of_dtype<Row> && row.optional) all.variables.push_back(std::string("with_") + row.name);
    }
  });
  if constexpr (requires { Fields::add_to_interface(all.arrays); }) Fields::add_to_interface(all.arrays);
  for_each_row(Fields::results(), [&](const auto& row) {
    all.arrays.push_back({row.name, row.metal_type, true});
    if (row.wanted_with == nullptr) return;
    const std::string flag = std::string("with_") + row.wanted_with;
    if (std::ranges::find(all.variables, flag) == all.variables.end()) all.variables.push_back(flag);
  });
  return all;
}

template <class Operation>
class MetalPluginKernel final : public Operation::Kernel {
 public:
  using Operation::Kernel::run;

  explicit MetalPluginKernel(const std::string& name)
      : shader_(name, interface_of<Operation>()), info_(declared(name, shader_.binding())) {}

  const typename Operation::Info& info() const override { return info_; }

  void run(const typename Operation::Problem& problem, const typename Operation::Output& out,
           const typename Operation::Request& /*request*/) const override {
    if (info_.support.does("checks_arguments")) Operation::validate(problem, out);
    MetalCall call(shader_.binding());
    for_each_row(Operation::problem(), [&](const auto& row) { set(row, problem, call); });
    if constexpr (requires { Operation::add_to_call(problem, call); }) Operation::add_to_call(problem, call);
    for_each_row(Operation::results(), [&](const auto& row) { add_result(row, problem, out, call); });
    shader_.run(call);
  }

 private:
  static typename Operation::Info declared(const std::string& name, const ShaderDocument& binding) {
    typename Operation::Info info;
    info.name = name;
    assume_float32(info);
    read_declares<Operation>(binding.node, info);
    info.support.dtypes = {binding.dtype};
    if (!binding.host_validates) info.support.declined.insert("checks_arguments");
    read_support<Operation>(binding.node, info.support, {"checks_arguments"});
    double roundoff = 0;
    for_each_row(Operation::results(), [&](const auto& row) {
      const auto dtype = std::ranges::find(dtype_names(), numpy_name(binding.types.at(row.name)));
      roundoff = std::max(roundoff, format_of(static_cast<Dtype>(dtype - dtype_names().begin())).roundoff);
    });
    if constexpr (requires { info.flushes_subnormals; }) info.flushes_subnormals = true;
    if constexpr (requires { info.losses_of_dtype; }) {
      info.output_unit_roundoff = roundoff;
      info.losses_of_dtype = roundoff > format_of(Dtype::float32).roundoff;
    }
    if constexpr (requires { Operation::expect_binding(binding, info.support); })
      Operation::expect_binding(binding, info.support);
    return info;
  }

  template <class Row>
  void set(const Row& row, const typename Operation::Problem& problem, MetalCall& call) const {
    const auto& statement = problem.options;
    if constexpr (IsExtent<Row> || IsDerived<Row>) {
      call.set(row.name, extent_of<Operation>(row.name, statement));
    } else if constexpr (IsChoice<Row>) {
      const auto value = statement.*row.in_statement;
      row.metal_flag != nullptr ? call.set(row.metal_flag, value == row.metal_true)
                                : call.set(row.name, static_cast<int>(value));
    } else if constexpr (IsOption<Row>) {
      const auto value = static_cast<double>(statement.*row.in_statement);
      if (row.same_type_as != nullptr) expect_held(row.name, value, row.same_type_as);
      call.set(row.name, std::isfinite(value) ? value : 0.0);
    } else if constexpr (IsArray<Row>) {
      add_input(row, problem, call);
    }
  }

  template <class Row>
  void add_input(const Row& row, const typename Operation::Problem& problem, MetalCall& call) const {
    if constexpr (is_of_dtype<Row>) {
      std::visit(
          [&](const auto& span) {
            call.input(row.name, span);
            if (row.optional) call.set(std::string("with_") + row.name, !span.empty());
          },
          problem.*row.in_problem);
    } else {
      auto span = problem.options.*row.in_problem;
      using Element = std::remove_const_t<typename decltype(span)::element_type>;
      std::vector<Element> values(span.begin(), span.end());
      if (row.optional && values.empty())
        values.assign(static_cast<std::size_t>(
                          elements_of(dimensions<Operation>(row.shape.of(problem.options), problem.options))),
                      Element{1});
      if constexpr (requires { Operation::convert(row.name, problem, values, shader_.type_of(row.name)); })
        Operation::convert(row.name, problem, values, shader_.type_of(row.name));
      call.input(row.name, std::span<const Element>(values));
    }
  }

  template <class Row>
  static void add_result(const Row& row, const typename Operation::Problem& problem,
                         const typename Operation::Output& out, MetalCall& call) {
    const auto shape = dimensions<Operation>(row.shape.of(problem.options), problem.options);
    const auto elements = static_cast<std::uint64_t>(elements_of(shape));
    const auto add = [&](const auto& span) {
      call.output(row.name, elements, span);
      if (row.wanted_with != nullptr) call.set(std::string("with_") + row.wanted_with, !span.empty());
    };
    if constexpr (is_variant<std::remove_cvref_t<decltype(out.*row.in_output)>>) {
      std::visit(add, out.*row.in_output);
    } else {
      add(out.*row.in_output);
    }
  }

  /// Throws Unsupported if the type of the array cannot hold the value.
  void expect_held(const char* name, double value, const char* array) const {
    const MetalScalar& type = shader_.type_of(array);
    if (!holds(type, value))
      throw Unsupported::not_claimed(fmt::format("do an {} beyond types.{} = \"{}\"", name, array, type.name));
  }

  MetalShader shader_;
  typename Operation::Info info_;
};

}  // namespace assay::validation::transport
