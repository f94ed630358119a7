// Each token alone gives the same loss and dhidden as in the batch; dweight and dbias are sums over the tokens.
#include "validation/cce/compare.h"
#include "validation/cce/properties/properties.h"
#include "validation/core/remembered.h"

namespace assay::validation::cce {
namespace {

template <class Real>
void add(std::vector<double>& sum, const std::vector<Real>& terms) {
  sum.resize(terms.size());
  for (std::size_t i = 0; i < terms.size(); ++i) sum[i] += double{terms[i]};
}

/// A token alone: its results, and the bounds on its shares of dweight and dbias.
struct Single {
  CceRun run;
  std::vector<double> dweight_bound, dbias_bound;
  std::vector<bool> is_huge;  ///< elements of dweight too large to sum in a 16-bit type

  Single(const CceContext& context, const CceCase& alone) : run(run_valid(context.kernel, alone)) {
    const CceBounds bounds(alone, context.kernel.info());
    for (std::size_t i = 0; i < run.dweight.size(); ++i) {
      dweight_bound.push_back(bounds.dweight(i, run.dweight[i]));
      is_huge.push_back(bounds.is_huge(run.dweight[i]));
    }
    for (std::size_t v = 0; v < run.dbias.size(); ++v) dbias_bound.push_back(bounds.dbias(v, run.dbias[v]));
  }
};

/// The sums over single tokens, and the sums of the single tokens' bounds.
struct Sums {
  std::vector<double> dweight, dbias;
  std::vector<double> dweight_bound, dbias_bound;
  std::vector<bool> is_huge;

  void take(const Single& single) {
    add(dweight, single.run.dweight);
    add(dbias, single.run.dbias);
    add(dweight_bound, single.dweight_bound);
    add(dbias_bound, single.dbias_bound);
    is_huge.resize(single.is_huge.size());
    for (std::size_t i = 0; i < is_huge.size(); ++i) is_huge[i] = is_huge[i] || single.is_huge[i];
  }
};

Finding check_batch_singles(const CceContext& context, const CceCase& given) {
  CceCase c = given;
  if (c.reduction != Reduction::none) c.upstream.clear();
  c.reduction = Reduction::none;
  const CceRun batch = run_valid(context.kernel, c);
  if (c.N == 0) return Finding::skip("there are no tokens");
  CceRunComparison whole(c, context.kernel.info());
  Sums sums;
  CceRun rows;
  Remembered<CceCase, Single> singles;
  for (std::int64_t n = 0; n < c.N; ++n) {
    const Single& single =
        singles.of(select_tokens(c, {n}), [&](const CceCase& alone) { return Single(context, alone); });
    rows.loss.push_back(single.run.loss[0]);
    rows.dhidden.insert(rows.dhidden.end(), single.run.dhidden.begin(), single.run.dhidden.end());
    sums.take(single);
  }
  whole.all(rows, batch);
  Comparison& comparison = whole.comparison();
  for (std::size_t i = 0; i < batch.dweight.size(); ++i) {
    if (sums.is_huge[i]) continue;
    comparison.near(dweight_place(c, i), batch.dweight[i], sums.dweight[i],
                    whole.bounds().dweight(i, batch.dweight[i]) + sums.dweight_bound[i],
                    whole.bounds().dweight_range(i));
  }
  for (std::size_t v = 0; v < batch.dbias.size(); ++v)
    comparison.near(dbias_place(v), batch.dbias[v], sums.dbias[v],
                    whole.bounds().dbias(v, batch.dbias[v]) + sums.dbias_bound[v], whole.bounds().dbias_range(v));
  return comparison.finding();
}

}  // namespace

CceProperty batch_singles() {
  return {"batch-singles", "a batch equals each of its tokens alone", {.min_tokens = 2}, check_batch_singles};
}

}  // namespace assay::validation::cce
