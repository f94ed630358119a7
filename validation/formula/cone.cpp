#include "validation/formula/cone.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace assay::validation::formula {
namespace {

using Some = std::vector<std::int64_t>;  ///< elements of a node

/// Whether rows of `inner` elements are computed together.
bool has_whole_rows(Op op) {
  return op == Op::cumulative_sum || op == Op::sort || op == Op::argsort || op == Op::add_at;
}

/// The rows of `inner` elements that have one of these, ascending as they are.
Some rows_with(const Some& some, std::int64_t inner) {
  Some rows;
  for (const std::int64_t i : some)
    if (rows.empty() || rows.back() != i / inner) rows.push_back(i / inner);
  return rows;
}

/// All elements of rows of `inner` elements.
Some whole_rows(const Some& rows, std::int64_t inner) {
  Some all;
  for (const std::int64_t row : rows)
    for (std::int64_t k = 0; k < inner; ++k) all.push_back(row * inner + k);
  return all;
}

/// The place of `i`, which is there.
std::int64_t rank_of(const Some& some, std::int64_t i) {
  return std::ranges::lower_bound(some, i) - some.begin();
}

/// The j whose index[j] is one of these, ascending.
Some sources_of(const Node& node, const Some& some) {
  Some sources;
  for (std::int64_t j = 0; j < std::ssize(node.index); ++j)
    if (std::ranges::binary_search(some, node.index[static_cast<std::size_t>(j)])) sources.push_back(j);
  return sources;
}

/// The elements of argument `k` that these of the node are computed from, in the order in which the new node takes them.
Some taken(const Node& node, std::size_t k, const Some& some) {
  Some from;
  switch (node.op) {
    case Op::sum:
    case Op::product:
    case Op::largest:
    case Op::smallest:
      return whole_rows(some, node.inner);
    case Op::matmul:
      for (const std::int64_t i : some) {
        const std::int64_t row = i / node.columns,
                           first = row / node.rows * node.inner * node.columns + i % node.columns;
        for (std::int64_t t = 0; t < node.inner; ++t)
          from.push_back(k == 0 ? row * node.inner + t : first + t * node.columns);
      }
      return from;
    case Op::scatter:
      return sources_of(node, some);
    case Op::add_at:
      return sources_of(node, rows_with(some, node.inner));
    case Op::take: {
      if (k == 1) return some;
      for (const std::int64_t i : some) from.push_back(node.index[static_cast<std::size_t>(i)]);
      sort_once(from);
      return whole_rows(from, node.inner);
    }
    default:
      return some;
  }
}

/// Calls use(argument, element of it) for the elements that a gather moves.
template <class Use>
void for_each_moved(const Graph& graph, const Node& gather, const Some& some, const Use& use) {
  for (const std::int64_t i : some) {
    std::int64_t from = gather.index[static_cast<std::size_t>(i)];
    for (const auto argument : gather.arguments) {
      if (from < graph.size_of(argument)) {
        use(argument, from);
        break;
      }
      from -= graph.size_of(argument);
    }
  }
}

double work_of(const Node& node, const Some& some) {
  return static_cast<double>(some.size()) * (node.op == Op::matmul ? 1 + static_cast<double>(node.inner) : 1);
}

/// Makes the nodes of the new graph in turn.
class Cutter {
 public:
  Cutter(const Graph& graph, const Elements& elements, const InputElements& inputs)
      : graph_(graph), elements_(elements), inputs_(inputs), kept_(elements) {}

  Cone cut(std::int32_t formula_nodes) {
    cone_.nodes.assign(graph_.nodes.size(), -1);
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (static_cast<std::int32_t>(n) == formula_nodes) cone_.formula_nodes = count();
      if (!elements_[n].empty()) cone_.nodes[n] = added(graph_.nodes[n], n);
    }
    if (formula_nodes >= std::ssize(graph_.nodes)) cone_.formula_nodes = count();
    cone_.elements = std::move(kept_);
    return std::move(cone_);
  }

 private:
  std::int32_t count() const { return static_cast<std::int32_t>(cone_.graph.nodes.size()); }
  std::int32_t of(std::int32_t argument) const { return cone_.nodes[static_cast<std::size_t>(argument)]; }
  const Some& kept(std::int32_t argument) const { return kept_[static_cast<std::size_t>(argument)]; }

  /// The new node that has these elements of an argument, one after the other.
  std::int32_t aligned(std::int32_t argument, const Some& wanted) {
    return node_with(cone_.graph, of(argument), kept(argument), wanted);
  }

  void set_values(Node& node, const Node& old, const Some& some) {
    node.values.clear();
    for (const std::int64_t i : some)
      if (!old.values.empty()) node.values.push_back(old.values[static_cast<std::size_t>(i)]);
  }

