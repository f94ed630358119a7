#include "validation/formula/term_search.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::validation::formula {
namespace {

using reference::Comparison;
using reference::Followed;
using reference::formula::Node;
using reference::formula::Op;
namespace detail = reference::formula::detail;

constexpr std::int64_t most_work = 20'000'000;  ///< recomputed values
constexpr std::int64_t most_edges = 4'000'000;  ///< between values that a result is computed from

bool is_sum(Op op) {
  return op == Op::sum || op == Op::matmul || op == Op::scatter || op == Op::add_at || op == Op::cumulative_sum;
}

std::string_view name_of(Op op) {
  return op == Op::matmul ? "product of matrices" : op == Op::cumulative_sum ? "cumulative sum" : "sum";
}

}  // namespace

TermSearch::TermSearch(const Graph& graph, const Values& values, std::int32_t result, std::int64_t element,
                       const Followed& got)
    : graph_(graph), values_(values), result_{result, element}, got_(got) {
  std::vector<std::vector<bool>> needed(static_cast<std::size_t>(result) + 1);
  for (std::size_t n = 0; n < needed.size(); ++n) needed[n].resize(static_cast<std::size_t>(graph.nodes[n].size));
  needed.back()[static_cast<std::size_t>(element)] = true;
  for (std::int32_t n = result; n >= 0 && std::ssize(edges_) < most_edges; --n)
    for (std::int64_t i = 0; i < graph.size_of(n); ++i) {
      if (!needed[static_cast<std::size_t>(n)][static_cast<std::size_t>(i)]) continue;
      const Place place{n, i};
      const auto arguments = arguments_of(place);
      for (const Place& one : arguments) {
        needed[static_cast<std::size_t>(one.node)][static_cast<std::size_t>(one.element)] = true;
        edges_.emplace_back(one, place);
      }
      if (is_sum(node_at(place).op)) {
        sums_.push_back(place);
        terms_[place] = arguments;
      } else {
        others_.push_back(place);
      }
    }
  std::ranges::sort(edges_);
}

std::int64_t TermSearch::count_of(const Place& sum) const {
  return std::ssize(terms_.at(sum)) / (node_at(sum).op == Op::matmul ? 2 : 1);
}

/// The places that a value is computed from. Those of a product of matrices are its left factors, then its right ones.
std::vector<TermSearch::Place> TermSearch::arguments_of(const Place& place) const {
  const Node& node = node_at(place);
  const std::int64_t i = place.element;
  std::vector<Place> found;
  if (node.op <= Op::constant) return found;
  const auto row = [&](std::int64_t first, std::int64_t count, std::int64_t stride, std::size_t argument) {
    for (std::int64_t k = 0; k < count; ++k) found.push_back({node.arguments[argument], first + k * stride});
  };
  if (reference::formula::is_reduction(node.op)) {
    row(i * node.inner, node.inner, 1, 0);
  } else if (node.op == Op::cumulative_sum) {
    row(i - i % node.inner, i % node.inner + 1, 1, 0);
  } else if (reference::formula::is_ordering(node.op)) {
    row(i - i % node.inner, node.inner, 1, 0);
  } else if (node.op == Op::matmul) {
    const std::int64_t line = i / node.columns;
    row(line * node.inner, node.inner, 1, 0);
    row(line / node.rows * node.inner * node.columns + i % node.columns, node.inner, node.columns, 1);
  } else if (node.op == Op::gather) {
    std::int64_t rest = node.index[static_cast<std::size_t>(i)];
    for (const auto argument : node.arguments) {
      if (rest < graph_.size_of(argument)) {
        found.push_back({argument, rest});
        break;
      }
      rest -= graph_.size_of(argument);
    }
  } else if (node.op == Op::scatter) {
    for (std::size_t j = 0; j < node.index.size(); ++j)
      if (node.index[j] == i) found.push_back({node.arguments[0], static_cast<std::int64_t>(j)});
  } else if (reference::formula::is_indexed(node.op)) {
    const auto& at = values_[static_cast<std::size_t>(node.arguments[1])];
    if (node.op == Op::take) {
      if (const auto from = detail::place(node, at, static_cast<std::size_t>(i)); from >= 0)
        found.push_back({node.arguments[0], from});
    } else {
      for (std::size_t j = 0; j < at.size(); ++j)
        if (detail::place(node, at, j) == i) found.push_back({node.arguments[0], static_cast<std::int64_t>(j)});
    }
  } else {
    for (const auto argument : node.arguments) found.push_back({argument, i});
  }
  return found;
}

const Followed& TermSearch::base(const Place& place) const {
  return values_[static_cast<std::size_t>(place.node)][static_cast<std::size_t>(place.element)];
}

Followed TermSearch::at(const Place& place) const {
  const auto found = now_.find(place);
  return found == now_.end() ? base(place) : found->second;
}

Followed TermSearch::term(const Place& sum, std::int64_t index) const {
  const auto& places = terms_.at(sum);
  const auto k = static_cast<std::size_t>(index);
  if (node_at(sum).op != Op::matmul) return at(places[k]);
  return at(places[k]) * at(places[k + places.size() / 2]);
}

