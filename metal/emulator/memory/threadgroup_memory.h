// The threadgroup memory of the group that runs: its arguments and its `threadgroup` variables.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "metal/emulator/abi/shader_abi.h"
#include "metal/emulator/memory/arena.h"

namespace assay::metal::emulator {

class ThreadgroupMemory {
 public:
  using Lengths = std::array<std::uint64_t, abi::max_arguments>;

  explicit ThreadgroupMemory(std::shared_ptr<Arena> arena) : arena_(std::move(arena)) {}

  /// Allocates each argument whose length is not 0, and forgets the variables. Returns false if there is no memory
  /// left.
  bool begin_dispatch(const Lengths& lengths);

  /// Poisons all memory, so that a group does not find what another group left.
  void poison();

  void* const* arguments() const { return arguments_.data(); }
  Allocation* argument(std::size_t index) const { return argument_memory_[index].get(); }

  /// The variable's memory; null if no thread of the dispatch has used it yet.
  void* find(const void* key) const;

  /// Poisoned memory for a new variable; null if there is none left.
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
  std::array<std::unique_ptr<Allocation>, abi::max_arguments> argument_memory_;
  std::array<void*, abi::max_arguments> arguments_{};
  std::vector<Variable> variables_;
  std::uint64_t argument_bytes_ = 0, variable_bytes_ = 0;
};

}  // namespace assay::metal::emulator
