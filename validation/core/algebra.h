// The property `algebra`: a kernel's results are those of the reference in the algebraic twin of real arithmetic
// (docs/algebra.md), in which neither rounding nor the order of a sum changes anything: equality, without a tolerance.
//
// An operation has it that has algebra_of(c): its results by name, computed by its reference over Followed. It is judged
// where it is asked for (all_properties of core/subject_of.h), since it costs more than most others together.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <exception>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "validation/core/followed_results.h"
#include "validation/core/followed_run.h"
#include "validation/core/property.h"
#include "validation/core/run.h"

namespace assay::validation {

inline constexpr const char* algebra_name = "algebra";

/// What the algebra says of a kernel's results.
struct AlgebraFound {
  std::int64_t equal = 0, undecided = 0;
  std::string first_undecided;  ///< why
  std::string differs;          ///< the place of the first element that does; empty if none does
  bool is_followed = true;

  std::string verdict() const {
    if (!is_followed)
      return "not judged by the algebra: the kernel is neither a shader nor compiled by `assay instrument`";
    if (!differs.empty()) return "the algebra differs: another formula";
    if (equal == 0) return "not judged by the algebra: " + first_undecided;
    if (undecided == 0) return "the algebra is equal: rounding";
    return fmt::format("the algebra is equal on {} elements, and {} are not judged: {}", equal, undecided,
                       first_undecided);
  }
};

/// Compares in one chain of primes after the other, until nothing is left that another chain might decide.
template <class O>
class AlgebraComparing {
 public:
  AlgebraComparing(const Context<O>& context, const typename O::Case& c) : context_(context), c_(c) {}

  AlgebraFound found() {
    FollowedRun run;
    const auto kernel = context_.fresh();
    reference::chain_in_use = 0;
    found_.is_followed = kernel != nullptr;
    for (; kernel && reference::chain_in_use < reference::chains.size(); ++reference::chain_in_use) {
      run.begin_again();
      run_valid(*kernel, c_);
      found_.is_followed = run.follows();
      if (!found_.is_followed || !compare_in_chain(run)) break;
    }
    for (const auto& [place, why] : open_)
      if (++found_.undecided == 1) found_.first_undecided = why;
    return std::move(found_);
  }

 private:
  using Open = std::map<std::pair<std::string, std::size_t>, std::string>;  ///< elements, and why they are undecided

  /// Whether another chain may decide more.
  bool compare_in_chain(FollowedRun& run) {
    const FollowedResults truth = O::algebra_of(c_);
    const bool is_first = reference::chain_in_use == 0;
    Open open;
    bool may_be_decided = false;
    for_each_row(O::results(), [&](const auto& row) {
      const auto due = truth.find(row.name);
      const auto& got = run.result(row.name);
      if (due == truth.end() || due->second.size() != got.size())
        throw std::logic_error(fmt::format("the algebra has not the {} elements of {}", got.size(), row.name));
      const auto shape = result_dimensions<O>(row, statement_of(c_), typename O::Request());
      for (std::size_t i = 0; i < got.size() && found_.differs.empty(); ++i) {
        if (!is_first && !open_.contains({row.name, i})) continue;
        compare(due->second[i], got[i], open[{row.name, i}]);
        if (open[{row.name, i}].empty()) open.erase({row.name, i});
        if (is_different_) found_.differs = place_of<O>(row, shape, i).text();
        may_be_decided = may_be_decided || is_sign_;
      }
    });
    open_ = std::move(open);
    return found_.differs.empty() && may_be_decided;
  }

  void compare(const reference::Followed& due, const reference::Followed& got, std::string& why) {
    using reference::Comparison;
    is_sign_ = is_different_ = false;
    const bool are_numbers = std::isfinite(due.value) && std::isfinite(got.value);
    const Comparison compared = are_numbers ? reference::compare(due.residue, got.residue) : Comparison::undecided;
    is_different_ = compared == Comparison::different;
    found_.equal += compared == Comparison::equal ? 1 : 0;
    if (compared != Comparison::undecided) return;
    why = are_numbers ? why_undecided(due.residue, got.residue) : "an infinity or a NaN";
    is_sign_ = are_numbers && ((due.residue.traits | got.residue.traits) & reference::Residue::any_sign_lost) != 0;
  }

  static std::string why_undecided(const reference::Residue& due, const reference::Residue& got) {
    using reference::Residue;
    for (const Residue& one : {due, got})
      if (one.kind == Residue::Kind::unknown) return std::string(text_of(one.reason));
    const int traits = due.traits | got.traits;
    if ((traits & Residue::assumed) != 0) return "numbers made of bits, or by coefficients of an approximation";
    if ((traits & Residue::close_choice) != 0) return "a comparison that rounding may decide otherwise";
    if ((traits & Residue::any_sign_lost) != 0) return "a root whose sign is not known";
    return "functions without a rule";
  }

  const Context<O>& context_;
  const typename O::Case& c_;
  AlgebraFound found_;
  Open open_;
  bool is_sign_ = false, is_different_ = false;  ///< of the last comparison
};

/// What the algebra says of a case that fails for another reason: a line, with a newline before it; nothing of a kernel
/// that cannot be followed.
template <class O>
std::string algebra_remark(const Context<O>& context, const typename O::Case& c) {
  try {
    if (!O::leaves_algebra(c).empty()) return "";
    const AlgebraFound found = AlgebraComparing<O>(context, c).found();
    return found.is_followed ? "\n  " + found.verdict() : "";
  } catch (const std::exception&) {
    return "";  // the failure itself says more
  }
}

/// Whether the kernel's other properties see the fault too.
template <class O>
std::string beside_the_bounds(const Context<O>& context, const typename O::Case& c) {
  Finding bounds = Finding::pass();
  for (const Property<O>& property : O::properties())
    if (property.against_reference) bounds.take(judge(property, context, c));
  if (is_failure(bounds.verdict)) return "\n  the error is beyond its bound too";
  return fmt::format("\n  within the bounds, the largest error {:.3g} % of its own: a hidden fault",
                     100 * bounds.margin.share);
}

template <class O>
Finding judge_algebra(const Context<O>& context, const typename O::Case& c) {
  if (const std::string why = O::leaves_algebra(c); !why.empty())
    return Finding::skip("not judged by the algebra: " + why, SkipCause::wrong_kind);
  const AlgebraFound found = AlgebraComparing<O>(context, c).found();
  if (!found.differs.empty())
    return Finding::fail(
        fmt::format("{} is not the formula's: the algebra differs{}", found.differs, beside_the_bounds(context, c)));
  if (found.equal == 0) return Finding::skip(found.verdict());
  Finding finding = Finding::pass();
  for (std::int64_t i = 0; i < found.equal; ++i) finding.judged.add(0, no_range);
  finding.judged.elements += found.undecided;
  return finding;
}

template <class O>
concept HasAlgebra = requires(const typename O::Case& c) { O::algebra_of(c); };

template <HasAlgebra O>
const Property<O>& algebra() {
  static const Property<O> property{algebra_name, "the same formula, without a tolerance, where it can be followed",
                                    O::algebra_profile(), judge_algebra<O>};
  return property;
}

}  // namespace assay::validation
