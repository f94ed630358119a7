// Further entries with a bias of -inf change nothing, wherever they are inserted, and have gradient 0. The entries move
// all others within tiles and chunks.
#include <limits>

#include "validation/cce/compare.h"
#include "validation/cce/properties/properties.h"

namespace assay::validation::cce {
namespace {

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

/// The case with `count` masked entries, of bias -inf, before the entry `place`.
CceCase padded(const CceCase& c, std::int64_t place, std::int64_t count) {
  CceCase d = c;
  d.V += count;
  if (d.bias.empty()) d.bias.assign(static_cast<std::size_t>(c.V), 0.0F);
  d.bias.insert(d.bias.begin() + place, static_cast<std::size_t>(count), minus_infinity);
  d.weight.insert(d.weight.begin() + place * c.H, static_cast<std::size_t>(count * c.H), 0.5F);
  for (std::size_t n = 0; n < d.targets.size(); ++n)
    if (c.targets[n] != c.ignore_index && c.targets[n] >= place) d.targets[n] += count;
  // An ignore_index in [0, V) may now be the index of another entry.
  for (std::size_t n = 0; n < d.targets.size(); ++n)
    if (c.targets[n] == c.ignore_index) d.targets[n] = -1;
  d.ignore_index = -1;
  return d;
}

/// The run without the inserted entries, which must have gradient 0.
CceRun without(const CceCase& d, std::int64_t place, std::int64_t count, CceRun run, Comparison& comparison) {
  for (std::int64_t v = place; v < place + count; ++v) {
    for (std::int64_t i = v * d.H; i < (v + 1) * d.H; ++i)
      comparison.near(dweight_place(d, static_cast<std::size_t>(i)), run.dweight[static_cast<std::size_t>(i)], 0.0, 0);
    comparison.near(dbias_place(static_cast<std::size_t>(v)), run.dbias[static_cast<std::size_t>(v)], 0.0, 0);
  }
  run.dweight.erase(run.dweight.begin() + place * d.H, run.dweight.begin() + (place + count) * d.H);
  run.dbias.erase(run.dbias.begin() + place, run.dbias.begin() + place + count);
  return run;
}

Finding check_padding(const CceContext& context, const CceCase& c) {
  const CceRun plain = run_valid(context.kernel, c);
  CceRunComparison comparison(c, context.kernel.info());
  for (const auto& [place, count] : {std::pair{std::int64_t{0}, std::int64_t{9}}, {c.V, 5}, {c.V / 2, 64}}) {
    const CceCase d = padded(c, place, count);
    CceRun run = without(d, place, count, run_valid(context.kernel, d), comparison.comparison());
    if (c.bias.empty()) run.dbias.clear();
    comparison.all(run, plain);
  }
  return comparison.finding();
}

}  // namespace

CceProperty padding() {
  return {"padding", "entries taken out by -inf change nothing", {.softcap = 0, .smoothing = 0}, check_padding};
}

}  // namespace assay::validation::cce
