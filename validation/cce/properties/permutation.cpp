// A permutation of the vocabulary permutes the rows of dweight and dbias, and changes nothing else.
#include "validation/cce/compare.h"
#include "validation/cce/properties/properties.h"

namespace assay::validation::cce {
namespace {

/// The permutation: the entry at each place; the last half comes first, backwards.
std::vector<std::int64_t> shuffled(std::int64_t V) {
  std::vector<std::int64_t> entries;
  for (std::int64_t v = V - 1; v >= V / 2; --v) entries.push_back(v);
  for (std::int64_t v = 0; v < V / 2; ++v) entries.push_back(v);
  return entries;
}

/// The run of the permuted problem, permuted back.
CceRun renamed_back(const CceCase& c, const std::vector<std::int64_t>& entries, const CceRun& run) {
  CceRun back = run;
  for (std::size_t place = 0; place < entries.size(); ++place) {
    const auto entry = static_cast<std::size_t>(entries[place]);
    const auto H = static_cast<std::size_t>(c.H);
    for (std::size_t h = 0; h < H; ++h) back.dweight[entry * H + h] = run.dweight[place * H + h];
    if (!c.bias.empty()) back.dbias[entry] = run.dbias[place];
  }
  return back;
}

Finding check_permutation(const CceContext& context, const CceCase& c) {
  const auto entries = shuffled(c.V);
  CceRunComparison comparison(c, context.kernel.info());
  const CceRun renamed = run_valid(context.kernel, select_entries(c, entries));
  comparison.all(renamed_back(c, entries, renamed), run_valid(context.kernel, c));
  return comparison.finding();
}

}  // namespace

CceProperty permutation() {
  return {"permutation", "renaming entries renames their gradients", {.many_entries = 0.3}, check_permutation};
}

}  // namespace assay::validation::cce
