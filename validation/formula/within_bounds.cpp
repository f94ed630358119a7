#include "validation/formula/within_bounds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <ranges>
#include <span>

#include "validation/core/infinity.h"
#include "validation/core/number.h"
#include "validation/formula/casts.h"
#include "validation/formula/choices.h"
#include "validation/formula/declared.h"
#include "validation/formula/hints.h"
#include "validation/formula/sample.h"
#include "validation/formula/tied_sums.h"

namespace assay::validation::formula {
namespace {

using reference::BigFloat;

/// What to declare where element `i` of result `k` is beyond the bound.
using Hint = std::function<std::string(std::size_t k, std::size_t i, double got, double error, double bound)>;

/// What the elements of one array are held to.
struct Held {
  const std::vector<BigFloat>& exact;
  const std::vector<double>& bounds;
  double range;
  const Shape& shape;
  const std::vector<double>* changes;     ///< for a roundoff of the inputs; null where they are not known
  const std::vector<double>* sizes;       ///< if nothing cancels; null where each is beyond its bound, or not known
  const std::vector<double>* undeclared;  ///< the bounds without what is declared; null where nothing is
  double widest;  ///< the share of its size by which an element may be off by what is declared alone
  const std::vector<std::int64_t>* elements;  ///< of the array, where these are a sample of them; else null
  bool may_be_nan;  ///< a value of the case may leave the range, and reach others as 0 times infinity
};

/// The largest size of an element. Below the normal numbers a right kernel may return 0.
double range_of(const Held& held, std::size_t i, Dtype storage) {
  if (held.sizes == nullptr || !((*held.sizes)[i] >= format_of(storage).smallest_normal)) return held.range;
  return std::min(held.range, (*held.sizes)[i]);
}

std::string place_of(const std::string& what, const Held& held, std::size_t i) {
  return place(what, held.elements == nullptr ? i : static_cast<std::size_t>((*held.elements)[i]), held.shape);
}

/// How large the element is if nothing cancels.
double size_of(const Held& held, std::size_t i) {
  const double value = std::abs(to_double(held.exact[i]));
  return held.sizes == nullptr ? value : std::max(value, (*held.sizes)[i]);
}

/// Whether 0 would pass by what the kernel declares alone: a road through huge numbers that cancel has a bound below the
/// range, and above most values of a softmax.
bool is_hidden(const Held& held, std::size_t i) {
  const double size = size_of(held, i);
  return held.undeclared != nullptr && (*held.undeclared)[i] < size && !(held.bounds[i] < size);
}

/// Whether the element is right by what the kernel declares alone, and off by so much of its size that it proves nothing.
bool is_widened(const Held& held, std::size_t i, double error) {
  if (held.undeclared == nullptr || !std::isfinite(held.bounds[i])) return false;
  const double most = held.widest * size_of(held, i);
  return (*held.undeclared)[i] <= most && error > most && error > (*held.undeclared)[i];
}

/// Whether what the kernel declares alone makes too much of a result right. A right kernel may lose an element where
/// numbers cancel. One that computes every second element, as on a chessboard, has a road that is wide at the others.
/// Copies and zeros do not count, because nothing is computed there.
struct Excused {
  std::int64_t computed = 0, excused = 0;

  void add(const Held& held, std::size_t i, double error, bool is_unjudged) {
    if (held.undeclared == nullptr || (*held.undeclared)[i] == 0) return;
    ++computed;
    excused += is_unjudged && !(error <= (*held.undeclared)[i]) ? 1 : 0;
  }

