// The threadgroup memory of the group that runs: by argument, and of `threadgroup` variables.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "metal/emulator/check/dispatch_info.h"
#include "metal/emulator/simt/arena.h"

namespace assay::metal::emulator {

class ThreadgroupMemory {
 public:
  static constexpr std::size_t most_arguments = 31;
  using Lengths = std::array<std::uint64_t, most_arguments>;

  explicit ThreadgroupMemory(std::shared_ptr<Arena> arena) : arena_(std::move(arena)) {}

  /// Gives each argument of a length other than 0 its memory, and forgets the variables. False where there is no
  /// memory.
  bool begin_dispatch(const Lengths& lengths);

  /// Fills all with bytes that are NaN as any floating-point type: what a group finds is not what another left.
  void poison();

  void* const* arguments() const { return arguments_.data(); }
  Allocation* argument(std::size_t index) const { return argument_memory_[index].get(); }

  /// The variable's memory where a thread of the dispatch has come to it before, else null.
  void* find(const void* key) const;

  /// The memory of a new variable; null where there is none.
  Allocation* add(const void* key, std::uint64_t bytes);

  /// Bytes in use by arguments and by variables.
  std::uint64_t argument_bytes() const { return argument_bytes_; }
  std::uint64_t variable_bytes() const { return variable_bytes_; }

 private:
  struct Variable {
    const void* key;
    std::unique_ptr<Allocation> memory;
  };

  std::shared_ptr<Arena> arena_;
  Lengths lengths_{};
  std::array<std::unique_ptr<Allocation>, most_arguments> argument_memory_;
  std::array<void*, most_arguments> arguments_{};
  std::vector<Variable> variables_;
  std::uint64_t argument_bytes_ = 0, variable_bytes_ = 0;
};

}  // namespace assay::metal::emulator
