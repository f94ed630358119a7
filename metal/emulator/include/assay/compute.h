// Barriers and the collectives of simdgroups and quadgroups: Metal Shading Language Specification,
// sections 6.9.1, 6.9.2 and 6.9.3. Each has the site of its call in the shader.
#pragma once

#include <assay/math.h>
#include <assay/scopes.h>
#include <assay/site.h>

namespace metal {

namespace assay_detail {

using assay_shader_side::here;
using assay_shader_side::Needs;
using assay_shader_side::Scope;
using assay_shader_side::Site;
inline constexpr Scope simd_scope = Scope::simdgroup, quad_scope = Scope::quadgroup;

template <Scope scope>
inline constexpr uint lanes = scope == Scope::quadgroup ? 4 : 32;

}  // namespace assay_detail
}  // namespace metal

#if ASSAY_NVPTX
#include <assay/nvptx/collectives.h>
#else
#include <assay/collectives.h>
#endif

namespace metal {
namespace assay_detail {

struct Add {
  template <class T>
  ASSAY_OWN T operator()(T a, T b) const {
    return T(a + b);
  }
};
struct Multiply {
  template <class T>
  ASSAY_OWN T operator()(T a, T b) const {
    return T(a * b);
  }
};
struct And {
  template <class T>
  ASSAY_OWN T operator()(T a, T b) const {
    return T(a & b);
  }
};
struct Or {
  template <class T>
  ASSAY_OWN T operator()(T a, T b) const {
    return T(a | b);
  }
};
struct Xor {
  template <class T>
  ASSAY_OWN T operator()(T a, T b) const {
    return T(a ^ b);
  }
};
struct Min {
  template <class T>
  ASSAY_OWN T operator()(T a, T b) const {
    return metal::min(a, b);
  }
};
struct Max {
  template <class T>
  ASSAY_OWN T operator()(T a, T b) const {
    return metal::max(a, b);
  }
};

/// Where the calling thread is in its threadgroup.
struct LaneOfGroup {
  uint lane, simdgroup;
};
#if ASSAY_LINT
LaneOfGroup lane_of_group();
#elif ASSAY_NVPTX
ASSAY_OWN LaneOfGroup lane_of_group() {
  const uint index = __nvvm_read_ptx_sreg_tid_x();
  return {index % 32, index / 32};
}
#else
ASSAY_OWN LaneOfGroup lane_of_group() {
  const auto& position = *services->position();
  return {position.thread_index_in_simdgroup, position.simdgroup_index_in_threadgroup};
}
#endif

/// Within each `modulo` lanes, lane i gets the data of lane i + delta. Where that lane is outside of these lanes, it
/// gets the filling of the lane at which i + delta wraps around.
template <Scope scope, class T>
ASSAY_OWN T shuffled_and_filled(T mine, T filling, int delta, uint modulo, Site site) {
  struct Both {
    T data, filling;
  };
  const auto gathered = all_gather<scope>(Both{mine, filling}, site);
  const int lane = int(gathered.lane), base = lane / int(modulo) * int(modulo), from = lane - base + delta;
  const bool is_inside = from >= 0 && from < int(modulo);
  const Both other = gathered.at(uint(base + (from + int(modulo)) % int(modulo)), site);
  return is_inside ? other.data : other.filling;
}

}  // namespace assay_detail

ASSAY_OWN void threadgroup_barrier(mem_flags flags,
                                   assay_detail::Site site = assay_detail::here("threadgroup_barrier")) {
  assay_shader_side::wait_at_threadgroup_barrier(uint(flags), site);
}
ASSAY_OWN void simdgroup_barrier(mem_flags flags, assay_detail::Site site = assay_detail::here("simdgroup_barrier")) {
  assay_shader_side::wait_at_simdgroup_barrier(uint(flags), site);
}

/// The answers of a group's lanes to a question, a bit for each lane.
template <uint lanes>
struct basic_vote {
  using vote_t = ulong;
  vote_t votes = 0, present = 0;
  basic_vote() = default;
  ASSAY_OWN explicit constexpr basic_vote(vote_t given) : votes(given), present(~0ul >> (64 - lanes)) {}
  ASSAY_OWN constexpr basic_vote(vote_t given, vote_t active) : votes(given), present(active) {}
  ASSAY_OWN explicit constexpr operator vote_t() const { return votes; }
  ASSAY_OWN constexpr bool all() const { return votes == present; }
  ASSAY_OWN constexpr bool any() const { return votes != 0; }
};
using simd_vote = basic_vote<32>;
using quad_vote = basic_vote<4>;

#define ASSAY_REDUCTION(group, name, Join)                                                             \
  template <class T>                                                                                   \
  ASSAY_OWN T group##_##name(T data, assay_detail::Site site = assay_detail::here(#group "_" #name)) { \
    return assay_detail::reduce<assay_detail::group##_scope>(data, site, assay_detail::Join());        \
  }
/// An exclusive prefix begins with the neutral element; an inclusive one ends with the lane's own value.
#define ASSAY_PREFIX(group, name, Join, neutral)                                                 \
  template <class T>                                                                             \
  ASSAY_OWN T group##_prefix_exclusive_##name(                                                   \
      T data, assay_detail::Site site = assay_detail::here(#group "_prefix_exclusive_" #name)) { \
    const auto gathered = assay_detail::all_gather<assay_detail::group##_scope>(data, site);     \
    return assay_detail::fold(gathered, gathered.lane, T(neutral), assay_detail::Join());        \
  }                                                                                              \
  template <class T>                                                                             \
  ASSAY_OWN T group##_prefix_inclusive_##name(                                                   \
      T data, assay_detail::Site site = assay_detail::here(#group "_prefix_inclusive_" #name)) { \
    const auto gathered = assay_detail::all_gather<assay_detail::group##_scope>(data, site);     \
    return assay_detail::fold(gathered, gathered.lane + 1, T(neutral), assay_detail::Join());    \
  }
