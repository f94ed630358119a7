#include "metal/emulator/check/dispatch_info.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

namespace assay::metal::emulator {

namespace {

/// Addresses this low come from a pointer that was null.
constexpr std::uintptr_t null_range = std::uintptr_t{1} << 32;

std::string name_of(const BoundMemory& memory) {
  switch (memory.kind) {
    case BoundMemory::Kind::buffer:
      return fmt::format("buffer({}) `{}`", memory.index, memory.name);
    case BoundMemory::Kind::absent_buffer:
      return fmt::format("buffer({}) `{}`, absent since its function constant is false,", memory.index, memory.name);
    case BoundMemory::Kind::resource:
      return fmt::format("resource `{}`", memory.name);
    case BoundMemory::Kind::texture:
      return fmt::format("texture({}) `{}`", memory.index, memory.name);
    case BoundMemory::Kind::threadgroup_argument:
      return fmt::format("threadgroup({}) `{}`", memory.index, memory.name);
    case BoundMemory::Kind::threadgroup_variable:
      return fmt::format("threadgroup variable `{}`", memory.name);
    case BoundMemory::Kind::output:
      return memory.name;
  }
  return {};
}

/// By how many bytes `address` is out of bounds; 0 inside.
std::uint64_t distance(const BoundMemory& memory, std::uintptr_t address) {
  const auto base = reinterpret_cast<std::uintptr_t>(memory.allocation->begin());
  const std::uintptr_t begin = base + memory.offset, end = base + memory.allocation->length();
  if (address < begin) return begin - address;
  return address < end ? 0 : address - end + 1;
}

/// Coordinates along the axes that the texture has.
std::string coordinates(const abi::Texture& texture, const abi::TexelPlace& place) {
  std::string text = fmt::format("({}", place.x);
  if (texture.height > 1 || texture.depth > 1 || place.y != 0) text += fmt::format(", {}", place.y);
  if (texture.depth > 1 || place.z != 0) text += fmt::format(", {}", place.z);
  text += ')';
  if (texture.layers > 1 || place.layer != 0) text += fmt::format(" of layer {}", place.layer);
  if (place.level != 0) text += fmt::format(" of level {}", place.level);
  return text;
}

std::string size_of(const abi::Texture& texture) {
  std::string text = fmt::format("{}", texture.width);
  if (texture.height > 1 || texture.depth > 1) text += fmt::format(" x {}", texture.height);
  if (texture.depth > 1) text += fmt::format(" x {}", texture.depth);
  return texture.layers > 1 ? fmt::format("{} in {} layers", text, texture.layers) : text;
}

abi::TexelPlace texel_at(const abi::Texture& texture, std::uint64_t offset) {
  const std::uint64_t texel = offset / (std::uint64_t{component_bytes(texture.type)} * texture.channels);
  const std::uint64_t row = texel / texture.width, slice = row / texture.height;
  return {static_cast<std::uint32_t>(texel % texture.width), static_cast<std::uint32_t>(row % texture.height),
          static_cast<std::uint32_t>(slice % texture.depth), static_cast<std::uint32_t>(slice / texture.depth), 0};
}

std::string place_in(const BoundMemory& memory, std::uintptr_t address) {
  const auto begin = reinterpret_cast<std::uintptr_t>(memory.allocation->begin()) + memory.offset;
  const std::uint64_t length = memory.allocation->length() - memory.offset;
  if (address < begin) return fmt::format("{} - {} (before its begin)", name_of(memory), begin - address);
  const std::uint64_t offset = address - begin;
  if (offset < length && memory.kind == BoundMemory::Kind::texture)
    return fmt::format("{} at {}", name_of(memory), coordinates(memory.texture, texel_at(memory.texture, offset)));
  if (offset < length && memory.kind == BoundMemory::Kind::output)
    return fmt::format("{}[{}]", name_of(memory), offset / memory.element_bytes);
  if (offset < length) return fmt::format("{} + {}", name_of(memory), offset);
  return fmt::format("{} + {} (its length is {} bytes)", name_of(memory), offset, length);
}

const char* verb(abi::Access kind) {
  switch (kind) {
    case abi::Access::read:
      return "read";
    case abi::Access::write:
      return "write";
    case abi::Access::atomic_read:
      return "atomic read";
    case abi::Access::atomic_write:
      return "atomic write";
    case abi::Access::atomic_exchange:
      return "atomic exchange";
    case abi::Access::atomic_modify:
      return "atomic read and write";
  }
  return "access";
}

}  // namespace

std::string name_of(const DispatchInfo& dispatch, const void* address) {
  const auto place = reinterpret_cast<std::uintptr_t>(address);
  if (place < null_range) {
    if (dispatch.unbound.empty()) return fmt::format("null + {}", place);
    return fmt::format("null + {}; not bound: {}", place, fmt::join(dispatch.unbound, ", "));
  }
  if (dispatch.memory.empty()) return fmt::format("address {:#x}", place);
  const auto nearest =
      std::ranges::min_element(dispatch.memory, {}, [&](const BoundMemory& memory) { return distance(memory, place); });
  return place_in(*nearest, place);
}

std::string name_of(const DispatchInfo& dispatch, const abi::Texture& texture, const abi::TexelPlace& place) {
  if (!texture.texels)
    return fmt::format("a texture at {}; not bound: {}", coordinates(texture, place),
                       fmt::join(dispatch.unbound, ", "));
  const auto bound = std::ranges::find_if(dispatch.memory, [&](const BoundMemory& memory) {
    return memory.kind == BoundMemory::Kind::texture && memory.texture.texels == texture.texels;
  });
  return fmt::format("{} at {}: its size is {}", bound == dispatch.memory.end() ? "a texture" : name_of(*bound),
                     coordinates(texture, place), size_of(texture));
}

CodePlace place_in(const DispatchInfo& dispatch, const void* pc) {
  CodePlace place = code_place(pc);
  if (place.begin == dispatch.load_address && !dispatch.object.empty()) place.object = dispatch.object;
  return place;
}

std::string in_words(abi::Access kind, std::uint64_t bytes) {
  return fmt::format("{} of {} byte{}", verb(kind), bytes, bytes == 1 ? "" : "s");
}

}  // namespace assay::metal::emulator
