// The gate's view of a kernel of a built-in operation: GateSubject over the operation's type (core/operation.h).
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "validation/core/draw.h"
#include "validation/core/gate.h"
#include "validation/core/gate_subject.h"
#include "validation/core/kernel_unavailable.h"
#include "validation/core/property.h"
#include "validation/core/report.h"
#include "validation/core/shrink.h"
#include "validation/core/side_by_side.h"
#include "validation/core/sizes.h"

namespace assay::validation {

template <class Operation>
using PropertyList = std::vector<const Property<Operation>*>;

template <class Operation>
PropertyList<Operation> all_properties() {
  PropertyList<Operation> all;
  for (const auto& property : Operation::properties()) all.push_back(&property);
  return all;
}

template <class Operation>
class SubjectOf final : public GateSubject {
 public:
  using Case = typename Operation::Case;
  using Kernel = typename Operation::Kernel;

  /// What else is known of a case on which a property fails that uses the reference; lines with a newline before each.
  using Remark = std::function<std::string(const Context<Operation>&, const Case&)>;

  /// The context's kernel and the properties must outlive this, the kernel unless it is the `owned` one.
  explicit SubjectOf(Context<Operation> context, PropertyList<Operation> properties = all_properties<Operation>(),
                     std::shared_ptr<const Kernel> owned = nullptr, Remark remark = {})
      : owned_(std::move(owned)),
        context_(std::move(context)),
        properties_(std::move(properties)),
        remark_(std::move(remark)) {
    for (const auto* property : properties_)
      infos_.push_back({property->name, property->claim, property->against_reference, property->is_far});
  }

  std::string operation() const override { return Operation::name; }
  std::string kernel() const override { return context_.kernel.info().name; }
  const std::vector<PropertyInfo>& properties() const override { return infos_; }
  double claimed_share() const override { return validation::claimed_share<Operation>(context_.kernel); }
  std::map<std::string, std::int64_t> narrow() const override {
    std::map<std::string, std::int64_t> some = context_.kernel.info().support.limits;
    std::erase_if(some, [](const auto& one) { return one.second >= narrow_below; });
    return some;
  }
  bool can_be_forked() const override { return context_.kernel.info().support.can_be_forked; }

  std::shared_ptr<const GateSubject> fresh() const override {
    auto kernel = context_.fresh();
    if (!kernel) return nullptr;
    return std::make_shared<SubjectOf>(context_.with(*kernel), properties_, kernel, remark_);
  }

  Finding judge(std::size_t property, const AnyCase& c) const override {
    return validation::judge(*properties_[property], context_, c.as<Case>());
  }

  AnyShrinks shrinks_of(const AnyCase& c) const override { return any_shrinks(Operation::shrinks_of(c.as<Case>())); }

  AnyCase generated(std::size_t property, std::int64_t, Random& random, int size,
                    const PassedOver& passed_over) const override {
    return draw_claimed<Operation>(random, size, properties_[property]->profile, context_.kernel, passed_over);
  }
  std::optional<Counterexample> first_failure(const SearchSteps& steps, int cases, std::uint64_t seed) const override {
    return validation::first_failure(steps, cases, seed);
  }
  std::vector<std::string> class_names() const override { return validation::class_names<Operation>(); }
  std::vector<std::string> classes_of(const AnyCase& c) const override {
    return validation::classes_of<Operation>(c.as<Case>());
  }

  std::vector<std::string> needle_extents() const override {
    std::vector<std::string> names;
    for (const NeedleExtent& extent : Operation::needle_extents) names.emplace_back(extent.name);
    return names;
  }
  NeedleSizes needle_sizes(std::size_t property, const std::string& name, Reach reach,
                           std::uint64_t seed) const override {
    if (infos_[property].name == algebra_name) return {};  // large ones underflow, which it does not follow
    const NeedleExtent& extent = extent_called(name);
    NeedleSizes all{infos_[property].against_reference ? reference_sizes(extent, reach, seed)
                                                       : validation::needle_sizes(extent, reach, false)};
    all.due = all.sizes.back();
    std::erase_if(all.sizes, [&](std::int64_t size) { return size > context_.kernel.info().support.reach; });
    return all;
  }
  std::vector<GivenCase> needles(std::size_t, const std::string& extent, std::int64_t size,
                                 std::uint64_t) const override {
    Case c = Operation::needle(extent, size);
    fit_to_claims<Operation>(context_.kernel, c);
    return {{fmt::format("{} = {}", extent, size), std::move(c)}};
  }
  Reached reached(std::size_t, const std::string& extent, std::int64_t size, const AnyCase&,
                  const Finding& finding) const override {
    if (!finding.noticed) return {.size = size};
    const char index = extent_called(extent).index;
    return {size, finding.noticed->elements.count(index), 0, finding.noticed->terms.count(index)};
  }

