// What a kernel of a formula is held to: first the properties that speak of no mathematics, each declared in a word,
// then outputs and gradients within the bounds.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <ranges>
#include <span>
#include <stdexcept>

#include "validation/core/number.h"
#include "validation/core/support.h"
#include "validation/formula/algebra.h"
#include "validation/formula/far_rows.h"
#include "validation/formula/judge.h"
#include "validation/formula/quantisation.h"
#include "validation/formula/relations.h"
#include "validation/formula/within_bounds.h"

namespace assay::validation::formula {
namespace {

using Check = decltype(Property::check);

const Kernel& either_kernel(const Subject& subject) {
  return subject.forward ? subject.forward : subject.backward;
}

/// Adds the comparison of two results of one problem: every bit must be the same.
void take_same_bits(Finding& finding, const Doubles& first, const Doubles& second, const char* what) {
  Finding compared = Finding::pass();
  for (std::size_t k = 0; k < first.size(); ++k)
    for (std::size_t i = 0; i < first[k].size(); ++i) {
      compared.judged.add(0, no_range);
      if (compared.verdict == Verdict::pass && !same_bits(first[k][i], second[k][i]))
        compared = Finding::fail(fmt::format("  element {} of output {} has other bits: {} and {} {}", i, k,
                                             show(first[k][i]), what, show(second[k][i])),
                                 {}, {Clue::Kind::other_bits});
    }
  finding.take(compared);
}

/// What a kernel keeps of a problem larger than `c`, such as memory that it grew, must not show in later results.
void call_with_a_large_problem(const Subject& subject, const Case& c, Random& random) {
  const Case larger = large(random, subject.specification, subject.trace, subject.arithmetic.storage);
  if (elements_of(c) == 0 || elements_of(larger) <= elements_of(c)) return;
  try {
    either_kernel(subject)(larger);
  } catch (const Unsupported&) {  // it may decline what is large
  }
}

Finding repeat(const Subject& subject, const Case& c, Random& random) {
  const Kernel& kernel = either_kernel(subject);
  Case other = c;  // a call between, so that a kernel that returns what is left of a call before is caught
  for (auto& array : other.upstream) std::ranges::reverse(array);
  for (std::size_t k = 0; k < c.arrays.size(); ++k)
    if (const Kind kind = subject.specification.inputs[k].kind; kind == Kind::real || is_code(kind))
      std::ranges::reverse(other.arrays[k]);
  const Doubles first = kernel(c);
  kernel(other);
  call_with_a_large_problem(subject, c, random);
  Finding finding = Finding::pass();
  take_same_bits(finding, first, kernel(c), "then");
  return finding;
}

/// The kernel of a run has judged all cases before, of many shapes; the fresh one has a history of nothing. Tiny cases
/// are repeated, for a kernel that fails on one call in many.
Finding history(const Subject& subject, const Case& c, Random&) {
  const auto fresh = subject.fresh(subject);
  if (!fresh) return Finding::skip("the kernel cannot be started afresh");
  const Doubles expected = either_kernel(*fresh)(c);
  constexpr std::size_t tiny = 32;
  Finding finding = Finding::pass();
  for (int calls = elements_of(c) <= tiny ? 32 : 1; calls > 0; --calls)
    take_same_bits(finding, expected, either_kernel(subject)(c), "after earlier calls");
  return finding;
}

/// Rows that are shared out among threads, and sums that are joined, are right for every number of threads.
Finding threads(const Subject& subject, const Case& c, Random& random) {
  Finding finding = Finding::pass();
  for (const int count : {1, 2, 3, 7, static_cast<int>(random.integer(8, 64))}) {
    Case with = c;
    with.threads = count;
    Finding one = subject.forward ? outputs(subject, with, random) : gradients(subject, with, random);
    if (is_failure(one.verdict)) one.explanation = fmt::format("  with {} threads\n{}", count, one.explanation);
    finding.take(one);
  }
  return finding;
}

/// The case with other numbers in the middle half of its real inputs.
Case with_another_middle(const Subject& subject, Case c) {
  for (std::size_t k = 0; k < c.arrays.size(); ++k) {
    const auto count = std::ssize(c.arrays[k]);
    const auto middle =
        std::span(c.arrays[k]).subspan(static_cast<std::size_t>(count / 4), static_cast<std::size_t>(count / 2));
    if (subject.specification.inputs[k].kind == Kind::real && !middle.empty() && std::isfinite(middle[0]))
      std::ranges::fill(middle, middle[0]);
  }
  return c;
}

/// Judges a few cases a second time with other numbers in the middle: a kernel that keeps its results, and knows a problem by its
/// shape and its ends, returns what it has kept.
Check with_middles(Check check) {
  return [check = std::move(check)](const Subject& subject, const Case& c, Random& random) {
    constexpr double few = 1.0 / 16;
    Finding finding = check(subject, c, random);
    if (c.values.is_fixed() || c.is_sampled || elements_of(c) < 8 || !random.chance(few)) return finding;
    Finding other = check(subject, with_another_middle(subject, c), random);
    if (is_failure(other.verdict))
      other.explanation = "  called once more, with other numbers in the middle of its inputs\n" + other.explanation;
    finding.take(other);
    return finding;
  };
}

Finding refusals(const Subject& subject, const Case& c, Random&) {
  const auto missing = subject.missing_refusals(c);
  if (!missing) return Finding::skip("no argument of the case can be spoilt");
  return missing->empty() ? Finding::pass() : Finding::fail(fmt::format("  {}", fmt::join(*missing, "\n  ")));
}

}  // namespace

Subject without_backward(const Subject& subject) {
  Subject forward = subject;
  forward.backward = {};
  return forward;
}

std::vector<Shape> gradient_shapes(const Subject& subject, const Case& c) {
  std::vector<Shape> shapes;
  for (const Input& input : subject.specification.inputs)
    if (has_gradient(input.kind)) shapes.push_back(shape_of(input, c.extents));
  return shapes;
}

Dtype storage_of_output(const Subject& subject, std::size_t k) {
  return storage_of(subject.arithmetic, fmt::format("output{}", k));
}

Dtype storage_of_gradient(const Subject& subject, std::size_t k) {
  for (const Input& input : subject.specification.inputs)
    if (has_gradient(input.kind) && k-- == 0) return storage_of(subject.arithmetic, input.name);
  return subject.arithmetic.storage;
}

std::int64_t coordinate(std::size_t i, const Shape& shape, int axis) {
  std::int64_t stride = 1;
  for (std::size_t a = static_cast<std::size_t>(axis) + 1; a < shape.size(); ++a) stride *= shape[a];
  return static_cast<std::int64_t>(i) / stride % shape[static_cast<std::size_t>(axis)];
}

std::vector<Property> properties_of(const Subject& subject) {
  std::vector<Property> properties = {
      {"repeat", "equal inputs give equal bits, whatever was computed between", {}, repeat, false, false, true}};
  if (subject.fresh)
    properties.push_back({"history", "calls before, of other shapes, change nothing", {}, history, false, false, true});
  if (subject.takes_threads)
    properties.push_back({"threads", "results are within their bounds for any number of threads", {}, threads});
  if (subject.missing_refusals) properties.push_back({"refusals", "bad arguments are refused by name", {}, refusals});
  for (const auto& [name, extent] : subject.specification.declared) {
    const auto found = relations().find(name);
    if (found == relations().end())
      throw std::invalid_argument(
          fmt::format("property '{}': expected one of {}", name, fmt::join(std::views::keys(relations()), ", ")));
    if (std::ranges::find(subject.specification.extents, extent) == subject.specification.extents.end())
      throw std::invalid_argument(fmt::format("property {}={}: expected {}=EXTENT with an extent of {}: {}", name,
                                              extent, name, subject.specification.name,
                                              fmt::join(subject.specification.extents, ", ")));
    if (!subject.forward) continue;
    const auto check = found->second.check;
    properties.push_back(
        {name,
         fmt::format(fmt::runtime(found->second.claim), extent),
         {},
         [check, extent](const Subject& s, const Case& c, Random& r) { return check(s, c, r, extent); },
         false,
         name == "batch",
         found->second.asks_same_bits});
  }
  if (subject.forward && subject.specification.has_codes)
    properties.push_back(
        {"quantisation", "codes are those of the declared rounding, given the scale", {}, quantisation, true});
  if (subject.forward) {
    properties.push_back({"exact", "on small integers: exact where nothing rounds, else within the bound",
                          ValueClass{ValueClass::Kind::integers}, outputs});
    properties.push_back({"outputs", "outputs are within their bounds", {}, with_middles(outputs), true});
  }
  if (subject.backward)
    properties.push_back({"gradient", "gradients are within their bounds", {}, with_middles(gradients), true});
  if (subject.far) properties.push_back(far_rows(*subject.far));
  if (subject.followed)  // last: what a kernel keeps of numbers that were followed is of no use to other properties
    properties.push_back({.name = "algebra",
                          .claim = "the same formula, without a tolerance, where it can be followed",
                          .values = ValueClass{ValueClass::Kind::normal},
                          .check = algebra,
                          .is_algebra = true});
  return properties;
}

}  // namespace assay::validation::formula