/// Each lane gets the value of lane `lane_`, an expression in `gathered`, by the method `at` of Gathered.
#define ASSAY_SHUFFLE(group, name, parameter, at, lane_)                                                 \
  template <class T>                                                                                     \
  ASSAY_OWN T group##_##name(                                                                            \
      T data, ushort parameter,                                                                          \
      assay_detail::Site site = assay_detail::here(#group "_" #name, assay_detail::Needs::read_lanes)) { \
    const auto gathered = assay_detail::all_gather<assay_detail::group##_scope>(data, site);             \
    return gathered.at(uint(lane_), site);                                                               \
  }
#define ASSAY_GROUP(group, lanes)                                                                                      \
  ASSAY_REDUCTION(group, sum, Add)                                                                                     \
  ASSAY_REDUCTION(group, product, Multiply)                                                                            \
  ASSAY_REDUCTION(group, min, Min)                                                                                     \
  ASSAY_REDUCTION(group, max, Max)                                                                                     \
  ASSAY_REDUCTION(group, and, And)                                                                                     \
  ASSAY_REDUCTION(group, or, Or)                                                                                       \
  ASSAY_REDUCTION(group, xor, Xor)                                                                                     \
  ASSAY_PREFIX(group, sum, Add, 0)                                                                                     \
  ASSAY_PREFIX(group, product, Multiply, 1)                                                                            \
  ASSAY_SHUFFLE(group, broadcast, lane, at, lane)                                                                      \
  ASSAY_SHUFFLE(group, shuffle, lane, at, lane)                                                                        \
  ASSAY_SHUFFLE(group, shuffle_up, delta, at_or_mine, gathered.lane - delta)                                           \
  ASSAY_SHUFFLE(group, shuffle_down, delta, at_or_mine, gathered.lane + delta)                                         \
  ASSAY_SHUFFLE(group, shuffle_xor, mask, at, gathered.lane ^ mask)                                                    \
  ASSAY_SHUFFLE(group, shuffle_rotate_up, delta, at, (gathered.lane + lanes - delta % lanes) % lanes)                  \
  ASSAY_SHUFFLE(group, shuffle_rotate_down, delta, at, (gathered.lane + delta) % lanes)                                \
  template <class T>                                                                                                   \
  ASSAY_OWN T group##_broadcast_first(T data,                                                                          \
                                      assay_detail::Site site = assay_detail::here(#group "_broadcast_first")) {       \
    const auto gathered = assay_detail::all_gather<assay_detail::group##_scope>(data, site);                           \
    return gathered.at(gathered.first_active(), site);                                                                 \
  }                                                                                                                    \
  template <class T>                                                                                                   \
  ASSAY_OWN T group##_shuffle_and_fill_up(                                                                             \
      T data, T filling, ushort delta, ushort modulo = lanes,                                                          \
      assay_detail::Site site = assay_detail::here(#group "_shuffle_and_fill_up", assay_detail::Needs::read_lanes)) {  \
    return assay_detail::shuffled_and_filled<assay_detail::group##_scope>(data, filling, -int(delta), modulo, site);   \
  }                                                                                                                    \
  template <class T>                                                                                                   \
  ASSAY_OWN T group##_shuffle_and_fill_down(T data, T filling, ushort delta, ushort modulo = lanes,                    \
                                            assay_detail::Site site = assay_detail::here(                              \
                                                #group "_shuffle_and_fill_down", assay_detail::Needs::read_lanes)) {   \
    return assay_detail::shuffled_and_filled<assay_detail::group##_scope>(data, filling, int(delta), modulo, site);    \
  }                                                                                                                    \
  ASSAY_OWN group##_vote group##_ballot(bool answer, assay_detail::Site site = assay_detail::here(#group "_ballot")) { \
    const auto ballot = assay_detail::ballot<assay_detail::group##_scope>(answer, site);                               \
    return {ballot.votes, ballot.active};                                                                              \
  }                                                                                                                    \
  ASSAY_OWN bool group##_all(bool answer, assay_detail::Site site = assay_detail::here(#group "_all")) {               \
    return group##_ballot(answer, site).all();                                                                         \
  }                                                                                                                    \
  ASSAY_OWN bool group##_any(bool answer, assay_detail::Site site = assay_detail::here(#group "_any")) {               \
    return group##_ballot(answer, site).any();                                                                         \
  }                                                                                                                    \
  ASSAY_OWN group##_vote group##_active_threads_mask(                                                                  \
      assay_detail::Site site = assay_detail::here(#group "_active_threads_mask", assay_detail::Needs::no_lanes)) {    \
    return group##_ballot(true, site);                                                                                 \
  }                                                                                                                    \
  ASSAY_OWN bool group##_is_first(assay_detail::Site site =                                                            \
                                      assay_detail::here(#group "_is_first", assay_detail::Needs::no_lanes)) {         \
    const auto gathered = assay_detail::all_gather<assay_detail::group##_scope>(0u, site);                             \
    return gathered.lane == gathered.first_active();                                                                   \
  }

ASSAY_GROUP(simd, 32)
ASSAY_GROUP(quad, 4)

}  // namespace metal
