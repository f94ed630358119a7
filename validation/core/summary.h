// The result of a property on many cases, without the case that failed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "validation/core/histogram.h"
#include "validation/core/judged.h"
#include "validation/core/judged_sizes.h"
#include "validation/core/reach.h"
#include "validation/core/sizes.h"
#include "validation/core/verdict.h"

namespace assay::validation {

/// "generated, shrunk in 12 steps"; the origin alone where there was none.
std::string shrunk_origin(const std::string& origin, int steps);

struct PropertySummary {
  std::string property;
  std::string claim;
  bool is_far = false;         ///< about arrays past 2^32 elements
  bool has_many_rows = false;  ///< about rows past many others (gate_subject.h)
  Verdict verdict = Verdict::pass;
  std::int64_t cases = 0;
  std::map<std::string, std::int64_t> skipped;        ///< reason and count
  std::map<std::string, SkipCause> skip_causes = {};  ///< of the reasons other than SkipCause::other
  std::string mistrust;                               ///< why a case proved nothing
  Margin worst;
  std::string worst_case;     ///< where the worst margin was met
  MarginHistogram histogram;  ///< of the worst margin of each case that was judged
  Judged judged;              ///< the elements of all cases
  Evidence evidence = {};     ///< of all cases
  Returned returned = {};     ///< by the kernel in all cases
  /// What the largest needle cases would miss: "0 of the 4097 terms of the sum in line 12".
  std::vector<std::string> hidden = {};
  /// Generated cases of ordinary values.
  struct Ordinary {
    std::int64_t judged = 0, declined = 0;
  } ordinary = {};
  std::int64_t measured = 0;                             ///< cases that have elements
  std::int64_t thin = 0;                                 ///< cases among them of which too little was judged
  std::map<std::string, JudgedSizes> judged_sizes = {};  ///< by extents
  std::map<std::string, Reached> reached;                ///< by needle cases; extents by name
  SizesOfExtents sizes;    ///< of all cases that the reference found right; empty if the property does not use it
  SizesTogether together;  ///< of the same cases
  /// The largest relative error of needle cases, by the size of their large extent.
  std::map<std::string, std::map<std::int64_t, double>> errors = {};
  double seconds = 0;

  /// Adds the verdict on one case, which `origin` names.
  void record(const Finding& finding, const std::string& origin);
  /// Adds the result on other cases. The verdict does not change before the next settle().
  void merge(const PropertySummary& other);
  /// Sets the verdict on all cases, unless one failed.
  void settle();
  /// Why the property is mistrusted: a case proved nothing; the kernel, when it was called, declined more than half of
  /// the cases that its declaration allows; or too little was judged of more than half, or of all large sizes. Empty if
  /// it is not.
  std::string why_mistrusted() const;
  std::int64_t skipped_cases() const;
  SkipCause cause_of(const std::string& reason) const;
};

}  // namespace assay::validation
