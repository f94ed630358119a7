#include "metal/emulator/check/fences.h"

#include <algorithm>

namespace assay::metal::emulator {

void Fences::fence(FencedThread thread, std::uint32_t flags, std::uint32_t time) {
  Thread& own = threads_[thread];
  own.fences.push_back({time, flags, 0});
  for (const std::uint32_t flag : {abi::mem_device, abi::mem_threadgroup})
    if (flags & flag) own.acquired[space(flag)] = own.last_atomic;
}

void Fences::note_atomic(FencedThread thread) {
  Thread& own = threads_[thread];
  own.last_atomic = ++atomics_;
  for (auto fence = own.fences.rbegin(); fence != own.fences.rend() && fence->released == 0; ++fence)
    fence->released = own.last_atomic;
}

bool Fences::order(FencedThread one, std::uint32_t time, FencedThread other, std::uint32_t flag) const {
  const auto writer = threads_.find(one), reader = threads_.find(other);
  if (writer == threads_.end() || reader == threads_.end()) return false;
  return std::ranges::any_of(writer->second.fences, [&](const Fence& fence) {
    return fence.time >= time && (fence.flags & flag) != 0 && fence.released != 0 &&
           fence.released < reader->second.acquired[space(flag)];
  });
}

}  // namespace assay::metal::emulator
