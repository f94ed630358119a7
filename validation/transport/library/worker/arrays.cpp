#include "validation/transport/library/worker/arrays.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "metal/system/system.h"
#include "validation/transport/library/worker/faults.h"

namespace assay::validation::transport {

Arrays::Arrays(Request& request) : request_(request), size_(request.memory) {
  memory_ = static_cast<std::byte*>(mmap(nullptr, size_, PROT_NONE, MAP_SHARED, memory_file, 0));
  if (memory_ == MAP_FAILED) _exit(1);
  for (const Slot& slot : request.slots) {
    if (slot.end == slot.begin) continue;
    const int access = slot.writable != 0 ? PROT_READ | PROT_WRITE : PROT_READ;
    if (mprotect(memory_ + slot.first_page, slot.last_page - slot.first_page, access) != 0) _exit(1);
    if (slot.far.bytes == 0) continue;
    std::byte* const far = far_.emplace_back(slot.far).data();
    for_each_part(
        slot, [&](std::byte* shared, std::size_t there, std::size_t size) { std::memcpy(far + there, shared, size); });
  }
  report_offsets_into(memory_, size_);
}

Arrays::~Arrays() {
  report_offsets_into(nullptr, 0);
  munmap(memory_, size_);
}

std::vector<assay_array> Arrays::described(bool writable) const {
  std::vector<assay_array> all;
  auto far = far_.begin();
  for (std::size_t i = 0; i < request_.arrays; ++i) {
    Slot& slot = request_.slots.at(i);
    void* data = slot.end > slot.begin ? memory_ + slot.begin + slot.first : nullptr;
    if (slot.is_option != 0) data = slot.option.data();
    if (slot.far.bytes > 0) data = (far++)->data();
    if ((slot.writable != 0) == writable)
      all.push_back({slot.name.data(), slot.shape.data(), slot.dimensions, slot.dtype, data});
  }
  return all;
}

void Arrays::leave() const {
  auto far = far_.begin();
  for (const Slot& slot : request_.slots) {
    if (slot.far.bytes == 0) continue;
    const std::byte* const from = (far++)->data();
    if (slot.writable == 0) continue;
    for_each_part(
        slot, [&](std::byte* shared, std::size_t there, std::size_t size) { std::memcpy(shared, from + there, size); });
  }
}

MemoryLimit::MemoryLimit(bool far) {
  const std::optional<std::size_t> mapped = metal::system::address_space_bytes();
  if (!far || !mapped || getrlimit(RLIMIT_AS, &former_) != 0) return;
  constexpr std::size_t spare = std::size_t{1} << 32;
  rlimit less = former_;
  less.rlim_cur = std::min<rlim_t>(former_.rlim_cur, *mapped + spare);
  is_set_ = setrlimit(RLIMIT_AS, &less) == 0;
}

MemoryLimit::~MemoryLimit() {
  if (is_set_) setrlimit(RLIMIT_AS, &former_);
}

}  // namespace assay::validation::transport