  bool are_many() const { return 10 * excused > computed; }
};

/// Notes the relative error of a result that was right, and how many of its digits mean something.
void weigh(Finding& finding, const Held& held, std::size_t i, double error, Dtype storage) {
  const double value = to_double(held.exact[i]), bound = held.bounds[i];
  if (bound == 0 || !std::isfinite(value)) return;
  if (value != 0) finding.relative_error = std::max(finding.relative_error, error / std::abs(value));
  if (held.changes != nullptr)
    finding.evidence.weigh(value, std::min(bound, (*held.changes)[i]), format_of(storage).roundoff);
}

/// Compares one array, the elements that have a bound.
Finding compare(const std::string& what, const std::vector<double>& got, const Held& held, Dtype storage,
                const std::function<std::string(std::size_t i, double got, double error, double bound)>& hint) {
  Finding finding = Finding::pass();
  Excused excused;
  for (std::size_t i = 0; i < held.exact.size(); ++i) {
    const BigFloat& exact = held.exact[i];
    const double bound = held.bounds[i];
    const bool finite = is_finite(exact);
    const bool hidden = is_hidden(held, i);
    if (finite && held.may_be_nan && std::isnan(got[i])) {
      excused.add(held, i, got[i], hidden);
      finding.judged.add(no_range, held.range);
      continue;
    }
    const double error = finite ? absolute_difference(exact, BigFloat(got[i])) : std::nan("");
    const bool passes = error <= bound, unjudged = hidden || (passes && is_widened(held, i, error));
    const bool is_one = finding.judged.add(unjudged ? infinity : bound, finite ? range_of(held, i, storage) : no_range);
    if (finite) excused.add(held, i, error, unjudged);
    if (!std::isfinite(bound)) continue;
    const bool same = !finite && same_kind(exact, BigFloat(got[i]));
    if (same || (finite && may_overflow(got[i], exact, bound, storage))) continue;
    if (is_one || !passes) finding.margin.take(error == 0 ? 0 : error / bound, place_of(what, held, i), error);
    if (passes && is_one) weigh(finding, held, i, error, storage);
    if (passes) continue;
    finding.verdict = Verdict::fail;
    finding.clue = Clue::number(to_double(exact), got[i]);
    finding.explanation =
        fmt::format("{}\n{}", place_of(what, held, i),
                    finite ? explain(got[i], exact, error, bound, storage) + hint(i, got[i], error, bound)
                           : fmt::format("  exact    {}\n  got      {}", to_decimal(exact, 5), show(got[i])));
    return finding;
  }
  finding.judged.misses_index = (finding.judged.elements > 0 && finding.judged.judged == 0) || excused.are_many();
  return finding;
}

Finding compare_all(
    const std::string& what, const Doubles& got, const std::vector<std::vector<BigFloat>>& exact, const Doubles& bounds,
    const std::vector<double>& ranges, const std::vector<Shape>& shapes, std::span<const std::vector<double>> changes,
    std::span<const std::vector<double>> sizes, std::span<const std::vector<double>> undeclared,
    const std::function<double(std::size_t k)>& widest_of, const std::function<Dtype(std::size_t k)>& storage_of,
    const Hint& hint, const Elements* elements,
    const std::function<bool(std::size_t k)>& is_held = [](std::size_t) { return true; }) {
  Finding all = Finding::pass();
  const bool may_be_nan = std::ranges::any_of(
      bounds, [](const auto& one) { return std::ranges::any_of(one, [](double bound) { return std::isinf(bound); }); });
  for (std::size_t k = 0; k < exact.size() && all.verdict == Verdict::pass; ++k) {
    if (!is_held(k)) continue;
    const std::string name = exact.size() > 1 ? fmt::format("{}{}", what, k) : what;
    all.take(compare(name, got.at(k),
                     {exact[k], bounds[k], ranges[k], shapes[k], changes.empty() ? nullptr : &changes[k],
                      sizes.empty() ? nullptr : &sizes[k], undeclared.empty() ? nullptr : &undeclared[k], widest_of(k),
                      elements == nullptr ? nullptr : &elements->at(k), may_be_nan},
                     storage_of(k),
                     [&](std::size_t i, double x, double error, double bound) { return hint(k, i, x, error, bound); }));
  }
  return all;
}

/// The bounds on gradients; none where numbers of the case have no derivative, as t log t has none at 0.
Doubles bounds_of_gradients(const Truth& truth, const Case& c) {
  Doubles bounds = truth.gradient_bounds;
  const auto is_finite_array = [](const auto& array) {
    return std::ranges::all_of(array, [](double x) { return std::isfinite(x); });
  };
  if (!std::ranges::all_of(c.arrays, is_finite_array) || !std::ranges::all_of(c.upstream, is_finite_array))
    return bounds;
  for (std::size_t k = 0; k < bounds.size(); ++k)
    for (std::size_t i = 0; i < bounds[k].size(); ++i)
      if (std::isnan(to_double(truth.gradients[k][i]))) bounds[k][i] = std::numeric_limits<double>::infinity();
  return bounds;
}

/// The largest error of results as a share of their bounds without what is declared.
double undeclared_share(const Doubles& got, const std::vector<std::vector<BigFloat>>& exact,
                        std::span<const std::vector<double>> bounds) {
  double worst = 0;
  for (std::size_t k = 0; k < exact.size(); ++k)
    for (std::size_t i = 0; i < exact[k].size(); ++i) {
      if (!std::isfinite(bounds[k][i]) || !is_finite(exact[k][i]) || !std::isfinite(got[k][i])) continue;
      const double error = absolute_difference(exact[k][i], BigFloat(got[k][i]));
      if (error > 0) worst = std::max(worst, error / bounds[k][i]);
    }
  return worst;
}

/// The hint for results at these nodes. A kernel that has declared its road knows what it declares.
Hint hint_of(const Subject& subject, const Traced& traced, const std::vector<std::int32_t>& nodes,
             const Doubles& values, bool has_road) {
  return [&, has_road](std::size_t k, std::size_t i, double got, double error, double bound) {
    constexpr double max_share = 64;  // a larger error is not one of rounding
    if (has_road) return std::string();
    std::string declared = hint_for(traced, {nodes[k], i, got, error, bound}, values, subject.arithmetic);
    if (!(error <= max_share * bound)) return declared;
    return declared + "\n  if the kernel takes another road than the formula, write the road as a formula: road=f";
  };
}

/// A failure where an output of positions has one that no rounding makes right, or values beside it that are elsewhere.
Finding wrong_choice(const Subject& subject, const Truth& truth, const Traced& traced, const Doubles& got) {
  const auto failure = [&](std::size_t k, const Choices::Wrong& wrong) {
    const std::string name = truth.choices.size() > 1 ? fmt::format("output{}", k) : "output";
    return Finding::fail(fmt::format("{}\n  {}", place(name, wrong.element, traced.shapes[k]), wrong.why));
  };
  const auto& outputs = traced.graph.outputs;
  for (std::size_t k = 0; k < truth.choices.size(); ++k) {
    if (truth.choices[k] == nullptr) continue;
    if (const auto wrong = truth.choices[k]->wrong_in(got.at(k))) return failure(k, *wrong);
    for (std::size_t j = 0; j < outputs.size(); ++j) {
      if (!is_beside(traced.graph, truth.values, outputs[k], outputs[j])) continue;
      if (const auto wrong =
              truth.choices[k]->wrong_beside(got[k], got[j], subject.arithmetic, storage_of_output(subject, j)))
        return failure(j, *wrong);
    }
  }
  return Finding::pass();
}

/// A failure where the gradients of equal largest elements add up to another sum than that of their shares.
Finding wrong_tied_sum(const Subject& subject, const Traced& traced, const Case& c, const Truth& truth,
                       const Doubles& got) {
  std::vector<std::pair<std::string, std::int32_t>> gradients;
  for (const Input& input : subject.specification.inputs)
    if (has_gradient(input.kind)) gradients.emplace_back(input.name, traced.gradients[gradients.size()]);
  const std::vector<Shape> shapes = gradient_shapes(subject, c);
  for (const TiedSum& sum :
       tied_sums(traced.graph, traced.formula_nodes, gradients, truth.values, subject.arithmetic)) {
    double ours = 0, due = 0;
    std::vector<std::string> places;
    for (const std::size_t i : sum.elements) {
      ours += got[sum.input][i];
      due += to_double(truth.gradients[sum.input][i]);
      if (places.size() < 4) places.push_back(place(sum.name, i, shapes[sum.input]));
    }
    if (!std::isfinite(sum.bound) || std::abs(ours - due) <= sum.bound) continue;
    Finding finding = Finding::fail(fmt::format(
        "gradients of {} equal largest elements, {}\n  exact    {} is their sum, whatever share each gets\n"
        "  got      {}\n  error    {:.3g}, beyond the bound {:.3g}",
        sum.elements.size(), fmt::join(places, ", "), show(due), show(ours), std::abs(ours - due), sum.bound));
    return finding;
  }
  return Finding::pass();
}

}  // namespace

std::string place(const std::string& what, std::size_t i, const Shape& shape) {
  std::vector<std::int64_t> at(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0; i /= static_cast<std::size_t>(shape[axis]))
    at[axis] = static_cast<std::int64_t>(i) % shape[axis];
  return fmt::format("{}[{}]", what, fmt::join(at, ", "));
}

bool may_overflow(double got, const BigFloat& exact, double bound, Dtype storage) {
  const double value = to_double(exact);
  return std::isinf(got) && std::signbit(got) == std::signbit(value) &&
         std::abs(value) + bound >= format_of(storage).largest * (1 + format_of(storage).roundoff / 2);
}

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}

