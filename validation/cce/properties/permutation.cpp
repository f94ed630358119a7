// Words have no order: renaming them renames dweight and dbias, and leaves the rest.
#include "validation/cce/compare.h"
#include "validation/cce/properties/properties.h"

namespace assay::validation::cce {
namespace {

/// The word that stands at each place: the last half first, backwards.
std::vector<std::int64_t> shuffled(std::int64_t V) {
  std::vector<std::int64_t> words;
  for (std::int64_t v = V - 1; v >= V / 2; --v) words.push_back(v);
  for (std::int64_t v = 0; v < V / 2; ++v) words.push_back(v);
  return words;
}

/// The run of the renamed problem, its words renamed back.
CceRun renamed_back(const CceCase& c, const std::vector<std::int64_t>& words, const CceRun& run) {
  CceRun back = run;
  for (std::size_t place = 0; place < words.size(); ++place) {
    const auto word = static_cast<std::size_t>(words[place]);
    const auto H = static_cast<std::size_t>(c.H);
    for (std::size_t h = 0; h < H; ++h) back.dweight[word * H + h] = run.dweight[place * H + h];
    if (!c.bias.empty()) back.dbias[word] = run.dbias[place];
  }
  return back;
}

Finding check(const CceContext& context, const CceCase& c) {
  const auto words = shuffled(c.V);
  CceRunComparison comparison(c, context.kernel.info());
  const CceRun renamed = run_valid(context.kernel, select_entries(c, words));
  comparison.all(renamed_back(c, words, renamed), run_valid(context.kernel, c));
  return comparison.finding();
}

}  // namespace

CceProperty permutation() {
  return {"permutation", "renaming words renames their gradients", {.many_entries = 0.3}, check};
}

}  // namespace assay::validation::cce
