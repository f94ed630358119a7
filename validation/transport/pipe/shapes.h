// Checks the sizes of arrays in C++, because arrays with wrong sizes cannot be given to Python with their shapes.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "reference/refuse.h"
#include "validation/core/fields.h"
#include "validation/core/typed_array.h"

namespace assay::validation::transport {

/// "N * H" for "N,H".
inline std::string product_text(std::string_view words) {
  return fmt::format("{}", fmt::join(names_in(words), " * "));
}

/// The number of elements of the shape. Throws std::invalid_argument if the number does not fit in 64 bits.
template <class Fields>
std::int64_t expected_size(std::string_view words, const typename Fields::Statement& statement) {
  std::int64_t product = 1;
  for (const std::int64_t extent : dimensions<Fields>(words, statement))
    product = reference::detail::product(product_text(words).c_str(), product, extent);
  return product;
}

/// The number of elements of a span, or of the span in a variant.
template <class Any>
std::size_t size_of(const Any& any) {
  if constexpr (is_variant<Any>) {
    return std::visit([](const auto& span) { return span.size(); }, any);
  } else {
    return any.size();
  }
}

/// Calls use(row) for the input that a result is the gradient of, if it is one.
template <class Operation, class Result, class Use>
void with_source(const Result& result, const Use& use) {
  for_each_row(Operation::problem(), [&]<class Row>(const Row& row) {
    if constexpr (IsArray<Row> && is_of_dtype<Row>)
      if (row.in_case == result.gradient_of) use(row);
  });
}

/// The number of elements of that input.
template <class Operation, class Result>
std::size_t size_of_source(const Result& result, const typename Operation::Problem& problem) {
  std::size_t size = 0;
  with_source<Operation>(result, [&](const auto& row) { size = size_of(problem.*row.in_problem); });
  return size;
}

/// Whether some result of the group `wanted_with` is wanted; always true for null, the results without a group.
template <class Operation>
bool is_wanted(const char* wanted_with, const typename Operation::Output& out) {
  bool wanted = wanted_with == nullptr;
  for_each_row(Operation::results(), [&](const auto& row) {
    if (wanted_with != nullptr && row.wanted_with != nullptr && std::string_view(wanted_with) == row.wanted_with)
      wanted = wanted || size_of(out.*row.in_output) != 0;
  });
  return wanted;
}

/// Throws std::invalid_argument if the size of an array with two or more axes does not fit its shape, so that a
/// function in Python need not check sizes. An array of one axis may have any size.
template <class Operation>
void require_shapes(const typename Operation::Problem& problem, const typename Operation::Output& out) {
  const auto& statement = problem.options;
  for_each_row(Operation::problem(), [&]<class Row>(const Row& row) {
    if constexpr (IsExtent<Row>) reference::detail::expect_at_least(row.name, statement.*row.in_statement, row.min);
  });
  const auto expect = [&](const char* name, std::size_t size, std::string_view words) {
    reference::detail::expect_size(name, size, product_text(words).c_str(), expected_size<Operation>(words, statement));
  };
  for_each_row(Operation::problem(), [&]<class Row>(const Row& row) {
    if constexpr (IsArray<Row>) expected_size<Operation>(row.shape.of(statement), statement);
  });
  for_each_row(Operation::problem(), [&]<class Row>(const Row& row) {
    if constexpr (IsArray<Row>)
      if (const auto words = row.shape.of(statement); names_in(words).size() > 1)
        expect(row.name, size_of(array_of(problem, row)), words);
  });
  for_each_row(Operation::results(), [&](const auto& row) {
    const std::size_t size = size_of(out.*row.in_output);
    if (!is_wanted<Operation>(row.wanted_with, out)) return;
    if (row.gradient_of == nullptr) return expect(row.name, size, row.shape.of(statement));
    if (size != 0 || size_of_source<Operation>(row, problem) != 0)
      reference::detail::expect_size(row.name, size, product_text(row.shape.of(statement)).c_str(),
                                     static_cast<std::int64_t>(size_of_source<Operation>(row, problem)));
  });
}

}  // namespace assay::validation::transport
