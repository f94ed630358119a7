// What the gate judges, as a value: a kernel under the properties of an operation.
//
// The gate (core/gate.h), sequences, reports and replay know an operation by this class alone. Cases are of a type that
// the operation knows (core/any_case.h). Built-in operations make theirs in core/subject_of.h, formulas in
// formula/gate_subject.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "validation/core/picture.h"
#include "validation/core/random.h"
#include "validation/core/reach.h"
#include "validation/core/recent.h"
#include "validation/core/search.h"
#include "validation/core/verdict.h"

namespace assay::validation {

struct PropertyInfo {
  std::string name;
  std::string claim;               ///< one line
  bool against_reference = false;  ///< compares with the reference, which is worth seconds on large cases
  bool is_far = false;             ///< about arrays past 2^32 elements, which needle cases alone lead to
  bool has_many_rows = false;      ///< about rows past many others, or far ones: nothing new where few rows are wrong
};

/// The sizes of an extent for which a property has needle cases, ascending.
struct NeedleSizes {
  std::vector<std::int64_t> sizes;
  std::int64_t due = 0;  ///< the largest size that is to be judged
};

/// A case of several large extents, or of an unusual magnitude.
struct PlannedCase {
  std::string name;
  std::function<AnyCase()> make;
  std::int64_t work = 0;  ///< about how many operations a kernel needs; 0: too few to foretell its time from others
};

/// An extent below it is smaller than the tiles and vectors of kernels: their work is hardly asked for.
inline constexpr std::int64_t narrow_below = 16;

class GateSubject {
 public:
  GateSubject() = default;
  GateSubject(const GateSubject&) = delete;
  GateSubject& operator=(const GateSubject&) = delete;
  virtual ~GateSubject() = default;

  virtual std::string operation() const = 0;
  virtual std::string kernel() const = 0;

  /// In a fixed order. Other functions take a property's index.
  virtual const std::vector<PropertyInfo>& properties() const = 0;

  /// Throws std::invalid_argument, naming the properties, for another name.
  std::size_t index_of(const std::string& property) const;

  /// Whether a copy of this process (fork) can call the kernel.
  virtual bool can_be_forked() const { return false; }

  /// Which share of drawn cases the sizes and values allow that the kernel declares.
  virtual double claimed_share() const { return 1; }

  /// The extents that the kernel declares to be below `narrow_below`, and the largest of each: a pass says nothing of others.
  virtual std::map<std::string, std::int64_t> narrow() const { return {}; }

  /// The same with the kernel made afresh, without a history; null where that cannot be done.
  virtual std::shared_ptr<const GateSubject> fresh() const { return nullptr; }

  /// The verdict on a case. An exception is an error; KernelUnavailable and what is no std::exception pass through.
  virtual Finding judge(std::size_t property, const AnyCase& c) const = 0;

  virtual AnyShrinks shrinks_of(const AnyCase& c) const = 0;
  /// Steps that cut one extent each to `size`, where cases can be cut.
  virtual AnyShrinks cuts_of(const AnyCase& /*c*/, std::int64_t /*size*/) const { return {}; }

  /// Case `number` of the generated ones; `size` grows from 0 to 100. Calls passed_over(reason) for each draw that the
  /// kernel does not claim to do.
  using PassedOver = std::function<void(const std::string& reason)>;
  virtual AnyCase generated(std::size_t property, std::int64_t number, Random& random, int size,
                            const PassedOver& passed_over) const = 0;
  /// The first of the generated cases that fails (core/search.h).
  virtual std::optional<Counterexample> first_failure(const SearchSteps& steps, int cases,
                                                      std::uint64_t seed) const = 0;
  virtual std::string origin_of(const AnyCase& /*generated*/) const { return "generated"; }

  /// The classes of generated cases that reports name even where none was met.
  virtual std::vector<std::string> class_names() const { return {}; }
  virtual std::vector<std::string> classes_of(const AnyCase& generated) const = 0;

  /// A case that the user gave, as the property takes it.
  virtual AnyCase fitted(std::size_t /*property*/, const AnyCase& given) const { return given; }

  /// The names of the extents that needle cases make large.
  virtual std::vector<std::string> needle_extents() const = 0;
  virtual NeedleSizes needle_sizes(std::size_t property, const std::string& extent, Reach reach,
                                   std::uint64_t seed) const = 0;
  virtual std::vector<GivenCase> needles(std::size_t property, const std::string& extent, std::int64_t size,
                                         std::uint64_t seed) const = 0;
  /// How many indices of the extent decide the verdicts on the needle cases of this size up to now.
  virtual Reached reached(std::size_t property, const std::string& extent, std::int64_t size, const AnyCase& c,
                          const Finding& finding) const = 0;
  virtual std::vector<PlannedCase> planned(std::size_t property, Reach reach, std::uint64_t seed) const = 0;

  /// What the needle cases of the extent's largest size, all judged now, would miss, a line each.
  virtual std::vector<std::string> hidden(std::size_t /*property*/, const std::string& /*extent*/) const { return {}; }

  using Sizes = std::vector<std::pair<std::string, std::int64_t>>;  ///< of extents
  virtual Sizes sizes_of(const AnyCase& c) const = 0;
  /// The sizes with which bounds may grow past what values can be: the extents, and others that they make together.
  virtual Sizes bounding_sizes_of(const AnyCase& c) const { return sizes_of(c); }
  virtual std::size_t elements_of(const AnyCase& c) const = 0;  ///< about, of its arrays
  /// Whether the values are such that a bound that is no use is one of these sizes.
  virtual bool is_ordinary(const AnyCase& /*c*/) const { return true; }

  /// The words of a line that replays a case: those before it, and the case.
  virtual std::string words_of(std::size_t property) const = 0;
  virtual std::string to_text(const AnyCase& c) const = 0;
  /// The words of a case that is too long for a line; they may name a file, which this writes.
  virtual std::string to_short_text(std::size_t property, const AnyCase& c) const = 0;
  virtual std::string replay_line(const std::string& words) const = 0;

  /// What else is to be said of a failing case: a line, with a newline before it.
  virtual std::string remark_on(std::size_t /*property*/, const AnyCase& /*c*/) const { return ""; }
  /// Pictures of the kernel's errors on a failing case; none if the kernel or the reference throws again.
  virtual std::vector<Picture> pictures_of(const AnyCase& /*c*/) const { return {}; }
  /// The cases that the kernel was judged on last.
  RecentCases& recent() const { return *recent_; }

 private:
  std::unique_ptr<RecentCases> recent_ = std::make_unique<RecentCases>();
};

}  // namespace assay::validation
