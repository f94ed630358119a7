#include "validation/formula/algebra.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "validation/core/dtype.h"
#include "validation/core/number.h"
#include "validation/core/side_by_side.h"
#include "validation/formula/choices.h"
#include "validation/formula/term_search.h"
#include "validation/formula/within_bounds.h"

namespace assay::validation::formula {
namespace {

using reference::Comparison;
using reference::Followed;
using reference::Residue;
using Values = reference::formula::Values<Followed>;

struct Element {
  std::size_t result = 0, element = 0;
};

std::vector<double> input_of(const Subject& subject, const Case& c, const std::string& name) {
  for (std::size_t i = 0; i < subject.specification.inputs.size(); ++i)
    if (subject.specification.inputs[i].name == name) return c.arrays[i];
  return c.upstream.at(std::stoul(name.substr(std::string("upstream").size())));
}

/// The case with other numbers of the same signs, none of them 0 and hardly two equal.
Case with_other_values(const Subject& subject, Case c) {
  std::mt19937_64 random(20);
  const auto redraw = [&](std::vector<double>& values, Dtype dtype) {
    for (double& x : values) {
      const double size = 0.25 + std::ldexp(static_cast<double>(random() >> 41), -24);
      if (std::isfinite(x)) x = std::copysign(rounded_to<double>(dtype, size), x);
    }
  };
  for (std::size_t i = 0; i < c.arrays.size(); ++i) {
    const Input& input = subject.specification.inputs[i];
    if (has_gradient(input.kind)) redraw(c.arrays[i], input.dtype.value_or(subject.arithmetic.storage));
  }
  for (std::size_t k = 0; k < c.upstream.size(); ++k) redraw(c.upstream[k], storage_of_output(subject, k));
  return c;
}

std::string why_undecided(const Followed& due, const Followed& got) {
  for (const Residue* one : {&got.residue, &due.residue})
    if (one->kind == Residue::Kind::unknown) return std::string(reference::text_of(one->reason));
  if (!std::isfinite(due.value) || !std::isfinite(got.value)) return "a value out of range";
  const int traits = due.residue.traits | got.residue.traits;
  if ((traits & Residue::close_choice) != 0) return "a choice that rounding may turn";
  if ((traits & Residue::rounded) != 0) return "constants that a rounded computation may have given";
  if ((traits & (Residue::any_sign_lost | Residue::any_root)) != 0) return "roots whose signs no chain of primes knows";
  if ((traits & Residue::logarithmic) != 0) return "logarithms that are multiplied";
  if ((traits & Residue::nested) != 0) return "exponentials nested too deep";
  return "functions without a homomorphism";
}

/// A lost sign is known in every second chain of primes, and the right sign is chosen in every second one.
bool may_be_decided(const Followed& due, const Followed& got) {
  return std::isfinite(due.value) && std::isfinite(got.value) &&
         ((due.residue.traits | got.residue.traits) & (Residue::any_sign_lost | Residue::any_root)) != 0;
}

class Comparing {
 public:
  Comparing(const Subject& subject, const Case& c)
      : subject_(subject), c_(c), traced_(subject.trace(c.extents)), graph_(traced_->graph) {
    if (subject.forward) results_ = graph_.outputs;
    if (subject.backward)
      results_.insert(results_.end(), traced_->gradients.begin(), traced_->gradients.end());
    else
      graph_.nodes.resize(static_cast<std::size_t>(traced_->formula_nodes));
    for (std::size_t k = 0; k < results_.size(); ++k)
      for (std::int64_t i = 0; argsort_of(graph_, results_[k]) < 0 && i < graph_.size_of(results_[k]); ++i)
        pending_.push_back({k, static_cast<std::size_t>(i)});
  }

  AlgebraResult result() {
    const std::size_t chain = reference::chain_in_use;
    for (std::size_t k = 0; k < reference::chains.size() && is_open(); ++k) {
      reference::chain_in_use = k;
      compare_in_chain(k + 1 == reference::chains.size());
    }
    reference::chain_in_use = chain;
    return found_;
  }

 private:
  bool is_open() const { return !pending_.empty() && !found_.difference && found_.left.empty(); }

  void compare_in_chain(bool is_last) {
    const Subject::FollowedResults got = subject_.followed(c_);
    if (found_.left = got.left; !found_.left.empty()) return;
    const Values values = values_of(c_);
    turned_.reset();
    std::vector<Element> undecided;
    for (const Element& at : pending_) {
      const Followed& due = values[static_cast<std::size_t>(results_[at.result])][at.element];
      const Followed& ours = got.results.at(at.result).at(at.element);
      Comparison compared = compare(due, ours);
      if (compared == Comparison::root_signs && differs_for_every_sign(at, due, ours)) compared = Comparison::different;
      if (compared == Comparison::different) return differ(at, due, ours, values);
      if (compared == Comparison::equal)
        ++found_.equal;
      else if (!is_last && may_be_decided(due, ours))
        undecided.push_back(at);
      else if (++found_.undecided == 1)
        found_.why_undecided = why_undecided(due, ours);
    }
    pending_ = undecided;
  }

