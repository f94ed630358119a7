#include "validation/formula/mutants.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <tuple>

#include "reference/number/narrow.h"

namespace assay::validation::formula {
namespace {

/// Where a fault is planted: every node of this operation that came from this line, of the formula or of its gradient.
struct Site {
  Op op = Op::add;
  std::int32_t line = 0;
  bool gradient = false;

  auto key() const { return std::tuple(gradient, line, op); }
  bool operator<(const Site& other) const { return key() < other.key(); }
};

Site site_of(const Traced& traced, std::size_t number) {
  const Node& node = traced.graph.nodes[number];
  return {node.op, node.line, static_cast<std::int32_t>(number) >= traced.formula_nodes};
}

/// Adds the faulty form of a node, whose arguments are nodes of `graph`, and returns its number.
using Fault = std::function<std::int32_t(Graph& graph, const Node& node)>;

std::int32_t gathered(Graph& graph, std::int32_t argument, std::vector<std::int64_t> index) {
  return graph.add({Op::gather, std::ssize(index), {argument}, 0, 0, 0, std::move(index)});
}

/// Columns [first, last) of an argument [rows, inner].
std::int32_t columns(Graph& graph, std::int32_t argument, std::int64_t inner, std::int64_t first, std::int64_t last) {
  std::vector<std::int64_t> index;
  for (std::int64_t i = 0; i < graph.size_of(argument); ++i)
    if (i % inner >= first && i % inner < last) index.push_back(i);
  return gathered(graph, argument, std::move(index));
}

/// The reduction over [first, last) of `inner` terms.
std::int32_t shortened(Graph& graph, Node node, std::int64_t first, std::int64_t last) {
  if (node.inner == 0 || first >= last) return graph.add(std::move(node));
  if (node.op == Op::matmul) {
    std::vector<std::int64_t> index;  // of the right factor [batch, inner, columns]
    for (std::int64_t i = 0; i < graph.size_of(node.arguments[1]); ++i)
      if (const std::int64_t k = i / node.columns % node.inner; k >= first && k < last) index.push_back(i);
    node.arguments[1] = gathered(graph, node.arguments[1], std::move(index));
  }
  node.arguments[0] = columns(graph, node.arguments[0], node.inner, first, last);
  node.inner = last - first;
  return graph.add(std::move(node));
}

std::int32_t constant(Graph& graph, std::int64_t size, double value) {
  return graph.add({Op::constant, size, {}, 0, 0, 0, {}, std::vector<double>(static_cast<std::size_t>(size), value)});
}

std::int32_t with_op(Graph& graph, Node node, Op op) {
  node.op = op;
  return graph.add(std::move(node));
}

/// Whether sums may have more than 1023 terms.
bool may_grow_large(const Specification& specification) {
  return std::ranges::any_of(specification.extents, [&](const std::string& name) {
    const auto limit = specification.limits.find(name);
    return limit == specification.limits.end() || limit->second > 1023;
  });
}

/// The faults of one operation, each with what it does.
std::vector<std::pair<std::string, Fault>> faults_of(Op op, bool grows_large) {
  constexpr std::int64_t tile = 16;
  std::vector<std::pair<std::string, Fault>> faults;
  if (is_reduction(op) || op == Op::matmul) {
    faults.emplace_back("leaves out its last element",
                        [](Graph& g, const Node& n) { return shortened(g, n, 0, n.inner - 1); });
    faults.emplace_back("leaves out its first element",
                        [](Graph& g, const Node& n) { return shortened(g, n, 1, n.inner); });
    faults.emplace_back("leaves out the last tile of 16", [](Graph& g, const Node& n) {
      return shortened(g, n, 0, n.inner > tile ? (n.inner - 1) / tile * tile : n.inner);
    });
    if (grows_large)
      faults.emplace_back("leaves out all from the 1024th on", [](Graph& g, const Node& n) {
        return shortened(g, n, 0, std::min<std::int64_t>(n.inner, 1023));
      });
  }
  if (op == Op::largest) faults.emplace_back("is 0", [](Graph& g, const Node& n) { return constant(g, n.size, 0); });
  if (op == Op::less || op == Op::less_equal)
    faults.emplace_back("is off by one", [op](Graph& g, const Node& n) {
      return with_op(g, n, op == Op::less ? Op::less_equal : Op::less);
    });
  if (op == Op::where) {
    faults.emplace_back("takes its second argument always", [](Graph&, const Node& n) { return n.arguments[1]; });
    faults.emplace_back("takes its third argument always", [](Graph&, const Node& n) { return n.arguments[2]; });
  }
  if (op == Op::add || op == Op::subtract || op == Op::multiply || op == Op::divide || op == Op::maximum ||
      op == Op::minimum || op == Op::logaddexp)
    faults.emplace_back("forgets its second argument", [](Graph&, const Node& n) { return n.arguments[0]; });
  if (is_unary(op) && op != Op::sign)
    faults.emplace_back("is left out", [](Graph&, const Node& n) { return n.arguments[0]; });
  return faults;
}

/// The formula with a fault at a site.
Traced planted(const Traced& traced, const Site& site, const Fault& fault) {
  Traced result{{}, traced.shapes, {}, 0};
  std::vector<std::int32_t> to;
  for (std::size_t n = 0; n < traced.graph.nodes.size(); ++n) {
    Node node = traced.graph.nodes[n];
    for (auto& argument : node.arguments) argument = to[static_cast<std::size_t>(argument)];
    const bool here = !(site < site_of(traced, n)) && !(site_of(traced, n) < site);
    to.push_back(here ? fault(result.graph, node) : result.graph.add(std::move(node)));
  }
  for (const auto node : traced.graph.outputs) result.graph.outputs.push_back(to[static_cast<std::size_t>(node)]);
  for (const auto node : traced.gradients) result.gradients.push_back(to[static_cast<std::size_t>(node)]);
  return result;
}

/// Where a mutant computes in bfloat16.
enum class Narrow : std::uint8_t { nowhere, sums, everywhere };

template <class Number>
Doubles computed(const Subject& subject, const Traced& traced, const Case& c, bool gradient, bool ones, Narrow narrow) {
  const auto input = [&](const std::string& name) {
    for (std::size_t i = 0; i < subject.specification.inputs.size(); ++i)
      if (subject.specification.inputs[i].name == name) return c.arrays[i];
    std::vector<double> upstream = c.upstream.at(std::stoul(name.substr(std::string("upstream").size())));
    if (ones) std::ranges::fill(upstream, 1.0);
    return upstream;
  };
  const auto values =
      reference::formula::evaluate<Number>(traced.graph, input, [&](const Node& node, std::vector<Number>& result) {
        if (narrow != Narrow::sums || (node.op != Op::sum && node.op != Op::matmul)) return;
        for (Number& x : result)
          x = Number(rounded_to<float>(Dtype::bfloat16, reference::NumberTraits<Number>::to_double(x)));
      });
  Doubles results;
  for (const auto node : gradient ? traced.gradients : traced.graph.outputs) {
    auto& one = results.emplace_back();
    for (const Number& x : values[static_cast<std::size_t>(node)])
      one.push_back(rounded_to<double>(subject.arithmetic.storage, reference::NumberTraits<Number>::to_double(x)));
  }
  return results;
}

using Transform = std::function<Traced(const Traced&)>;
using Spoil = std::function<void(Doubles&)>;

Kernel evaluating(const Subject& subject, const Transform& transform, bool gradient, Narrow narrow, bool ones,
                  const Spoil& spoil) {
  return [&subject, transform, gradient, narrow, ones, spoil](const Case& c) {
    const Traced faulty = transform(*subject.trace(c.extents));
    Doubles results =
        narrow == Narrow::everywhere ? computed<reference::BFloat16>(subject, faulty, c, gradient, ones, narrow)
        : subject.arithmetic.compute == Dtype::float64 ? computed<double>(subject, faulty, c, gradient, ones, narrow)
                                                       : computed<float>(subject, faulty, c, gradient, ones, narrow);
    if (spoil) spoil(results);
    return results;
  };
}

Spoil last_is_zero() {
  return [](Doubles& results) {
    for (auto& one : results)
      if (!one.empty()) one.back() = 0;
  };
}

Spoil all_zero() {
  return [](Doubles& results) {
    for (auto& one : results) std::ranges::fill(one, 0.0);
  };
}

/// Returns the results of the call before, wherever the sizes are the same.
Spoil stale() {
  return [before = std::make_shared<Doubles>()](Doubles& results) {
    const Doubles fresh = results;
    for (std::size_t k = 0; k < results.size() && k < before->size(); ++k)
      if ((*before)[k].size() == results[k].size()) results[k] = (*before)[k];
    *before = fresh;
  };
}

struct Mutant {
  std::string name;
  bool of_gradient = false;
  Kernel forward, backward;
};

std::vector<Mutant> mutants_of(const Subject& subject, const Traced& sample) {
  const Transform same = [](const Traced& traced) { return traced; };
  std::vector<Mutant> mutants;
  const auto add = [&](const std::string& name, bool gradient, const Transform& t, Narrow narrow, bool ones,
                       const Spoil& spoil) {
    Mutant mutant{name, gradient, {}, {}};
    if (gradient) {
      mutant.backward = evaluating(subject, t, true, narrow, ones, spoil);
    } else {
      mutant.forward = evaluating(subject, t, false, narrow, ones, spoil);
    }
    mutants.push_back(std::move(mutant));
  };
  std::set<Site> sites;
  for (std::size_t n = 0; n < sample.graph.nodes.size(); ++n) sites.insert(site_of(sample, n));
  for (const Site& site : sites)
    for (const auto& [what, fault] : faults_of(site.op, may_grow_large(subject.specification))) {
      const std::string where = site.gradient ? "gradient" : fmt::format("line {}", site.line);
      const Transform transform = [site, fault = fault](const Traced& traced) { return planted(traced, site, fault); };
      add(fmt::format("{}: {} {}", where, reference::formula::op_names[static_cast<std::size_t>(site.op)], what),
          site.gradient, transform, Narrow::nowhere, false, {});
    }
  for (const bool gradient : {false, true}) {
    const std::string what = gradient ? "gradient" : "output";
    add(what + ": the last element is 0", gradient, same, Narrow::nowhere, false, last_is_zero());
    add(what + ": all zeros", gradient, same, Narrow::nowhere, false, all_zero());
    add(what + ": that of the call before", gradient, same, Narrow::nowhere, false, stale());
    add(what + ": computed in bfloat16", gradient, same, Narrow::everywhere, false, {});
    add(what + ": sums in bfloat16", gradient, same, Narrow::sums, false, {});
  }
  add("gradient: upstream of ones", true, same, Narrow::nowhere, true, {});
  return mutants;
}

}  // namespace

std::vector<MutantResult> judge_mutants(const Subject& subject, const RunOptions& options, const Traced& sample) {
  std::vector<MutantResult> results;
  for (const Mutant& mutant : mutants_of(subject, sample)) {
    Subject faulty = subject;
    faulty.kernel_name = mutant.name;
    faulty.forward = mutant.forward;
    faulty.backward = mutant.backward;
    MutantResult result{mutant.name, false, ""};
    RunOptions quick = options;
    quick.shrink_budget = 0;
    for (const Property& property : properties_of(faulty)) {
      if (property.name == "repeat" && mutant.name.find("call before") == std::string::npos) continue;
      quick.filter = "^" + property.name + "$";
      if (!run(faulty, quick).record.properties[0].failure) continue;
      result.killed = true;
      result.property = property.name;
      break;
    }
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace assay::validation::formula
