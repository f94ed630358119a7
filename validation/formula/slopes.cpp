#include "validation/formula/slopes.h"

#include <algorithm>
#include <span>

#include "validation/formula/functions.h"

namespace assay::validation::formula {

void Slopes::add(std::int32_t node, std::size_t element, double slope) {
  const auto n = static_cast<std::size_t>(node);
  const double error = errors_[n][element];
  if (error == 0) return;
  if (!std::isfinite(error) || !std::isfinite(values_[n][element]) || !std::isfinite(slope)) {
    is_whole_ = false;
  } else if (slope != 0) {
    slopes_.push_back({node, element, slope});
  }
}

const std::vector<Slope>& Slopes::of(std::size_t n, std::size_t i) {
  const Node& node = graph_.nodes[n];
  slopes_.clear();
  is_whole_ = true;
  const double y = values_[n][i];
  if (node.arguments.empty() || !std::isfinite(y) || node.op == Op::cast) return slopes_;
  if (is_unary(node.op)) {
    add(node.arguments[0], i, function_of(node.op).slope(value(node, 0, i), y));
  } else if (is_binary(node.op)) {
    binary(node, i, y);
  } else if (is_reduction(node.op)) {
    reduction(node, i);
  } else if (node.op == Op::matmul) {
    inner_product(node, i);
  } else if (node.op == Op::cumulative_sum) {
    for (std::size_t k = i - i % static_cast<std::size_t>(node.inner); k <= i; ++k) add(node.arguments[0], k, 1);
  } else if (node.op == Op::gather) {
    joined(node, node.index[i]);
  } else if (is_ordering(node.op)) {
    ordered(node, n, i);
  } else if (is_indexed(node.op)) {
    indexed(node, n, i);
  } else if (node.op == Op::scatter) {
    scattered(node, n, i);
  } else {
    add(node.arguments[value(node, 0, i) > 0 ? 1 : 2], i, 1);
  }
  return slopes_;
}

void Slopes::binary(const Node& node, std::size_t i, double y) {
  const double a = value(node, 0, i), b = value(node, 1, i);
  const auto both = [&](double of_a, double of_b) {
    add(node.arguments[0], i, of_a);
    add(node.arguments[1], i, of_b);
  };
  switch (node.op) {
    case Op::add:
      return both(1, 1);
    case Op::subtract:
      return both(1, -1);
    case Op::multiply:
      return both(b, a);
    case Op::divide:
      return node.is_share ? both(0, 0) : both(1 / b, -y / b);
    case Op::maximum:
      return a >= b ? both(1, 0) : both(0, 1);
    case Op::minimum:
      return a <= b ? both(1, 0) : both(0, 1);
    case Op::logaddexp:
      return both(std::exp(a - y), std::exp(b - y));
    case Op::power:
      return both(b == 0 ? 0 : b * std::pow(a, b - 1), y == 0 ? 0 : y * std::log(a));
    default:
      return both(0, 0);
  }
}

void Slopes::reduction(const Node& node, std::size_t i) {
  const auto inner = static_cast<std::size_t>(node.inner), first = i * inner;
  const auto& x = values_[static_cast<std::size_t>(node.arguments[0])];
  const auto begin = x.begin() + static_cast<std::ptrdiff_t>(first), end = begin + node.inner;
  if (node.op == Op::largest || node.op == Op::smallest) {
    const auto extreme = node.op == Op::largest ? std::max_element(begin, end) : std::min_element(begin, end);
    return add(node.arguments[0], static_cast<std::size_t>(extreme - x.begin()), 1);
  }
  if (node.op == Op::sum) {
    for (std::size_t k = 0; k < inner; ++k) add(node.arguments[0], first + k, 1);
    return;
  }
  std::vector<double> after(inner + 1, 1);  // products of the elements from k on
  for (std::size_t k = inner; k-- > 0;) after[k] = after[k + 1] * x[first + k];
  double before = 1;
  for (std::size_t k = 0; k < inner; before *= x[first + k++]) add(node.arguments[0], first + k, before * after[k + 1]);
}

void Slopes::inner_product(const Node& node, std::size_t i) {
  const auto columns = static_cast<std::size_t>(node.columns), rows = static_cast<std::size_t>(node.rows),
             inner = static_cast<std::size_t>(node.inner);
  const std::size_t row = i / columns, first = row / rows * inner * columns + i % columns;
  for (std::size_t k = 0; k < inner; ++k) {
    const std::size_t at_a = row * inner + k, at_b = first + k * columns;
    add(node.arguments[0], at_a, value(node, 1, at_b));
    add(node.arguments[1], at_b, value(node, 0, at_a));
  }
}

void Slopes::joined(const Node& node, std::int64_t at) {
  for (const auto argument : node.arguments) {
    const std::int64_t size = graph_.size_of(argument);
    if (at < size) return add(argument, static_cast<std::size_t>(at), 1);
    at -= size;
  }
}

void Slopes::scattered(const Node& node, std::size_t n, std::size_t i) {
  auto& sources = sources_[n];
  if (sources.empty()) {
    sources.resize(static_cast<std::size_t>(node.size));
    for (std::size_t j = 0; j < node.index.size(); ++j) sources[static_cast<std::size_t>(node.index[j])].push_back(j);
  }
  for (const std::size_t j : sources[i]) add(node.arguments[0], j, 1);
}

void Slopes::indexed(const Node& node, std::size_t n, std::size_t i) {
  const auto& at = values_[static_cast<std::size_t>(node.arguments[1])];
  const auto place_of = [&](std::size_t j) { return reference::formula::detail::place(node, at, j); };
  if (node.op == Op::take) {
    if (place_of(i) >= 0) add(node.arguments[0], static_cast<std::size_t>(place_of(i)), 1);
    return;
  }
  auto& sources = sources_[n];
  if (sources.empty()) {
    sources.resize(static_cast<std::size_t>(node.size));
    for (std::size_t j = 0; j < at.size(); ++j)
      if (place_of(j) >= 0) sources[static_cast<std::size_t>(place_of(j))].push_back(j);
  }
  for (const std::size_t j : sources[i]) add(node.arguments[0], j, 1);
}

void Slopes::ordered(const Node& node, std::size_t n, std::size_t i) {
  if (node.op == Op::argsort) return;
  const auto inner = static_cast<std::size_t>(node.inner);
  auto& sources = sources_[n];
  for (std::size_t first = 0; sources.size() < static_cast<std::size_t>(node.size); first += inner) {
    const std::span<const double> x(values_[static_cast<std::size_t>(node.arguments[0])]);
    for (const std::size_t k : reference::formula::detail::order_of(x.subspan(first, inner)))
      sources.push_back({first + k});
  }
  add(node.arguments[0], sources[i].front(), 1);
}

/// Whether another slope may hold within the errors.
bool Slopes::has_kink(const Node& node, std::size_t i) const {
  const auto reach = [&](std::size_t argument) { return error(node, argument, i); };
  switch (node.op) {
    case Op::abs:
      return std::abs(value(node, 0, i)) <= reach(0);
    case Op::maximum:
    case Op::minimum:
      return std::abs(value(node, 0, i) - value(node, 1, i)) <= reach(0) + reach(1);
    case Op::sort:
      return node.inner > 1;
    case Op::take:
      return reach(1) != 0;
    case Op::add_at:
      return std::ranges::any_of(errors_[static_cast<std::size_t>(node.arguments[1])], [](double e) { return e != 0; });
    case Op::where:
      return reach(0) != 0 || (node.is_share && value(node, 0, i) == 0.5);
    case Op::largest:
    case Op::smallest: {
      const auto inner = static_cast<std::size_t>(node.inner);
      const double sign = node.op == Op::largest ? 1 : -1;
      double best = -INFINITY;
      for (std::size_t k = i * inner; k < (i + 1) * inner; ++k)
        best = std::max(best, sign * value(node, 0, k) - error(node, 0, k));
      std::size_t may_win = 0;
      for (std::size_t k = i * inner; k < (i + 1) * inner; ++k)
        may_win += !(sign * value(node, 0, k) + error(node, 0, k) < best);
      return may_win > 1;
    }
    default:
      return false;
  }
}

/// What `error - sum |slope| error_x` misses of the second order: elsewhere that difference holds all of it.
double Slopes::curvature(const Node& node, std::size_t i, double y) const {
  const auto missed = is_unary(node.op) ? function_of(node.op).curvature : nullptr;
  return missed == nullptr ? 0 : missed({value(node, 0, i), error(node, 0, i)}, y);
}

double Slopes::rest(std::size_t n, std::size_t i, double error_of_y) {
  constexpr double work = 0x1p-50;  // of this file, which computes in double
  const Node& node = graph_.nodes[n];
  double carried = 0;
  for (const Slope& slope : of(n, i))
    carried += std::abs(slope.value) * errors_[static_cast<std::size_t>(slope.node)][slope.element];
  if (!is_whole_ || (carried > 0 && has_kink(node, i))) return error_of_y + carried;
  if (node.op == Op::logaddexp) {  // its bound carries the larger error; the second derivative is at most 1/4
    const double a = error(node, 0, i), b = error(node, 1, i);
    const bool both = std::isfinite(value(node, 0, i)) && std::isfinite(value(node, 1, i));
    return error_of_y - std::max(a, b) + (both ? (a + b) * (a + b) / 8 : 0) + work * error_of_y;
  }
  return std::max(0.0, error_of_y - carried) + curvature(node, i, values_[n][i]) + work * error_of_y;
}

}  // namespace assay::validation::formula