  Values values_of(const Case& c) const {
    return reference::formula::followed_values(graph_,
                                               [&](const std::string& name) { return input_of(subject_, c, name); });
  }

  /// Whether two results that hold one root each, outside of products, differ whatever sign is chosen for either.
  bool differs_for_every_sign(const Element& at, const Followed& due, const Followed& got) {
    if (std::max(due.residue.root, got.residue.root) == Residue::several_roots) return false;
    if (!turned_) {
      reference::roots_are_turned = true;
      turned_ = {values_of(c_), subject_.followed(c_).results};
      reference::roots_are_turned = false;
    }
    const Residue due_turned = turned_->due[static_cast<std::size_t>(results_[at.result])][at.element].residue;
    const Residue got_turned = turned_->got.at(at.result).at(at.element).residue;
    for (const Residue& one : {due.residue, due_turned})
      for (const Residue& other : {got.residue, got_turned})
        if (reference::compare(one, other) != Comparison::root_signs) return false;
    return true;
  }

  void differ(const Element& at, const Followed& due, const Followed& got, const Values& values) {
    found_.difference = {at.result, at.element, due, got, explanation_of(at, got, values)};
  }

  /// Among the zeros and equal numbers of a shrunk case, changes fit that have nothing to do with the fault: what is
  /// said must explain other numbers too.
  std::string explanation_of(const Element& at, const Followed& got, const Values& values) const {
    const Case other = with_other_values(subject_, c_);
    const Subject::FollowedResults other_got = subject_.followed(other);
    if (!other_got.left.empty()) return "";
    const Values other_values = values_of(other);
    const auto element = static_cast<std::int64_t>(at.element);
    TermSearch confirming(graph_, other_values, results_[at.result], element,
                          other_got.results.at(at.result).at(at.element));
    return TermSearch(graph_, values, results_[at.result], element, got).explanation(confirming);
  }

  const Subject& subject_;
  const Case& c_;
  std::shared_ptr<const Traced> traced_;
  Graph graph_;
  std::vector<std::int32_t> results_;
  std::vector<Element> pending_;
  struct Turned {
    Values due;
    std::vector<std::vector<Followed>> got;
  };
  std::optional<Turned> turned_;  ///< all results where the roots have the other sign
  AlgebraResult found_;
};

/// Which result of the forward or of the backward pass the number of a result means.
struct ResultPlace {
  bool of_gradient;
  std::size_t number;

  ResultPlace(const Subject& subject, const Traced& traced, std::size_t result)
      : of_gradient(!subject.forward || result >= traced.graph.outputs.size()),
        number(of_gradient && subject.forward ? result - traced.graph.outputs.size() : result) {}
};

std::string place_of(const Subject& subject, const Case& c, const AlgebraResult::Difference& found) {
  const auto traced = subject.trace(c.extents);
  const ResultPlace of(subject, *traced, found.result);
  const auto shapes = of.of_gradient ? gradient_shapes(subject, c) : traced->shapes;
  const std::string name = of.of_gradient ? "gradient" : "output";
  return place(shapes.size() > 1 ? fmt::format("{}{}", name, of.number) : name, found.element, shapes[of.number]);
}

}  // namespace

std::string AlgebraResult::verdict() const {
  if (!left.empty()) return "not judged by the algebra: " + left;
  if (difference) return differs_beyond;
  return equal_beyond(equal, undecided, equal + undecided == 0 ? "no elements" : why_undecided);
}

AlgebraResult algebra_of(const Subject& subject, const Case& c) {
  return Comparing(subject, c).result();
}

std::string algebra_beside_bound(const Subject& subject, const Case& c) {
  const AlgebraResult found = algebra_of(subject, c);
  if (!found.difference) return found.verdict();
  constexpr std::int64_t most_elements = 1'000'000;
  const auto traced = subject.trace(c.extents);
  if (traced->graph.elements() > most_elements) return "algebra differs; at this size its bound is not computed";
  const ResultPlace of(subject, *traced, found.difference->result);
  const std::size_t element = found.difference->element;
  const auto truth = truth_of(subject, c);
  const auto& exact = (of.of_gradient ? truth->gradients : truth->outputs)[of.number][element];
  const double bound = (of.of_gradient ? truth->gradient_bounds : truth->output_bounds)[of.number][element];
  const double error = absolute_difference(exact, reference::BigFloat(found.difference->got.value));
  return differs(error == 0 ? 0 : error / bound);
}

Finding algebra(const Subject& subject, const Case& c, Random&) {
  const AlgebraResult found = algebra_of(subject, c);
  if (found.difference) {
    const std::string term = found.difference->explanation;
    return Finding::fail(fmt::format("{} is not the formula's: the algebra differs{}",
                                     place_of(subject, c, *found.difference), term.empty() ? "" : "\n  it " + term));
  }
  if (!found.left.empty() || found.equal == 0) return Finding::skip(found.verdict());
  Finding finding = Finding::pass();
  for (std::int64_t i = 0; i < found.equal; ++i) finding.judged.add(0, no_range);
  finding.judged.elements += found.undecided;
  return finding;
}

}  // namespace assay::validation::formula
