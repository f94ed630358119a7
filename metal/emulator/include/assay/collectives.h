// Collectives of simdgroups and quadgroups by the emulator's all-gather.
#pragma once

#include <assay/math.h>
#include <assay/site.h>

namespace metal {
namespace assay_detail {

using assay_shader_side::services;

/// The result of an all-gather: the value of each lane.
template <class T, Scope scope>
struct Gathered {
  T of[lanes<scope>];
  ulong active;
  uint lane;
  ASSAY_OWN uint first_active() const { return uint(__builtin_ctzl(active)); }
  ASSAY_OWN bool is_active(uint n) const { return n < lanes<scope> && (active >> n & 1) != 0; }
  ASSAY_OWN T mine() const { return of[lane]; }
  /// The value of lane `n`. For an inactive lane, Metal leaves it undefined; here it is the calling lane's own.
  ASSAY_OWN T at(uint n, Site site) const {
    if (is_active(n)) return of[n];
    services->undefined_lane(scope, n, &site);
    return mine();
  }
  /// The same, where lanes beyond the first or last one leave the calling lane's own value.
  ASSAY_OWN T at_or_mine(uint n, Site site) const { return n < lanes<scope> ? at(n, site) : mine(); }
};

template <Scope scope, class T>
ASSAY_OWN Gathered<T, scope> all_gather(T mine, Site site) {
  Gathered<T, scope> gathered;
  const auto lanes = services->all_gather(scope, &mine, sizeof(T), gathered.of, &site);
  gathered.active = lanes.active;
  gathered.lane = lanes.lane;
  return gathered;
}

/// Joins `start` with the values of the active lanes below `last`, in rising order.
template <class T, Scope scope, class Join>
ASSAY_OWN T fold(const Gathered<T, scope>& gathered, uint last, T start, Join join) {
  for (uint n = 0; n < last; ++n)
    if (gathered.is_active(n)) start = join(start, gathered.of[n]);
  return start;
}

/// Joins the values of all active lanes. It begins with the lowest active lane, and so needs no neutral element.
template <Scope scope, class T, class Join>
ASSAY_OWN T reduce(T mine, Site site, Join join) {
  const auto gathered = all_gather<scope>(mine, site);
  const uint first = uint(__builtin_ctzl(gathered.active));
  T result = gathered.of[first];
  for (uint n = first + 1; n < lanes<scope>; ++n)
    if (gathered.is_active(n)) result = join(result, gathered.of[n]);
  return result;
}

template <Scope scope>
struct Ballot {
  ulong votes, active;
};
/// The active lanes, and those among them that answer yes.
template <Scope scope>
ASSAY_OWN Ballot<scope> ballot(bool answer, Site site) {
  const auto gathered = all_gather<scope>(uint(answer), site);
  ulong votes = 0;
  for (uint n = 0; n < lanes<scope>; ++n) votes |= ulong(gathered.of[n]) << n;
  return {votes & gathered.active, gathered.active};
}

}  // namespace assay_detail
}  // namespace metal
