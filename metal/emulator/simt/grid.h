// The grid of a dispatch, its threadgroups, and the position of every thread in both.
#pragma once

#include <cstdint>

#include "metal/device/limits.h"
#include "metal/emulator/abi/shader_abi.h"

namespace assay::metal::emulator {

/// The positions of a thread in the grid and in its group, and of its group in the grid.
struct Place {
  Size in_grid, in_group, group;
  bool operator==(const Place&) const = default;
};

class Grid {
 public:
  Grid() = default;

  /// `threads` in groups of `group`. Groups at the edges are smaller if `group` does not divide `threads`.
  Grid(Size threads, Size group);

  Size threads() const { return threads_; }
  Size group() const { return group_; }
  Size groups() const { return groups_; }

  /// The position of a group, numbered along x, then y, then z, and its extent.
  Size position_of(std::uint64_t group) const;
  Size extent_of(std::uint64_t group) const;
  Place place_of(std::uint64_t group, std::uint32_t thread) const;

  /// The position of a thread as the shader sees it.
  abi::Position position(std::uint64_t group, std::uint32_t thread) const;

  /// Changes a thread's position to that of the same thread in the group at `group_position`, which must have the same
  /// extent.
  void move(abi::Position& position, const Size& group_position) const {
    const auto at = [](std::uint64_t group, std::uint64_t extent, assay_u32 inside) {
      return static_cast<assay_u32>(group * extent) + inside;
    };
    const auto& inside = position.thread_position_in_threadgroup;
    position.thread_position_in_grid[0] = at(group_position.width, group_.width, inside[0]);
    position.thread_position_in_grid[1] = at(group_position.height, group_.height, inside[1]);
    position.thread_position_in_grid[2] = at(group_position.depth, group_.depth, inside[2]);
    position.threadgroup_position_in_grid[0] = static_cast<assay_u32>(group_position.width);
    position.threadgroup_position_in_grid[1] = static_cast<assay_u32>(group_position.height);
    position.threadgroup_position_in_grid[2] = static_cast<assay_u32>(group_position.depth);
  }

 private:
  Size threads_, group_, groups_;
};

}  // namespace assay::metal::emulator
