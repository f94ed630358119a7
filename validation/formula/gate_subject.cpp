#include "validation/formula/gate_subject.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>

#include "validation/core/call_time.h"
#include "validation/core/finding_of.h"
#include "validation/core/support.h"
#include "validation/formula/needles.h"
#include "validation/formula/pictures.h"
#include "validation/formula/planned.h"
#include "validation/formula/upstreams.h"

namespace assay::validation::formula {
namespace {

/// The kernel as the gate calls it: it is known how long its calls take, and which cases it declines itself.
Kernel called(const Kernel& kernel) {
  if (!kernel) return {};
  return [kernel](const Case& c) {
    const CallTimer timer;
    try {
      Doubles results = kernel(c);
      CallLog::note(timer.seconds());
      Returned returned;
      for (const auto& one : results) returned.add_all(one);
      CallLog::note(returned);
      return results;
    } catch (const Unsupported& reason) {
      throw Unsupported::said_by_kernel(reason.what());
    }
  };
}

/// The seed of case `i` of those that a property judges at a size; other properties draw other cases.
std::uint64_t seed_of(std::uint64_t seed, std::size_t property, std::int64_t size, std::size_t i) {
  return Random(Random(seed + property).bits() + static_cast<std::uint64_t>(size)).bits() + i;
}

const Case& case_of(const AnyCase& c) {
  return c.as<Case>();
}

bool are_declared_alike(const Input& a, const Input& b) {
  return a.dimensions == b.dimensions && a.kind == b.kind && a.extent == b.extent && a.dtype == b.dtype &&
         a.format == b.format && a.minus_infinity == b.minus_infinity && a.nan == b.nan;
}

/// Gives an input the numbers of the first that is declared as it is.
void repeat_inputs(const Specification& specification, Case& c) {
  for (std::size_t k = 0; k < c.arrays.size(); ++k)
    for (std::size_t first = 0; first < k; ++first)
      if (are_declared_alike(specification.inputs[k], specification.inputs[first])) {
        c.arrays[k] = c.arrays[first];
        break;
      }
}

}  // namespace

FormulaGateSubject::FormulaGateSubject(const Subject& subject, Shortened shortened)
    : subject_(subject), shortened_(std::move(shortened)), properties_(properties_of(subject)) {
  subject_.forward = called(subject.forward);
  subject_.backward = called(subject.backward);
  if (subject.far) {
    subject_.far->forward = called(subject.far->forward);
    subject_.far->backward = called(subject.far->backward);
  }
  for (const Property& property : properties_)
    infos_.push_back({property.name, property.claim, property.against_reference,
                      property.is_far && !subject.far->counts_rows(), property.is_far});
}

std::map<std::string, std::int64_t> FormulaGateSubject::narrow() const {
  std::map<std::string, std::int64_t> some;
  for (const auto& extent : subject_.specification.extents)
    if (const auto most = taken_size(subject_.specification, extent, limit_of(subject_.specification, extent));
        most < narrow_below)
      some[extent] = most;
  return some;
}

std::shared_ptr<const GateSubject> FormulaGateSubject::fresh() const {
  const auto made = subject_.fresh ? subject_.fresh(subject_) : nullptr;
  return made ? std::make_shared<FormulaGateSubject>(*made, shortened_) : nullptr;
}

Finding FormulaGateSubject::judge(std::size_t property, const AnyCase& c) const {
  if (properties_[property].asks_same_bits && !subject_.same_bits)
    return Finding::not_claimed("promise the same bits twice");
  Random random(case_of(c).seed);
  return finding_of([&] { return properties_[property].check(subject_, case_of(c), random); });
}

AnyShrinks FormulaGateSubject::shrinks_of(const AnyCase& c) const {
  AnyShrinks steps;
  for (auto& step : formula::shrinks_of(subject_.specification, case_of(c), subject_.trace))
    steps.emplace_back([step = std::move(step)]() -> AnyCase { return step(); });
  return steps;
}

AnyShrinks FormulaGateSubject::cuts_of(const AnyCase& c, std::int64_t size) const {
  AnyShrinks steps;
  for (const auto& [name, before] : case_of(c).extents)
    if (size < before && subject_.specification.only.empty() && taken_size(subject_.specification, name, size) == size)
      steps.emplace_back([this, c, name, size]() -> AnyCase {
        try {
          return with_extent(subject_.specification, case_of(c), name, size, subject_.trace);
        } catch (const std::exception&) {  // the formula has no such case
          return {};
        }
      });
  return steps;
}

/// The ways in which the kernel of a property is called, none where the property compares the bits of two calls.
const std::vector<Way>& FormulaGateSubject::ways_of(std::size_t property) const {
  static const std::vector<Way> plain;
  const Property& judged = properties_[property];
  if (judged.name == "gradient") return subject_.specification.backward_ways;
  return judged.name == "outputs" || judged.name == "exact" ? subject_.specification.forward_ways : plain;
}

AnyCase FormulaGateSubject::in_turn(std::size_t property, const AnyCase& plain, std::int64_t turn) const {
  Case c = case_of(plain);
  if (properties_[property].name == "gradient") put_upstream_of_training(subject_, c);
  const auto& ways = ways_of(property);
  const auto way = static_cast<std::size_t>(turn) % (2 * ways.size() + 1);
  if (way >= ways.size()) return c;
  c.way = static_cast<int>(way) + 1;
  if (ways[way].equal_inputs) repeat_inputs(subject_.specification, c);
  if (ways[way].equal_upstream)
    for (auto& upstream : c.upstream)
      if (!upstream.empty()) std::ranges::fill(upstream, upstream[0] == 0 ? 1 : upstream[0]);
  return c;
}

/// A property of outputs does not show an upstream, which it does not use.
Case FormulaGateSubject::fit(std::size_t property, Case c) const {
  const bool needs_upstream =
      properties_[property].name == "gradient" || (properties_[property].is_algebra && subject_.backward);
  if (subject_.forward && !needs_upstream)
    for (auto& upstream : c.upstream) std::ranges::fill(upstream, 1);
  if (static_cast<std::size_t>(c.way) > ways_of(property).size()) c.way = 0;
  return c;
}

AnyCase FormulaGateSubject::fitted(std::size_t property, const AnyCase& given) const {
  return fit(property, case_of(given));
}

AnyCase FormulaGateSubject::drawn(std::size_t property, std::uint64_t seed,
                                  const std::function<Case(Random&)>& draw) const {
  Random random(seed);
  Case c = draw(random);
  c.seed = seed;
  if (!subject_.takes_layouts) c.layout = 0;
  return fit(property, std::move(c));
}

AnyCase FormulaGateSubject::generated(std::size_t property, std::int64_t number, Random& random, int size,
                                      const PassedOver&) const {
  std::vector<ValueClass> classes = value_classes();
  for (const auto* format : subject_.specification.casts)
    classes.push_back({.kind = ValueClass::Kind::midpoints, .format = format});
  const ValueClass values =
      properties_[property].values.value_or(classes[static_cast<std::size_t>(number) % classes.size()]);
  const auto plain = drawn(property, random.bits(), [&](Random& own) {
    const Case c = draw(own, size, subject_.specification, subject_.trace, subject_.arithmetic.storage, values);
    return properties_[property].is_far ? not_far(subject_, c) : c;
  });
  return in_turn(property, plain, number + number / std::ssize(classes));  // each way meets each class
}

std::string FormulaGateSubject::origin_of(const AnyCase& c) const {
  return "generated, values " + to_string(case_of(c).values);
}

std::vector<std::string> FormulaGateSubject::classes_of(const AnyCase& c) const {
  return {"values: " + to_string(case_of(c).values), fmt::format("layout {}", case_of(c).layout)};
}

NeedleSizes FormulaGateSubject::needle_sizes(std::size_t property, const std::string& extent, Reach reach,
                                             std::uint64_t) const {
  const Property& judged = properties_[property];
  if (judged.is_far || !subject_.specification.only.empty()) return {};
  if (judged.is_algebra) return wide_needle_sizes_of(subject_.specification, work_, extent, reach, algebra_limit);
  if (judged.values) return {};
  NeedleSizes all = needle_sizes_of(subject_.specification, work_, extent, reach, infos_[property].against_reference);
  if (infos_[property].against_reference && !all.sizes.empty())
    powers_.insert_or_assign({property, extent}, Power(all.sizes.back()));
  return all;
}

std::vector<GivenCase> FormulaGateSubject::needles(std::size_t property, const std::string& extent, std::int64_t size,
                                                   std::uint64_t seed) const {
  const bool has_few = !subject_.specification.only.empty();
  const bool is_taken = taken_size(subject_.specification, extent, size) == size;
  if (has_few || !(is_taken || properties_[property].is_algebra)) return {};
  const auto power = powers_.find({property, extent});
  const bool is_largest = power != powers_.end() && power->second.size() == size;
  std::vector<GivenCase> cases;
  for (const ValueClass& values : needle_values(work_, extent, size, infos_[property].against_reference, is_largest,
                                                properties_[property].name == "gradient")) {
    const auto one = drawn(property, seed_of(seed, property, size, cases.size()), [&](Random& own) {
      return filled(own, extents_at(subject_.specification, {{extent, size}}), subject_.specification, subject_.trace,
                    subject_.arithmetic.storage, values);
    });
    cases.push_back({fmt::format("{}={}, values {}", extent, size, to_string(values)), one});
  }
  return cases;
}

Reached FormulaGateSubject::reached(std::size_t property, const std::string& extent, std::int64_t size,
                                    const AnyCase& c, const Finding& finding) const {
  const auto found = powers_.find({property, extent});
  if (finding.verdict != Verdict::pass || found == powers_.end() || found->second.size() != size) return {.size = size};
  Power& power = found->second;
  power.take(subject_, case_of(c), properties_[property].name == "gradient");
  return {size, power.elements(), 0, power.terms()};
}

std::vector<PlannedCase> FormulaGateSubject::planned(std::size_t property, Reach reach, std::uint64_t seed) const {
  std::vector<PlannedCase> all;
  if (!properties_[property].takes_planned) return all;
  const auto plans = properties_[property].is_far
                         ? far_cases(subject_, reach)
                         : planned_of(subject_.specification, subject_.trace, properties_[property].name == "gradient",
                                      reach, subject_.arithmetic.storage, seed);
  for (const Planned& plan : plans) {
    std::string name;
    for (const auto& [extent, size] : plan.sizes) name += fmt::format("{}={}, ", extent, size);
    const std::uint64_t own_seed = seed_of(seed, property, 0, all.size());
    const auto make = [this, property, own_seed, plan, turn = std::ssize(all)] {
      const auto plain = drawn(property, own_seed, [&](Random& own) {
        return formula::drawn(plan, subject_.specification, subject_.trace, subject_.arithmetic.storage, own);
      });
      return in_turn(property, plain, turn);
    };
    all.push_back({name + "values " + to_string(plan.values), make, std::llround(plan.work)});
  }
  return all;
}

GateSubject::Sizes FormulaGateSubject::sizes_of(const AnyCase& c) const {
  return {case_of(c).extents.begin(), case_of(c).extents.end()};
}

std::size_t FormulaGateSubject::elements_of(const AnyCase& c) const {
  return formula::elements_of(case_of(c));
}

bool FormulaGateSubject::is_ordinary(const AnyCase& c) const {
  return case_of(c).values.kind == ValueClass::Kind::normal;
}

std::string FormulaGateSubject::words_of(std::size_t property) const {
  return fmt::format("operation={} property={} ", subject_.specification.name, properties_[property].name);
}

std::string FormulaGateSubject::to_text(const AnyCase& c) const {
  return fmt::format("seed={} {}", case_of(c).seed, formula::to_text(subject_.specification, case_of(c)));
}

std::string FormulaGateSubject::to_short_text(std::size_t property, const AnyCase& c) const {
  return shortened_ ? shortened_(words_of(property) + to_text(c)) : to_text(c);
}

std::string FormulaGateSubject::remark_on(std::size_t property, const AnyCase& c) const {
  std::string remark;
  const Property& judged = properties_[property];
  const bool is_of_bounds = (judged.against_reference && !judged.is_far) || judged.name == "exact";
  if (subject_.followed && !case_of(c).is_sampled && (is_of_bounds || judged.is_algebra) &&
      judge(property, c).verdict == Verdict::fail)  // and no error, such as a wrong shape
    remark = "\n  " + (judged.is_algebra ? algebra_beside_bound(subject_, case_of(c))
                                         : algebra_of(subject_, case_of(c)).verdict());
  const auto add_if_passes = [&](int Case::* member, const std::string& words) {
    Case simpler = case_of(c);
    simpler.*member = 0;
    if (case_of(c).*member != 0 && !is_failure(judge(property, simpler).verdict)) remark += "\n  " + words;
  };
  add_if_passes(&Case::layout, "it passes where the arrays are contiguous");
  if (const auto way = static_cast<std::size_t>(case_of(c).way); way != 0) {
    remark += fmt::format("\n  it was called with {}", ways_of(property).at(way - 1).words);
    add_if_passes(&Case::way, "it passes where it is called plainly");
  }
  return remark;
}

std::vector<Picture> FormulaGateSubject::pictures_of(const AnyCase& c) const {
  try {
    return formula::pictures_of(subject_, case_of(c));
  } catch (const std::exception&) {
    return {};
  }
}

std::vector<std::string> FormulaGateSubject::hidden(std::size_t property, const std::string& extent) const {
  const auto found = powers_.find({property, extent});
  return found == powers_.end() ? std::vector<std::string>() : found->second.hidden();
}

}  // namespace assay::validation::formula