namespace {

Finding no_sample() {
  return Finding::skip("each element of the results is computed from too many others", SkipCause::wrong_kind);
}

/// `elements`: those of each result that `got` has, where the case is a sample of a larger one; else null.
Finding outputs_within(const Subject& subject, const Case& c, const Doubles& got, const Elements* elements) {
  const auto truth = truth_of(subject, c);
  const auto traced = subject.trace(c.extents);
  const auto& results = traced->graph.outputs;
  const auto is_held = [&](std::size_t k) { return cast_of(traced->graph, results[k]) == nullptr; };
  if (subject.specification.has_codes &&
      std::ranges::none_of(std::views::iota(std::size_t{0}, results.size()), is_held))
    return Finding::skip("all results are rounded to a small format: quantisation judges them", SkipCause::wrong_kind);
  const Hint hint = hint_of(subject, *traced, results, truth->values, bool{subject.road});
  if (elements == nullptr)
    if (auto wrong = wrong_choice(subject, *truth, *traced, got); wrong.verdict == Verdict::fail) return wrong;
  Finding finding = compare_all(
      "output", got, truth->outputs, truth->output_bounds, truth->output_ranges, traced->shapes, truth->changes,
      truth->sizes, truth->undeclared_bounds,
      [&](std::size_t k) { return widest_share(subject.arithmetic, storage_of_output(subject, k)); },
      [&](std::size_t k) { return storage_of_output(subject, k); }, hint, elements, is_held);
  finding.evidence.merge(evidence_of(*truth));
  if (finding.verdict == Verdict::pass && !truth->undeclared_bounds.empty())
    finding.evidence.undeclared["output"] = undeclared_share(got, truth->outputs, truth->undeclared_bounds);
  return finding;
}

Finding gradients_within(const Subject& subject, const Case& c, const Doubles& got, const Elements* elements) {
  const auto truth = truth_of(subject, c);
  const auto traced = subject.trace(c.extents);
  const Hint hint = hint_of(subject, *traced, traced->gradients, truth->values, bool{subject.backward_road});
  const auto of_gradients = [&](const Doubles& all) {
    return std::span(all).subspan(all.empty() ? 0 : truth->outputs.size());
  };
  Finding finding = compare_all(
      "gradient", got, truth->gradients, bounds_of_gradients(*truth, c), truth->gradient_ranges,
      gradient_shapes(subject, c), of_gradients(truth->changes), of_gradients(truth->sizes),
      of_gradients(truth->undeclared_bounds),
      [&](std::size_t k) { return widest_share(subject.arithmetic, storage_of_gradient(subject, k)); },
      [&](std::size_t k) { return storage_of_gradient(subject, k); }, hint, elements);
  if (finding.verdict == Verdict::pass && !subject.backward_road && elements == nullptr)
    if (auto wrong = wrong_tied_sum(subject, *traced, c, *truth, got); wrong.verdict == Verdict::fail) return wrong;
  finding.evidence.merge(evidence_of(*truth));
  if (finding.verdict == Verdict::pass && !truth->undeclared_bounds.empty())
    finding.evidence.undeclared["gradient"] =
        undeclared_share(got, truth->gradients, std::span(truth->undeclared_bounds).subspan(truth->outputs.size()));
  return finding;
}

}  // namespace

Finding outputs(const Subject& subject, const Case& c, Random&) {
  if (!c.is_sampled) return outputs_within(without_backward(subject), c, subject.forward(c), nullptr);
  const auto sample = sample_of(without_backward(subject), c, false);
  if (!sample) return no_sample();
  return outputs_within(sample->subject, sample->problem, sample->picked(subject.forward(c)), &sample->elements);
}

Finding gradients(const Subject& subject, const Case& c, Random&) {
  if (!c.is_sampled) return gradients_within(subject, c, subject.backward(c), nullptr);
  const auto sample = sample_of(subject, c, true);
  if (!sample) return no_sample();
  return gradients_within(sample->subject, sample->problem, sample->picked(subject.backward(c)), &sample->elements);
}

}  // namespace assay::validation::formula
