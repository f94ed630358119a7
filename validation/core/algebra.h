// The property `algebra`: a kernel's results are those of the reference in the algebraic twin of real arithmetic
// (docs/algebra.md), in which neither rounding nor the order of a sum changes anything: equality, without a tolerance.
//
// An operation has it that specialises AlgebraOf in validation/NAME/algebra.h. It is judged where it is asked for
// (validation/algebras.h), since it costs more than most others together.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <exception>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "validation/core/followed_run.h"
#include "validation/core/property.h"
#include "validation/core/run.h"
#include "validation/core/side_by_side.h"

namespace assay::validation {

/// The largest distance of two exponents of which both exponentials are followed: kernels may round smaller ones to 0.
inline constexpr double largest_followed_distance = 80;

/// Results by their names.
using FollowedResults = std::map<std::string, std::vector<reference::Followed>>;

/// What an operation says for the property:
///   results(c)   what its reference computes over Followed
///   profile()    describes cases that kernels can be followed on
///   leaves(c)    why kernels' results on a case say nothing; empty if they do
template <class O>
struct AlgebraOf;

template <class O>
concept HasAlgebra = requires(const typename O::Case& c) { AlgebraOf<O>::results(c); };

/// What the algebra says of a kernel's results.
struct AlgebraFound {
  std::int64_t equal = 0, undecided = 0;
  std::string first_undecided;  ///< why
  std::string differs;          ///< the place of the first element that does; empty if none does
  bool is_followed = true;

  /// What is said of results that are beyond a bound.
  std::string verdict() const {
    if (!is_followed)
      return "not judged by the algebra: the kernel is neither a shader nor compiled by `assay instrument`";
    if (!differs.empty()) return differs_beyond;
    return equal_beyond(equal, undecided, first_undecided);
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
    if (const std::string reason = kernel ? why_not(kernel->info(), c_) : ""; !reason.empty())
      throw Unsupported(reason, SkipCause::not_claimed);
    for (; kernel && reference::chain_in_use < reference::chains.size(); ++reference::chain_in_use) {
      run.begin_again();
      const FollowedResults got = results_of(*kernel, run);
      found_.is_followed = run.follows();
      if (!found_.is_followed || !compare_in_chain(got)) break;
    }
    for (const auto& [place, why] : open_)
      if (++found_.undecided == 1) found_.first_undecided = why;
    return std::move(found_);
  }

 private:
  using Open = std::map<std::pair<std::string, std::size_t>, std::string>;  ///< elements, and why they are undecided

  /// Residues are known by the addresses of the results: no copies of them will do.
  FollowedResults results_of(const typename O::Kernel& kernel, const FollowedRun& run) const {
    const CallInputs<typename O::Case> inputs(c_, {});
    const CallResults<typename O::Case> memory(c_, {});
    try {
      kernel.run(inputs.problem(), memory.output(), {});
    } catch (const std::invalid_argument& refusal) {
      throw RefusedValidProblem(std::string("a valid problem was refused: ") + refusal.what());
    }
    FollowedResults results;
    for_each_row(O::results(), [&](const auto& row) {
      const auto take = [&](const auto& view) { results[row.name] = run.numbers(view); };
      const auto& of = memory.output().*row.in_output;
      if constexpr (is_variant<std::remove_cvref_t<decltype(of)>>)
        std::visit(take, of);
      else
        take(of);
    });
    return results;
  }

  /// Whether another chain may decide more.
  bool compare_in_chain(const FollowedResults& results) {
    const FollowedResults truth = AlgebraOf<O>::results(c_);
    const bool is_first = reference::chain_in_use == 0;
    Open open;
    bool may_be_decided = false;
    for_each_row(O::results(), [&](const auto& row) {
      const auto due = truth.find(row.name);
      const auto& got = results.at(row.name);
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
    Comparison compared = are_numbers ? reference::compare(due.residue, got.residue) : Comparison::undecided;
    if (compared == Comparison::but_sign && due.value * got.value > 0) compared = Comparison::equal;
    is_different_ = compared == Comparison::different;
    found_.equal += compared == Comparison::equal ? 1 : 0;
    if (is_different_ || compared == Comparison::equal) return;
    why = are_numbers ? why_undecided(due.residue, got.residue) : "an infinity or a NaN";
    is_sign_ = are_numbers && ((due.residue.traits | got.residue.traits) & signs) != 0;
  }

  static std::string why_undecided(const reference::Residue& due, const reference::Residue& got) {
    using reference::Residue;
    for (const Residue& one : {due, got})
      if (one.kind == Residue::Kind::unknown) return std::string(text_of(one.reason));
    const int traits = due.traits | got.traits;
    if ((traits & Residue::assumed) != 0) return "numbers made of bits, or by coefficients of an approximation";
    if ((traits & Residue::close_choice) != 0) return "a comparison that rounding may decide otherwise";
    if ((traits & signs) != 0) return "a root whose sign is not known";
    return "functions without a rule";
  }

  /// What another chain of primes may decide.
  static constexpr int signs = reference::Residue::any_sign_lost | reference::Residue::any_root;

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
    if (!AlgebraOf<O>::leaves(c).empty()) return "";
    const AlgebraFound found = AlgebraComparing<O>(context, c).found();
    return found.is_followed ? "\n  " + found.verdict() : "";
  } catch (const std::exception&) {
    return "";  // the failure itself says more
  }
}

/// Whether the kernel's other properties see the fault too: a line.
template <class O>
std::string beside_the_bounds(const Context<O>& context, const typename O::Case& c) {
  Finding bounds = Finding::pass();
  for (const Property<O>& property : O::properties())
    if (property.against_reference) bounds.take(judge(property, context, c));
  return "\n  " + (is_failure(bounds.verdict) ? differs_beyond : differs(bounds.margin.share));
}

template <class O>
Finding judge_algebra(const Context<O>& context, const typename O::Case& c) {
  if (const std::string why = AlgebraOf<O>::leaves(c); !why.empty())
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

template <HasAlgebra O>
const Property<O>& algebra() {
  static const Property<O> property{algebra_name, "the same formula, without a tolerance, where it can be followed",
                                    AlgebraOf<O>::profile(), judge_algebra<O>};
  return property;
}

}  // namespace assay::validation