  std::int32_t added(const Node& old, std::size_t n) {
    if (old.op == Op::input) kept_[n] = inputs_.at(old.name);
    const Some& some = kept_[n];
    Node node{old.op, std::ssize(some), {}, old.inner, old.rows, old.columns};
    node.name = old.name;
    node.is_whole = old.is_whole;
    node.line = old.line;
    node.running = old.running;
    node.is_slope = old.is_slope;
    node.is_share = old.is_share;
    node.cast = old.cast;
    node.is_rounded = old.is_rounded;
    set_values(node, old, some);
    if (old.op == Op::gather) {
      move(node, old, some);
    } else {
      for (std::size_t k = 0; k < old.arguments.size(); ++k)
        node.arguments.push_back(aligned(old.arguments[k], taken(old, k, some)));
      if (old.op == Op::matmul) node.rows = node.columns = 1;  // a batch of products of a row and a column
      set_index(node, old, some);
    }
    return cone_.graph.add(std::move(node));
  }

  void move(Node& node, const Node& old, const Some& some) {
    std::map<std::int32_t, std::int64_t> begins;  // of the new arguments, joined end to end
    std::int64_t joined = 0;
    for (const auto argument : old.arguments)
      if (of(argument) >= 0 && begins.try_emplace(argument, joined).second) {
        node.arguments.push_back(of(argument));
        joined += std::ssize(kept(argument));
      }
    for_each_moved(graph_, old, some, [&](std::int32_t argument, std::int64_t from) {
      node.index.push_back(begins.at(argument) + rank_of(kept(argument), from));
    });
  }

  static void set_index(Node& node, const Node& old, const Some& some) {
    if (old.op == Op::take) {
      const Some rows = rows_with(taken(old, 0, some), old.inner);
      for (const std::int64_t i : some) node.index.push_back(rank_of(rows, old.index[static_cast<std::size_t>(i)]));
    } else if (old.op == Op::scatter || old.op == Op::add_at) {
      const Some targets = old.op == Op::add_at ? rows_with(some, old.inner) : some;
      for (const std::int64_t j : taken(old, 0, some))
        node.index.push_back(rank_of(targets, old.index[static_cast<std::size_t>(j)]));
    }
  }

  const Graph& graph_;
  const Elements& elements_;
  const InputElements& inputs_;
  Elements kept_;  ///< of the new nodes, as elements of the old ones
  Cone cone_;
};

}  // namespace

void sort_once(std::vector<std::int64_t>& some) {
  std::ranges::sort(some);
  some.erase(std::ranges::unique(some).begin(), some.end());
}

std::int32_t node_with(Graph& graph, std::int32_t node, const std::vector<std::int64_t>& kept,
                       const std::vector<std::int64_t>& wanted) {
  if (wanted == kept) return node;
  Node copy{Op::gather, std::ssize(wanted), {node}};
  for (const std::int64_t i : wanted) copy.index.push_back(rank_of(kept, i));
  return graph.add(std::move(copy));
}

std::optional<Elements> needed(const Graph& graph, Elements wanted, double most) {
  for (std::size_t n = graph.nodes.size(); n-- > 0;) {
    const Node& node = graph.nodes[n];
    Some& some = wanted[n];
    if (some.empty()) continue;
    sort_once(some);
    if (has_whole_rows(node.op)) some = whole_rows(rows_with(some, node.inner), node.inner);
    most -= work_of(node, some);
    if (!(most >= 0)) return {};
    const auto add = [&](std::int32_t argument, std::int64_t i) {
      wanted[static_cast<std::size_t>(argument)].push_back(i);
    };
    if (node.op == Op::gather) {
      for_each_moved(graph, node, some, add);
      continue;
    }
    for (std::size_t k = 0; k < node.arguments.size(); ++k)
      for (const std::int64_t i : taken(node, k, some)) add(node.arguments[k], i);
  }
  return wanted;
}

double work_of(const Graph& graph, const Elements& elements) {
  double work = 0;
  for (std::size_t n = 0; n < elements.size(); ++n) work += work_of(graph.nodes[n], elements[n]);
  return work;
}

InputElements inputs_of(const Graph& graph, const Elements& elements) {
  InputElements inputs;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n)
    if (graph.nodes[n].op == Op::input) inputs[graph.nodes[n].name] = elements[n];
  return inputs;
}

Cone cone_of(const Graph& graph, const Elements& elements, const InputElements& inputs, std::int32_t formula_nodes) {
  return Cutter(graph, elements, inputs).cut(formula_nodes);
}

}  // namespace assay::validation::formula
