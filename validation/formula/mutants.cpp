#include "validation/formula/mutants.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <tuple>

#include "reference/number/narrow.h"
#include "validation/core/gate.h"
#include "validation/formula/faults.h"
#include "validation/formula/gate_subject.h"

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

/// Which nodes these are computed from.
std::vector<bool> used_by(const Graph& graph, const std::vector<std::int32_t>& results) {
  std::vector<bool> used(graph.nodes.size());
  for (const auto node : results) used[static_cast<std::size_t>(node)] = true;
  for (std::size_t n = graph.nodes.size(); n-- > 0;)
    for (const auto argument : used[n] ? graph.nodes[n].arguments : std::vector<std::int32_t>{})
      used[static_cast<std::size_t>(argument)] = true;
  return used;
}

bool is_sum(Op op) {
  return op == Op::sum || op == Op::matmul || op == Op::cumulative_sum || op == Op::add_at;
}

/// Whether sums may have more than 1023 terms.
bool may_grow_large(const Specification& specification) {
  return std::ranges::any_of(specification.extents, [&](const std::string& name) {
    const auto limit = specification.limits.find(name);
    return limit == specification.limits.end() || limit->second > 1023;
  });
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
        if (narrow != Narrow::sums || !is_sum(node.op)) return;
        for (Number& x : result)
          x = Number(rounded_to<float>(Dtype::bfloat16, reference::NumberTraits<Number>::to_double(x)));
      });
  Doubles results;
  for (const auto node : gradient ? traced.gradients : traced.graph.outputs) {
    const Dtype storage =
        gradient ? storage_of_gradient(subject, results.size()) : storage_of_output(subject, results.size());
    auto& one = results.emplace_back();
    for (const Number& x : values[static_cast<std::size_t>(node)])
      one.push_back(rounded_to<double>(storage, reference::NumberTraits<Number>::to_double(x)));
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
  Kernel forward, backward;
  bool is_stale = false;  ///< its results depend on the call before
};

std::vector<Mutant> mutants_of(const Subject& subject, const Traced& sample) {
  const Transform same = [](const Traced& traced) { return traced; };
  std::vector<Mutant> mutants;
  const auto add = [&](const std::string& name, bool gradient, const Transform& t, Narrow narrow, bool ones,
                       const Spoil& spoil) {
    Mutant mutant{name, {}, {}};
    (gradient ? mutant.backward : mutant.forward) = evaluating(subject, t, gradient, narrow, ones, spoil);
    mutants.push_back(std::move(mutant));
  };
  const auto plant = [&](const std::string& name, const Site& site, const Fault& fault) {
    add(name, site.gradient, [site, fault](const Traced& traced) { return planted(traced, site, fault); },
        Narrow::nowhere, false, {});
  };
  const std::vector<bool> used[] = {used_by(sample.graph, sample.graph.outputs),
                                    used_by(sample.graph, sample.gradients)};  // what is not changes nothing
  const auto has_used = [&](bool gradient, const auto& is_meant) {
    for (std::size_t n = 0; n < sample.graph.nodes.size(); ++n)
      if (used[gradient][n] && is_meant(sample.graph.nodes[n])) return true;
    return false;
  };
  std::set<Site> sites;
  std::map<Site, std::int32_t> maxima;  // that are repeated, each with its line
  for (std::size_t n = 0; n < sample.graph.nodes.size(); ++n) {
    const Node& node = sample.graph.nodes[n];
    const Site site = site_of(sample, n);
    const bool is_free =  // every decision is right
        (node.op == Op::less_equal && node.is_share) || node.cast.is_optional;
    if (!is_free && used[site.gradient][n]) sites.insert(site);
    if (!site.gradient && repeats_a_maximum(sample.graph, node))
      maxima.try_emplace(site, sample.graph.nodes[static_cast<std::size_t>(node.arguments[0])].line);
  }
  for (const Site& site : sites)
    for (const auto& [what, fault] : faults_of(site.op, may_grow_large(subject.specification))) {
      const std::string where = site.gradient ? "gradient" : fmt::format("line {}", site.line);
      const std::string_view op = reference::formula::op_names[static_cast<std::size_t>(site.op)];
      plant(fmt::format("{}: {} {}", where, op, what), site, fault);
    }
  for (const auto& [site, line] : maxima)
    plant(fmt::format("line {}: largest is that of the elements so far, and no rescaling follows", line), site,
          maximum_so_far);
  const auto rounds = [&](const Node& node) {  // a sum of comparisons counts ties, exactly
    return is_sum(node.op) && sample.graph.nodes[static_cast<std::size_t>(node.arguments[0])].op != Op::equal;
  };
  const bool is_flat = !has_used(true, [](const Node& node) { return node.op == Op::input; });
  for (const bool gradient : {false, true}) {
    if (gradient && is_flat) break;
    const std::string what = gradient ? "gradient" : "output";
    add(what + ": the last element is 0", gradient, same, Narrow::nowhere, false, last_is_zero());
    add(what + ": all zeros", gradient, same, Narrow::nowhere, false, all_zero());
    add(what + ": that of the call before", gradient, same, Narrow::nowhere, false, stale());
    mutants.back().is_stale = true;
    add(what + ": computed in bfloat16", gradient, same, Narrow::everywhere, false, {});
    if (has_used(gradient, rounds)) add(what + ": sums in bfloat16", gradient, same, Narrow::sums, false, {});
  }
  if (!is_flat) add("gradient: upstream of ones", true, same, Narrow::nowhere, true, {});
  return mutants;
}

}  // namespace

std::vector<MutantResult> judge_mutants(const Subject& subject, int cases, std::uint64_t seed, const Traced& sample) {
  std::vector<MutantResult> results;
  for (const Mutant& mutant : mutants_of(subject, sample)) {
    Subject faulty = subject;
    faulty.kernel_name = mutant.name;
    faulty.forward = mutant.forward;
    faulty.backward = mutant.backward;
    faulty.fresh = {};  // of the subject's kernel, which is none
    MutantResult result{mutant.name, false, ""};
    GateOptions options = options_of(cases, seed, Reach::quick);
    options.shrink_budget = 0;
    const FormulaGateSubject gated(faulty);
    for (std::size_t i = 0; i < gated.properties().size() && !result.killed; ++i) {
      const std::string& name = gated.properties()[i].name;
      if (name == "repeat" && !mutant.is_stale) continue;
      Coverage unused;
      result.killed = run_property(gated, i, options, unused).failure.has_value();
      if (result.killed) result.property = name;
    }
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace assay::validation::formula
