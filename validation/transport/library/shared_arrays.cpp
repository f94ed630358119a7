#include "validation/transport/library/shared_arrays.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <system_error>

#include "validation/core/random.h"

namespace assay::validation::transport {
namespace {

/// A float32 NaN, so that a read past an array spoils the results.
constexpr std::array<unsigned char, 4> sentinel = {0xD5, 0xEA, 0xFD, 0x7F};

std::byte sentinel_at(std::size_t offset) {
  return std::byte{sentinel[offset % sentinel.size()]};
}

void fill(std::byte* memory, std::size_t begin, std::size_t end) {
  for (std::size_t at = begin; at < end; ++at) memory[at] = sentinel_at(at);
}

/// The offset of the changed byte that is nearest to the array, or `end`.
std::size_t last_changed(const std::byte* memory, std::size_t begin, std::size_t end) {
  for (std::size_t at = end; at > begin; --at)
    if (memory[at - 1] != sentinel_at(at - 1)) return at - 1;
  return end;
}

std::size_t first_changed(const std::byte* memory, std::size_t begin, std::size_t end) {
  while (begin < end && memory[begin] == sentinel_at(begin)) ++begin;
  return begin;
}

std::string access_text(const char* verb, const Array& array, const Slot& slot, std::size_t offset) {
  const std::size_t count = array.bytes / array.element;
  if (offset < slot.begin) {
    const std::size_t below = (slot.begin - offset + array.element - 1) / array.element;
    return fmt::format("{} {}[-{}], before its beginning", verb, array.name, below);
  }
  const std::size_t index = (offset - slot.begin) / array.element;
  if (index < count) return fmt::format("changed its input {}[{}]", array.name, index);
  return fmt::format("{} {}[{}], past its {} elements", verb, array.name, index, count);
}

/// By how many bytes an array of `bytes` bytes is moved down from the end of its last page. Where it would begin at a
/// multiple of 16, as any array of a multiple of 16 bytes does, half of the sizes are moved by less than that: kernels
/// must not count on aligned arrays. Half of the others, but for small ones, are moved to a multiple of 16: memory of an
/// allocator begins at one, whatever its size. `unit` is the alignment that the array has.
std::size_t moved_down(std::size_t bytes, std::size_t unit) {
  constexpr std::size_t vector = 16, small = 64;
  Random random(bytes);
  if (unit >= vector || random.chance(0.5)) return 0;
  if (bytes % vector != 0) return bytes > small ? vector - bytes % vector : 0;
  return unit * static_cast<std::size_t>(random.integer(1, static_cast<std::int64_t>(vector / unit) - 1));
}

/// The sizes of an array's axes, then their strides.
std::array<std::int64_t, 16> shape_of(const Array& array) {
  std::array<std::int64_t, 16> shape{};
  const std::size_t axes = array.shape.size();
  std::int64_t stride = 1;
  for (std::size_t axis = axes; axis-- > 0; stride *= array.shape[axis]) {
    shape.at(axis) = array.shape[axis];
    shape.at(axes + axis) = array.strides.empty() ? stride : array.strides[axis];
  }
  return shape;
}

/// Calls use(place in the shared memory, place in the array, bytes) for each part of the array that the slot has.
template <class Use>
void for_each_part(const Slot& slot, const Use& use) {
  if (slot.far.bytes == 0) return use(slot.begin, std::size_t{0}, slot.end - slot.begin);
  const FarParts& own = slot.far.own;
  for (std::size_t i = 0; i < own.count; ++i) use(slot.begin + i * own.size, own.begin(i), own.size);
}

std::size_t distance(const Slot& slot, std::size_t offset) {
  if (offset < slot.begin) return slot.begin - offset;
  return offset < slot.end ? 0 : offset - slot.end + 1;
}

const char* verb_of(const Answer& fault) {
  constexpr std::array verbs = {"read", "wrote", "touched"};
  return verbs[std::min<std::size_t>(fault.is_write, 2)];
}

}  // namespace

SharedArrays::~SharedArrays() {
  if (memory_ != nullptr) munmap(memory_, size_);
}

void SharedArrays::resize(std::size_t size) {
  if (size == size_) return;
  if (memory_ != nullptr) munmap(memory_, size_);
  memory_ = nullptr;
  size_ = 0;
  const auto fail = [size] {
    throw std::system_error(errno, std::generic_category(), fmt::format("{} bytes to share with a plug-in", size));
  };
  if (ftruncate(file(), static_cast<off_t>(size)) != 0) fail();
  void* const mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file(), 0);
  if (mapped == MAP_FAILED) fail();
  memory_ = static_cast<std::byte*>(mapped);
  size_ = size;
}

