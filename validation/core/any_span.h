// Helpers of the plain kernels and their faults for variants of spans, which hold arrays of any type.
#pragma once

#include <cstddef>
#include <variant>
#include <vector>

namespace assay::validation {

/// The elements as doubles, which is exact for every type.
template <class AnySpan>
std::vector<double> widened(const AnySpan& any) {
  return std::visit(
      [](const auto& values) {
        std::vector<double> wide;
        for (const auto& value : values) wide.push_back(static_cast<double>(value));
        return wide;
      },
      any);
}

template <class AnySpan>
bool is_empty(const AnySpan& any) {
  return std::visit([](const auto& span) { return span.empty(); }, any);
}

/// Calls change(span) on an output, unless the output is empty because the caller did not ask for it.
template <class AnySpan, class Change>
void change_output(const AnySpan& any, Change change) {
  if (!is_empty(any)) std::visit(change, any);
}

/// Sets element i of an output to value(i).
template <class AnySpan, class Value>
void store_each(const AnySpan& any, const Value& value) {
  std::visit(
      [&]<class Span>(const Span& span) {
        for (std::size_t i = 0; i < span.size(); ++i) span[i] = static_cast<typename Span::element_type>(value(i));
      },
      any);
}

}  // namespace assay::validation
