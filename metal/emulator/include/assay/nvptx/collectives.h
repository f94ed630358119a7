// Collectives of simdgroups and quadgroups by the shuffles and votes of a warp.
#pragma once

#include <assay/math.h>
#include <assay/site.h>

namespace metal {
namespace assay_detail {

using assay_shader_side::Site;

ASSAY_OWN uint lane_of_warp() {
  return __nvvm_read_ptx_sreg_laneid();
}
/// The lane at which the group of the scope begins.
template <Scope scope>
ASSAY_OWN uint first_lane() {
  return scope == Scope::quadgroup ? lane_of_warp() & ~3u : 0;
}

/// The lanes of the warp that execute the site together with the calling lane.
ASSAY_OWN uint lanes_at(Site site) {
  if (!site.is_diverging) __nvvm_bar_warp_sync(assay_shader_side::whole_warp);
  return __nvvm_activemask();
}
/// The lanes that a shuffle names. The hardware does not wait for lanes that have ended.
ASSAY_OWN uint shuffled_lanes(Site site) {
  return site.is_diverging ? __nvvm_activemask() : assay_shader_side::whole_warp;
}

/// The value of lane `from` of the warp, word by word.
template <class T>
ASSAY_OWN T shuffled(T mine, uint from, uint mask) {
  union Words {
    int words[(sizeof(T) + 3) / 4];
    T value;
    ASSAY_OWN Words() : words{} {}
  } data;
  data.value = mine;
  for (int& word : data.words) word = __nvvm_shfl_sync_idx_i32(mask, word, from, 31);
  return data.value;
}

/// The values of all lanes, as in the emulator; each is fetched when it is asked for. All lanes must ask.
template <class T, Scope scope>
struct Gathered {
  T own;
  uint lane, mask;
  Site site;
  ASSAY_OWN uint active() const { return lanes_at(site) >> first_lane<scope>() & (~0u >> (32 - lanes<scope>)); }
  ASSAY_OWN uint first_active() const { return __builtin_ctz(active()); }
  ASSAY_OWN T at(uint n, Site) const { return shuffled(own, first_lane<scope>() + n % lanes<scope>, mask); }
  ASSAY_OWN T at_or_mine(uint n, Site site) const {
    const T other = at(n, site);
    return n < lanes<scope> ? other : own;
  }
};

template <Scope scope, class T>
ASSAY_OWN Gathered<T, scope> all_gather(T mine, Site site) {
  return {mine, lane_of_warp() - first_lane<scope>(), shuffled_lanes(site), site};
}

/// The values of `count` lanes joined by neighbours, neighbouring pairs and so on, if all are active; else in rising
/// order.
template <Scope scope, class T, class Join>
ASSAY_OWN T reduce(T mine, Site site, Join join) {
  const uint mask = lanes_at(site), first = first_lane<scope>();
  const uint active = mask >> first & (~0u >> (32 - lanes<scope>));
  if (mask == assay_shader_side::whole_warp) {
    for (uint distance = 1; distance < lanes<scope>; distance *= 2)
      mine = join(mine, shuffled(mine, lane_of_warp() ^ distance, mask));
    return mine;
  }
  uint next = __builtin_ctz(active);
  T result = shuffled(mine, first + next, mask);
  for (uint n = 0; n < lanes<scope>; ++n) {
    const T other = shuffled(mine, first + n, mask);
    if (n > next && (active >> n & 1) != 0) result = join(result, other);
  }
  return result;
}

/// Joins `start` with the values of the active lanes below `last`, in rising order.
template <class T, Scope scope, class Join>
ASSAY_OWN T fold(const Gathered<T, scope>& gathered, uint last, T start, Join join) {
  const uint active = gathered.active();
  for (uint n = 0; n < lanes<scope>; ++n) {
    const T other = gathered.at(n, {});
    if (n < last && (active >> n & 1) != 0) start = join(start, other);
  }
  return start;
}

template <Scope scope>
struct Ballot {
  ulong votes, active;
};
template <Scope scope>
ASSAY_OWN Ballot<scope> ballot(bool answer, Site site) {
  const uint mask = lanes_at(site), first = first_lane<scope>(), few = ~0u >> (32 - lanes<scope>);
  return {__nvvm_vote_ballot_sync(mask, answer) >> first & few, mask >> first & few};
}

}  // namespace assay_detail
}  // namespace metal
