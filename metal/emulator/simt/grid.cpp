#include "metal/emulator/simt/grid.h"

#include <algorithm>

namespace assay::metal::emulator {

namespace {

void store(assay_u32 (&xyz)[3], const Size& size) {
  xyz[0] = static_cast<assay_u32>(size.width);
  xyz[1] = static_cast<assay_u32>(size.height);
  xyz[2] = static_cast<assay_u32>(size.depth);
}

Size unravel(std::uint64_t index, const Size& extent) {
  return {index % extent.width, index / extent.width % extent.height, index / extent.width / extent.height};
}

assay_u32 divide_up(assay_u32 count, assay_u32 part) {
  return (count + part - 1) / part;
}

}  // namespace

Grid::Grid(Size threads, Size group)
    : threads_(threads),
      group_(group),
      groups_{(threads.width + group.width - 1) / group.width, (threads.height + group.height - 1) / group.height,
              (threads.depth + group.depth - 1) / group.depth} {}

Size Grid::position_of(std::uint64_t group) const {
  return unravel(group, groups_);
}

Size Grid::extent_of(std::uint64_t group) const {
  const Size at = position_of(group);
  return {std::min(group_.width, threads_.width - at.width * group_.width),
          std::min(group_.height, threads_.height - at.height * group_.height),
          std::min(group_.depth, threads_.depth - at.depth * group_.depth)};
}

Place Grid::place_of(std::uint64_t group, std::uint32_t thread) const {
  const Size at = position_of(group), inside = unravel(thread, extent_of(group));
  return {{at.width * group_.width + inside.width, at.height * group_.height + inside.height,
           at.depth * group_.depth + inside.depth},
          inside,
          at};
}

abi::Position Grid::position(std::uint64_t group, std::uint32_t thread) const {
  const Size extent = extent_of(group);
  const Place place = place_of(group, thread);
  const auto count = static_cast<assay_u32>(extent.count()), whole = static_cast<assay_u32>(group_.count());
  abi::Position position{};
  store(position.thread_position_in_grid, place.in_grid);
  store(position.thread_position_in_threadgroup, place.in_group);
  store(position.threadgroup_position_in_grid, place.group);
  store(position.threads_per_grid, threads_);
  store(position.threadgroups_per_grid, groups_);
  store(position.threads_per_threadgroup, extent);
  store(position.dispatch_threads_per_threadgroup, group_);
  position.thread_index_in_threadgroup = thread;
  position.thread_index_in_simdgroup = thread % abi::lanes_per_simdgroup;
  position.simdgroup_index_in_threadgroup = thread / abi::lanes_per_simdgroup;
  position.simdgroups_per_threadgroup = divide_up(count, abi::lanes_per_simdgroup);
  position.dispatch_simdgroups_per_threadgroup = divide_up(whole, abi::lanes_per_simdgroup);
  position.threads_per_simdgroup = abi::lanes_per_simdgroup;
  position.thread_index_in_quadgroup = thread % abi::lanes_per_quadgroup;
  position.quadgroup_index_in_threadgroup = thread / abi::lanes_per_quadgroup;
  position.quadgroups_per_threadgroup = divide_up(count, abi::lanes_per_quadgroup);
  return position;
}

}  // namespace assay::metal::emulator
