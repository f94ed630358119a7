// The gate's view of a kernel of a formula (core/gate_subject.h): its cases are drawn, needle cases have several kinds of
// values at each size, and a case carries the seed of what a property draws beside it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "validation/core/gate.h"
#include "validation/core/gate_subject.h"
#include "validation/formula/algebra.h"
#include "validation/formula/far_rows.h"
#include "validation/formula/judge.h"
#include "validation/formula/power.h"
#include "validation/formula/work.h"

namespace assay::validation::formula {

/// The options of a run over a formula, whose kernels may be slow: shrinking takes less time.
inline GateOptions options_of(int cases, std::uint64_t seed = 1, Reach reach = usual_reach) {
  return {.cases = cases, .seed = seed, .shrink_budget = 300, .given = {}, .reach = reach, .shrink_seconds = 5};
}

class FormulaGateSubject final : public GateSubject {
 public:
  using Shortened = std::function<std::string(const std::string& words)>;

  /// `shortened` gives fewer words for a case that is too long for a line, which may name a file. Throws
  /// std::invalid_argument for a declared property that the formula cannot have.
  explicit FormulaGateSubject(const Subject& subject, Shortened shortened = {});

  std::string operation() const override { return subject_.specification.name; }
  std::string kernel() const override { return subject_.kernel_name; }
  const std::vector<PropertyInfo>& properties() const override { return infos_; }
  double claimed_share() const override { return formula::claimed_share(subject_.specification); }
  std::map<std::string, std::int64_t> narrow() const override;
  std::shared_ptr<const GateSubject> fresh() const override;
  Finding judge(std::size_t property, const AnyCase& c) const override;
  AnyShrinks shrinks_of(const AnyCase& c) const override;
  AnyShrinks cuts_of(const AnyCase& c, std::int64_t size) const override;

  /// Every class of values in turn, so that a few cases have met each.
  AnyCase generated(std::size_t property, std::int64_t number, Random& random, int size,
                    const PassedOver& passed_over) const override;
  std::optional<Counterexample> first_failure(const SearchSteps& steps, int cases, std::uint64_t seed) const override {
    return first_failure_in_turn(steps, cases, seed);
  }
  std::string origin_of(const AnyCase& c) const override;
  std::vector<std::string> classes_of(const AnyCase& c) const override;
  AnyCase fitted(std::size_t property, const AnyCase& given) const override;

  std::vector<std::string> needle_extents() const override { return subject_.specification.extents; }
  NeedleSizes needle_sizes(std::size_t property, const std::string& extent, Reach reach,
                           std::uint64_t seed) const override;
  std::vector<GivenCase> needles(std::size_t property, const std::string& extent, std::int64_t size,
                                 std::uint64_t seed) const override;
  Reached reached(std::size_t property, const std::string& extent, std::int64_t size, const AnyCase& c,
                  const Finding& finding) const override;
  std::vector<PlannedCase> planned(std::size_t property, Reach reach, std::uint64_t seed) const override;

  Sizes sizes_of(const AnyCase& c) const override;
  std::size_t elements_of(const AnyCase& c) const override;
  bool is_ordinary(const AnyCase& c) const override;

  std::string words_of(std::size_t property) const override;
  std::string to_text(const AnyCase& c) const override;
  std::string to_short_text(std::size_t property, const AnyCase& c) const override;
  std::string replay_line(const std::string& words) const override { return words; }

  std::string remark_on(std::size_t property, const AnyCase& c) const override;
  std::vector<Picture> pictures_of(const AnyCase& c) const override;

  /// "0 of the 4097 terms of the sum in line 12".
  std::vector<std::string> hidden(std::size_t property, const std::string& extent) const override;

 private:
  Case fit(std::size_t property, Case c) const;
  const std::vector<Way>& ways_of(std::size_t property) const;
  /// The case, called in one of the ways: the plain one and each other take turns.
  AnyCase in_turn(std::size_t property, const AnyCase& plain, std::int64_t turn) const;
  AnyCase drawn(std::size_t property, std::uint64_t seed, const std::function<Case(Random&)>& draw) const;

  Subject subject_;
  Shortened shortened_;

  std::vector<Property> properties_;
  std::vector<PropertyInfo> infos_;
  mutable Work work_{subject_.specification, subject_.trace};  ///< remembers
  /// What the largest needle cases notice, by property and extent. It grows as they are judged.
  mutable std::map<std::pair<std::size_t, std::string>, Power> powers_;
};

}  // namespace assay::validation::formula
