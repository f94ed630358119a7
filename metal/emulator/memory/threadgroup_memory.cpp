#include "metal/emulator/memory/threadgroup_memory.h"

namespace assay::metal::emulator {

bool ThreadgroupMemory::begin_dispatch(const Lengths& lengths) {
  variables_.clear();
  argument_bytes_ = variable_bytes_ = 0;
  for (std::size_t index = 0; index < abi::max_arguments; ++index) {
    if (lengths[index] != lengths_[index]) argument_memory_[index].reset();
    if (lengths[index] != 0 && !argument_memory_[index]) argument_memory_[index] = arena_->allocate(lengths[index]);
    if (lengths[index] != 0 && !argument_memory_[index]) return false;
    lengths_[index] = lengths[index];
    arguments_[index] = lengths[index] == 0 ? nullptr : argument_memory_[index]->begin();
    argument_bytes_ += lengths[index];
  }
  return true;
}

void ThreadgroupMemory::poison() {
  for (const auto& memory : argument_memory_)
    if (memory) memory->poison();
  for (const Variable& variable : variables_) variable.memory->poison();
}

void* ThreadgroupMemory::find(const void* key) const {
  for (const Variable& variable : variables_)
    if (variable.key == key) return variable.memory->begin();
  return nullptr;
}

Allocation* ThreadgroupMemory::add(const void* key, std::uint64_t bytes) {
  std::unique_ptr<Allocation> memory = arena_->allocate(bytes);
  if (!memory) return nullptr;
  memory->poison();
  variable_bytes_ += bytes;
  return variables_.emplace_back(Variable{key, std::move(memory)}).memory.get();
}

}  // namespace assay::metal::emulator