void SharedArrays::lay_out(std::size_t alignment, Request& request) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::size_t at = guard_pages * page;
  slots_.clear();
  for (const Array& array : arrays_) {
    Slot slot{.first = array.first,
              .element = static_cast<std::uint32_t>(array.element),
              .writable = array.is_output ? 1U : 0U,
              .far = array.far,
              .dtype = array.dtype,
              .dimensions = static_cast<std::int32_t>(array.shape.size()),
              .shape = shape_of(array),
              .is_option = array.is_option ? 1U : 0U,
              .option = array.option};
    const std::size_t bytes = array.far.bytes > 0 ? array.far.own.size * array.far.own.count : array.bytes;
    if (bytes > 0) {
      const std::size_t moved = array.far.bytes > 0 ? 0 : moved_down(bytes, std::max(alignment, array.element));
      slot.first_page = at;
      slot.last_page = at + (bytes + moved + page - 1) / page * page;
      slot.begin = (slot.last_page - bytes - moved) / alignment * alignment;
      slot.end = slot.begin + bytes;
      at = slot.last_page + guard_pages * page;
    }
    std::strncpy(slot.name.data(), array.name, slot.name.size() - 1);
    request.slots.at(slots_.size()) = slot;
    slots_.push_back(slot);
  }
  request.arrays = static_cast<std::uint32_t>(slots_.size());
  request.memory = at;
}

void SharedArrays::put(std::span<const Array> arrays, std::size_t alignment, Request& request) {
  arrays_.assign(arrays.begin(), arrays.end());
  lay_out(std::max<std::size_t>(alignment, 1), request);
  resize(request.memory);
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    if (slot.begin == slot.end) continue;
    fill(memory_, slot.first_page, slot.begin);
    for_each_part(slot, [&](std::size_t here, std::size_t there, std::size_t bytes) {
      std::memcpy(memory_ + here, arrays_[i].input + there, bytes);
    });
    fill(memory_, slot.end, slot.last_page);
  }
}

std::string SharedArrays::out_of_bounds_write() const {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    if (slot.writable == 0) continue;
    const std::size_t before = last_changed(memory_, slot.first_page, slot.begin);
    if (before < slot.begin) return access_text("wrote", arrays_[i], slot, before);
    const std::size_t behind = first_changed(memory_, slot.end, slot.last_page);
    if (behind < slot.last_page) return access_text("wrote", arrays_[i], slot, behind);
  }
  return "";
}

std::string SharedArrays::changed_input() const {
  std::string found;
  for (std::size_t i = 0; i < slots_.size(); ++i)
    if (slots_[i].writable == 0 && slots_[i].begin < slots_[i].end)
      for_each_part(slots_[i], [&](std::size_t here, std::size_t there, std::size_t bytes) {
        const std::byte *const now = memory_ + here, *const given = arrays_[i].input + there;
        if (!found.empty() || std::memcmp(now, given, bytes) == 0) return;
        const auto* const changed = std::mismatch(now, now + bytes, given).first;
        found = access_text("wrote", arrays_[i], slots_[i], static_cast<std::size_t>(changed - memory_));
      });
  return found;
}

std::string SharedArrays::describe(const Answer& fault) const {
  const Slot* nearest = nullptr;
  for (const Slot& slot : slots_) {
    if (slot.begin == slot.end) continue;
    if (nearest == nullptr || distance(slot, fault.address) < distance(*nearest, fault.address)) nearest = &slot;
  }
  if (fault.in_memory != 0 && nearest != nullptr) {
    const Array& array = arrays_[static_cast<std::size_t>(nearest - slots_.data())];
    return access_text(verb_of(fault), array, *nearest, fault.address);
  }
  const char* const name = fault.signal == SIGBUS ? "SIGBUS" : "SIGSEGV";
  if (fault.has_address == 0)
    return fmt::format(
        "read or wrote past all addresses that the processor has, and it does not tell where ({}): far past an array, "
        "or by a pointer without a value",
        name);
  constexpr std::uint64_t first_page = 4096;
  if (fault.address >= first_page) return fmt::format("{} address {:#x} ({})", verb_of(fault), fault.address, name);
  return fmt::format(
      "{} address {:#x}: a null pointer, or none at all ({}); arrays of no elements are NULL, and so "
      "are outputs that are not wanted",
      verb_of(fault), fault.address, name);
}

void SharedArrays::get() const {
  for (std::size_t i = 0; i < slots_.size(); ++i)
    if (slots_[i].writable != 0 && arrays_[i].bytes > 0)
      for_each_part(slots_[i], [&](std::size_t here, std::size_t there, std::size_t bytes) {
        std::memcpy(arrays_[i].output + there, memory_ + here, bytes);
      });
}

}  // namespace assay::validation::transport
