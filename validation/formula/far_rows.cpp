#include "validation/formula/far_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "validation/core/support.h"
#include "validation/formula/patterns.h"
#include "validation/formula/within_bounds.h"
#include "validation/formula/work.h"

namespace assay::validation::formula {
namespace {

constexpr std::int64_t rows = 4;
constexpr std::int64_t rows_of_many = 24;   ///< where those between are looked at, too
constexpr std::int64_t least_of_row = 256;  ///< elements: of smaller rows, there would be too many
constexpr std::int64_t most_of_row = 1024;
constexpr double largest_graph = 1e6;  ///< elements of all nodes

/// The elements of a row in the input that has the most.
std::int64_t row_of(const Subject& subject, const Extents& extents) {
  std::int64_t most = 0;
  for (const Input& input : subject.specification.inputs)
    if (axis_of(input, subject.far->extent) == 0)
      most = std::max(most, elements_of(shape_of(input, extents)) / extents.at(subject.far->extent));
  return most;
}

Finding check(const Subject& subject, const Case& c, Random& random) {
  const std::int64_t least = subject.far->counts_rows() ? 1 : least_of_row;
  if (c.extents.at(subject.far->extent) < 2 || row_of(subject, c.extents) < least)
    return Finding::skip(fmt::format("there are no two rows of {} elements", least), SkipCause::wrong_kind);
  Subject far = subject;
  far.forward = subject.far->forward;
  far.backward = subject.far->backward;
  Finding finding = Finding::pass();
  try {
    if (far.forward) finding.take(outputs(far, c, random));
    if (far.backward) finding.take(gradients(far, c, random));
  } catch (const Unsupported& reason) {
    if (!subject.far->counts_rows()) throw;
    return Finding::skip(reason.reason(), SkipCause::too_slow);
  }
  return finding;
}

}  // namespace

Property far_rows(const FarKernels& far) {
  return {.name = far.counts_rows() ? "many-rows" : "far-rows",
          .claim = fmt::format("rows past 2^{} {} are within their bounds", far.bits,
                               far.counts_rows() ? "others" : "elements"),
          .values = {},
          .check = check,
          .takes_planned = true,
          .is_far = true};
}

Case not_far(const Subject& subject, const Case& c) {
  const std::string& extent = subject.far->extent;
  return with_extent(subject.specification, c, extent, std::min<std::int64_t>(1, c.extents.at(extent)), subject.trace);
}

std::vector<Planned> far_cases(const Subject& subject, Reach reach) {
  const bool counts_rows = subject.far->counts_rows();
  if (reach == Reach::none || (!counts_rows && reach == Reach::quick) || !subject.specification.only.empty()) return {};
  const std::string& rows_extent = subject.far->extent;
  Work work(subject.specification, subject.trace);
  const ValueClass drawn{.kind = ValueClass::Kind::pattern, .pattern = &contiguous_normal};  // none has a row twice
  if (counts_rows) return {{extents_at(subject.specification, {{rows_extent, rows_of_many}}), drawn}};
  constexpr ValueClass no_equal_rows{ValueClass::Kind::indexed};
  Planned best{extents_at(subject.specification, {{rows_extent, rows}}), no_equal_rows};
  std::int64_t most = row_of(subject, best.sizes);
  for (const std::string& extent : subject.specification.extents) {
    const std::int64_t limit = extent == rows_extent ? 0 : limit_of(subject.specification, extent);
    for (std::int64_t size = 8; size <= std::min(limit, most_of_row); size *= 2) {
      const std::int64_t taken = taken_size(subject.specification, extent, size);
      const Extents sizes = extents_at(subject.specification, {{rows_extent, rows}, {extent, taken}});
      const std::int64_t row = row_of(subject, sizes);
      if (row <= most || 2 * work.elements(extent, taken) > largest_graph) continue;
      most = row;
      best.sizes = sizes;
    }
  }
  return {best};
}

}  // namespace assay::validation::formula