/// The value from its arguments, as they are now.
Followed TermSearch::recomputed(const Place& place) const {
  const Node& node = node_at(place);
  std::vector<Followed> given;
  for (const Place& argument : arguments_of(place)) given.push_back(at(argument));
  if (given.empty() || reference::formula::is_ordering(node.op)) return base(place);
  if (reference::formula::is_unary(node.op)) return detail::unary(node.op, given[0]);
  if (node.op == Op::gather || node.op == Op::take) return given[0];
  if (node.op == Op::where) return detail::chosen(given[0], given[1], given[2]);
  if (reference::formula::is_reduction(node.op)) return detail::reduced<Followed>(node.op, given);
  return detail::binary(node.op, given[0], given[1]);
}

/// The value where these arguments have changed: of a sum, by their differences.
Followed TermSearch::with(const Place& place, const std::vector<Place>& changed) const {
  const Node& node = node_at(place);
  if (!is_sum(node.op)) return recomputed(place);
  Followed value = base(place);
  if (node.op != Op::matmul) {
    for (const Place& one : changed) value += at(one) - base(one);
    return value;
  }
  const auto& places = terms_.at(place);
  for (std::size_t k = 0; k < places.size() / 2; ++k) {
    const Place &a = places[k], &b = places[k + places.size() / 2];
    if (now_.contains(a) || now_.contains(b)) value += at(a) * at(b) - base(a) * base(b);
  }
  return value;
}

Followed TermSearch::applied(const Place& place, Followed value, const Change& change) const {
  if (change.kind == Change::Kind::term)
    return change.sign > 0 ? value + term(place, change.index) : value - term(place, change.index);
  const auto places = arguments_of(place);
  if (change.kind == Change::Kind::operand) return at(places[static_cast<std::size_t>(1 - change.index)]);
  return at(places[at(places[0]).value > 0 ? 2 : 1]);
}

Followed TermSearch::result_of(const Changes& changes) {
  now_.clear();
  std::map<Place, std::vector<Place>> open;
  for (const auto& [place, change] : changes) open[place];
  while (!open.empty()) {
    const auto [place, changed] = *open.begin();
    open.erase(open.begin());
    const auto change = changes.find(place);
    Followed value = changed.empty() ? base(place) : with(place, changed);
    if (change != changes.end()) value = applied(place, value, change->second);
    now_[place] = value;
    work_ += 1 + (is_sum(node_at(place).op) ? 0 : node_at(place).inner);
    const auto from = std::ranges::lower_bound(edges_, place, {}, &std::pair<Place, Place>::first);
    for (auto edge = from; edge != edges_.end() && edge->first == place; ++edge) open[edge->second].push_back(place);
  }
  return at(result_);
}

/// Whether the result depends on these terms: which it takes by an index may depend on values.
bool TermSearch::has(const Changes& changes) const {
  return std::ranges::all_of(changes, [this](const auto& one) {
    const auto& [place, change] = one;
    return change.kind != Change::Kind::term || (terms_.contains(place) && change.index < count_of(place));
  });
}

bool TermSearch::explains_here(const Changes& changes) {
  return has(changes) && compare(result_of(changes), got_) == Comparison::equal;
}

bool TermSearch::explains(const Changes& changes) {
  return explains_here(changes) && other_->explains_here(changes);
}

std::string TermSearch::where(const Place& place) const {
  const Node& node = node_at(place);
  return node.line > 0 ? fmt::format(" in line {}", node.line) : "";
}

std::string TermSearch::tried_terms(const Place& sum) {
  const Op op = node_at(sum).op;
  for (std::int64_t k = 0; k < count_of(sum) && work_ < most_work; ++k)
    for (const int sign : {-1, 1})
      if (explains({{sum, {Change::Kind::term, k, sign}}}))
        return fmt::format("{} the term {} of the {}{}", sign < 0 ? "lacks" : "has twice", k, name_of(op), where(sum));
  return "";
}

std::string TermSearch::tried_operands(const Place& place) {
  const Op op = node_at(place).op;
  if (op == Op::where && explains({{place, {Change::Kind::branch}}}))
    return fmt::format("takes the other branch of the condition{}, element {}", where(place), place.element);
  if (!reference::formula::is_binary(op) || op >= Op::power) return "";
  for (const int forgotten : {1, 0})
    if (explains({{place, {Change::Kind::operand, forgotten}}}))
      return fmt::format("forgets the {} operand of the {}{}", forgotten == 1 ? "second" : "first",
                         reference::formula::op_names[static_cast<std::size_t>(op)], where(place));
  return "";
}

/// A loop that ends early leaves its index out of every sum over it.
std::string TermSearch::tried_index_of_all() {
  std::map<std::int64_t, std::vector<Place>> by_count;
  for (const Place& sum : sums_) by_count[count_of(sum)].push_back(sum);
  for (const auto& [count, sums] : by_count)
    for (std::int64_t k = 0; sums.size() > 1 && k < count && work_ < most_work; ++k)
      for (const int sign : {-1, 1}) {
        Changes changes;
        for (const Place& sum : sums) changes[sum] = {Change::Kind::term, k, sign};
        if (explains(changes))
          return fmt::format("{} the term {} of all sums of {} terms", sign < 0 ? "lacks" : "has twice", k, count);
      }
  return "";
}

std::string TermSearch::explanation(TermSearch& other) {
  other_ = &other;
  if (compare(other.base(other.result_), other.got_) == Comparison::equal) return "";  // what shows here alone
  for (const Place& sum : sums_)
    if (auto found = tried_terms(sum); !found.empty()) return found;
  for (const Place& place : others_) {
    if (work_ >= most_work) break;
    if (auto found = tried_operands(place); !found.empty()) return found;
  }
  return tried_index_of_all();
}

}  // namespace assay::validation::formula
