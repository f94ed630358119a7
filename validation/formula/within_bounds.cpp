#include "validation/formula/within_bounds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <span>

#include "validation/core/number.h"
#include "validation/formula/declared.h"

namespace assay::validation::formula {
namespace {

using reference::BigFloat;

/// What to declare where the error of element `i` of result `k` is beyond the bound.
using Hint = std::function<std::string(std::size_t k, std::size_t i, double error, double bound)>;

/// Compares one array; counts the elements that have a bound.
Finding compare(const std::string& what, const std::vector<double>& got, const std::vector<BigFloat>& exact,
                const std::vector<double>& bounds, const Shape& shape, Dtype storage, std::int64_t& bounded,
                const std::function<std::string(std::size_t i, double error, double bound)>& hint) {
  Margin margin;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    if (!std::isfinite(bounds[i])) continue;
    ++bounded;
    const bool finite = is_finite(exact[i]);
    const bool same = !finite && same_kind(exact[i], BigFloat(got[i]));
    if (same || (finite && may_overflow(got[i], exact[i], bounds[i], storage))) continue;
    const double error = finite ? absolute_difference(exact[i], BigFloat(got[i])) : std::nan("");
    const double share = error == 0 ? 0 : error / bounds[i];
    margin.take(share, place(what, i, shape), error);
    if (!(error <= bounds[i]))
      return Finding::fail(
          fmt::format("{}\n{}", place(what, i, shape),
                      finite ? explain(got[i], exact[i], error, bounds[i], storage) + hint(i, error, bounds[i])
                             : fmt::format("  exact    {}\n  got      {}", to_decimal(exact[i], 5), show(got[i]))),
          margin);
  }
  return Finding::pass(margin);
}

Finding without_bound() {
  return Finding::skip(
      "mistrusted: no useful bound exists, the formula's condition is infinite or a value leaves the "
      "range of the arithmetic");
}

Finding compare_all(const std::string& what, const Doubles& got, const std::vector<std::vector<BigFloat>>& exact,
                    const Doubles& bounds, const std::vector<Shape>& shapes, Dtype storage, const Hint& hint) {
  Finding worst = Finding::pass();
  std::int64_t bounded = 0, all = 0;
  for (std::size_t k = 0; k < exact.size(); ++k) {
    const std::string name = exact.size() > 1 ? fmt::format("{}{}", what, k) : what;
    Finding one = compare(name, got.at(k), exact[k], bounds[k], shapes[k], storage, bounded,
                          [&](std::size_t i, double error, double bound) { return hint(k, i, error, bound); });
    all += std::ssize(exact[k]);
    one.margin.take(worst.margin);
    if (one.verdict != Verdict::pass) return one;
    worst = std::move(one);
  }
  return all > 0 && bounded == 0 ? without_bound() : worst;
}

/// Takes in how much of the bounds without declared roundings the results use.
void take_undeclared(const Subject& subject, const std::string& what, const Doubles& got,
                     const std::vector<std::vector<BigFloat>>& exact, std::span<const std::vector<double>> bounds) {
  if (bounds.empty()) return;
  double& worst = subject.truths->undeclared[what];
  for (std::size_t k = 0; k < exact.size(); ++k)
    for (std::size_t i = 0; i < exact[k].size(); ++i) {
      if (!std::isfinite(bounds[k][i]) || !is_finite(exact[k][i]) || !std::isfinite(got[k][i])) continue;
      const double error = absolute_difference(exact[k][i], BigFloat(got[k][i]));
      if (error > 0) worst = std::max(worst, error / bounds[k][i]);
    }
}

/// The hint for results at these nodes. A kernel that has declared its road knows what it declares.
Hint hint_of(const Subject& subject, const Traced& traced, const std::vector<std::int32_t>& nodes,
             const Doubles& values, bool has_road) {
  return [&, has_road](std::size_t k, std::size_t i, double error, double bound) {
    constexpr double max_share = 64;  // a larger error is not one of rounding
    if (has_road) return std::string();
    std::string rounds = declaration_hint(traced, nodes[k], i, values, subject.arithmetic, error - bound);
    if (!(error <= max_share * bound)) return rounds;
    return rounds + "\n  if the kernel takes another road than the formula, write the road as a formula: road=f";
  };
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

Finding outputs(const Subject& subject, const Case& c, Random&) {
  const auto truth = truth_of(without_backward(subject), c);
  const auto traced = subject.trace(c.extents);
  const Doubles got = subject.forward(c);
  const Hint hint = hint_of(subject, *traced, traced->graph.outputs, truth->values, bool{subject.road});
  Finding finding = compare_all("output", got, truth->outputs, truth->output_bounds, traced->shapes,
                                subject.arithmetic.storage, hint);
  if (finding.verdict == Verdict::pass)
    take_undeclared(subject, "output", got, truth->outputs, truth->undeclared_bounds);
  return finding;
}

Finding gradients(const Subject& subject, const Case& c, Random&) {
  const auto truth = truth_of(subject, c);
  const auto traced = subject.trace(c.extents);
  const Doubles got = subject.backward(c);
  const Hint hint = hint_of(subject, *traced, traced->gradients, truth->values, bool{subject.backward_road});
  Finding finding = compare_all("gradient", got, truth->gradients, truth->gradient_bounds, gradient_shapes(subject, c),
                                subject.arithmetic.storage, hint);
  if (finding.verdict == Verdict::pass && !truth->undeclared_bounds.empty())
    take_undeclared(subject, "gradient", got, truth->gradients,
                    std::span(truth->undeclared_bounds).subspan(truth->outputs.size()));
  return finding;
}

}  // namespace assay::validation::formula