  /// Those of little work come first.
  std::vector<PlannedCase> planned(std::size_t property, Reach reach, std::uint64_t seed) const override {
    std::vector<PlannedCase> all;
    if (!infos_[property].against_reference) return all;
    for (NamedCase<Operation>& one : Operation::paired_cases(reach, seed)) {
      const auto is_beyond = [&](const auto& size) { return size.second > context_.kernel.info().support.reach; };
      if (std::ranges::any_of(extents_of(one.problem), is_beyond)) continue;
      const std::int64_t work = Operation::work_of(one.problem);
      fit_to_claims<Operation>(context_.kernel, one.problem);
      all.push_back({std::move(one.name), [c = AnyCase(std::move(one.problem))] { return c; }, work});
    }
    return all;
  }

  Sizes sizes_of(const AnyCase& c) const override { return extents_of(c.as<Case>()); }
  Sizes bounding_sizes_of(const AnyCase& c) const override {
    Sizes sizes = sizes_of(c);
    if constexpr (requires { Operation::joint_size(c.as<Case>()); })
      sizes.push_back(Operation::joint_size(c.as<Case>()));
    return sizes;
  }
  std::size_t elements_of(const AnyCase& c) const override {
    if constexpr (HasFields<Case>) return elements_of_dtype(c.as<Case>());
    return 0;
  }

  std::string words_of(std::size_t property) const override {
    return fmt::format("operation={} property={} kernel={} ", Operation::name, infos_[property].name, kernel());
  }
  std::string to_text(const AnyCase& c) const override { return Operation::to_text(c.as<Case>()); }
  std::string to_short_text(std::size_t property, const AnyCase& c) const override {
    const auto path = detail::failure_file(infos_[property].name, words_of(property) + to_text(c));
    Operation::write(path, c.as<Case>());
    return "file=" + path.string();
  }
  std::string replay_line(const std::string& words) const override { return detail::replay_line(words); }

  std::string remark_on(std::size_t property, const AnyCase& c) const override {
    return remark_ && infos_[property].against_reference ? remark_(context_, c.as<Case>()) : "";
  }

  std::vector<Picture> pictures_of(const AnyCase& c) const override {
    try {
      return Operation::pictures(context_.kernel, c.as<Case>(), context_.digits);
    } catch (const std::exception&) {
      return {};
    }
  }

 private:
  static const NeedleExtent& extent_called(const std::string& name) {
    return *std::ranges::find(Operation::needle_extents, name, [](const NeedleExtent& one) { return one.name; });
  }
  static Sizes extents_of(const Case& c) {
    Sizes sizes;
    if constexpr (HasFields<Case>)
      for (const NeedleExtent& extent : Operation::needle_extents)
        sizes.emplace_back(extent.name, extent_of<typename Case::Fields>(extent.name, statement_of(c)));
    return sizes;
  }

  std::shared_ptr<const Kernel> owned_;
  Context<Operation> context_;
  PropertyList<Operation> properties_;
  Remark remark_;
  std::vector<PropertyInfo> infos_;
};

/// As run_property (core/gate.h), of one property, which need not be among those of the operation.
template <class Operation>
PropertyReport run_property(const Property<Operation>& property, const Context<Operation>& context,
                            const GateOptions& options, Coverage& coverage, const Progress& progress = {}) {
  return run_property(SubjectOf<Operation>(context, {&property}), 0, options, coverage, progress);
}

}  // namespace assay::validation
