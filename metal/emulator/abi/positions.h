// The attributes of a kernel's arguments that say where a thread is.
#pragma once

#include <array>
#include <string_view>

namespace assay::metal::emulator::abi {

inline constexpr std::array<std::string_view, 18> positions = {"thread_position_in_grid",
                                                               "thread_position_in_threadgroup",
                                                               "threadgroup_position_in_grid",
                                                               "threads_per_grid",
                                                               "threadgroups_per_grid",
                                                               "threads_per_threadgroup",
                                                               "dispatch_threads_per_threadgroup",
                                                               "grid_origin",
                                                               "thread_index_in_threadgroup",
                                                               "thread_index_in_simdgroup",
                                                               "simdgroup_index_in_threadgroup",
                                                               "simdgroups_per_threadgroup",
                                                               "dispatch_simdgroups_per_threadgroup",
                                                               "threads_per_simdgroup",
                                                               "thread_execution_width",
                                                               "thread_index_in_quadgroup",
                                                               "quadgroup_index_in_threadgroup",
                                                               "quadgroups_per_threadgroup"};

}  // namespace assay::metal::emulator::abi
