// Each token alone gives the same loss and dhidden as in the batch; dweight and dbias are sums over the tokens.
#include "validation/cce/compare.h"
#include "validation/cce/properties/properties.h"

namespace assay::validation::cce {
namespace {

void add(std::vector<double>& sum, const std::vector<float>& terms) {
  sum.resize(terms.size());
  for (std::size_t i = 0; i < terms.size(); ++i) sum[i] += double{terms[i]};
}

/// The sums over single tokens, and the sums of the single tokens' bounds.
struct Sums {
  std::vector<double> dweight, dbias;
  std::vector<double> dweight_bound, dbias_bound;
  std::vector<bool> is_huge;  ///< elements of dweight too large to sum in a 16-bit type

  void take(const CceCase& c, const CceBounds& bounds, const CceRun& single) {
    add(dweight, single.dweight);
    add(dbias, single.dbias);
    dweight_bound.resize(c.weight.size());
    dbias_bound.resize(c.bias.size());
    is_huge.resize(c.weight.size());
    for (std::size_t i = 0; i < dweight_bound.size(); ++i) {
      dweight_bound[i] += bounds.dweight(i, single.dweight[i]);
      is_huge[i] = is_huge[i] || bounds.is_huge(single.dweight[i]);
    }
    for (std::size_t v = 0; v < dbias_bound.size(); ++v) dbias_bound[v] += bounds.dbias(v, single.dbias[v]);
  }
};

Finding check(const CceContext& context, const CceCase& given) {
  CceCase c = given;
  if (c.reduction != Reduction::none) c.upstream.clear();
  c.reduction = Reduction::none;
  const CceRun batch = run_valid(context.kernel, c);
  if (c.N == 0) return Finding::skip("there are no tokens");
  CceRunComparison whole(c, context.kernel.info());
  Sums sums;
  CceRun rows;
  for (std::int64_t n = 0; n < c.N; ++n) {
    const CceCase alone = select_tokens(c, {n});
    const CceRun single = run_valid(context.kernel, alone);
    rows.loss.push_back(single.loss[0]);
    rows.dhidden.insert(rows.dhidden.end(), single.dhidden.begin(), single.dhidden.end());
    sums.take(c, CceBounds(alone, context.kernel.info()), single);
  }
  whole.all(rows, batch);
  Comparison& comparison = whole.comparison();
  for (std::size_t i = 0; i < batch.dweight.size(); ++i) {
    if (sums.is_huge[i]) continue;
    comparison.near(dweight_place(c, i), batch.dweight[i], sums.dweight[i],
                    whole.bounds().dweight(i, batch.dweight[i]) + sums.dweight_bound[i]);
  }
  for (std::size_t v = 0; v < batch.dbias.size(); ++v)
    comparison.near(dbias_place(v), batch.dbias[v], sums.dbias[v],
                    whole.bounds().dbias(v, batch.dbias[v]) + sums.dbias_bound[v]);
  return comparison.finding();
}

}  // namespace

CceProperty batch_singles() {
  return {"batch-singles", "a batch equals each of its tokens alone", {.min_tokens = 2}, check};
}

}  // namespace assay::validation::cce
