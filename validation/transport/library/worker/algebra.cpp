#include "validation/transport/library/worker/algebra.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "metal/cpu/half.h"

namespace assay::validation::transport {
namespace {

template <class Number>
Number read(const void* address) {
  Number number;
  std::memcpy(&number, address, sizeof number);
  return number;
}

double number_at(const std::byte* address, std::int32_t dtype) {
  if (dtype == ASSAY_FLOAT16) return double{float{metal::Half::from_bits(read<std::uint16_t>(address))}};
  if (dtype == ASSAY_BFLOAT16) return double{float{metal::BFloat16::from_bits(read<std::uint16_t>(address))}};
  return dtype == ASSAY_FLOAT64 ? read<double>(address) : double{read<float>(address)};
}

}  // namespace

bool PluginAlgebra::is_input(const void* address) const {
  const auto* const at = static_cast<const std::byte*>(address);
  return std::ranges::any_of(request_.slots, [&](const Slot& slot) {
    return slot.writable == 0 && at >= memory_ + slot.begin && at < memory_ + slot.end;
  });
}

std::uint32_t PluginAlgebra::load(const void* address, double value) {
  const std::uint32_t entry = Algebra::load(address, value);
  if (value == 0) return entry == replaced ? 0 : entry;  // memory that was cleared
  if (entry != 0 || !std::isfinite(value) || is_input(address)) return entry;
  return replaced;
}

void PluginAlgebra::store(const void* address, std::uint32_t entry, std::uint32_t bytes) {
  Algebra::store(address, entry == 0 ? exact(address, bytes) : entry, bytes);
}

std::uint32_t PluginAlgebra::exact(const void* address, std::uint32_t bytes) {
  if (bytes != sizeof(float) && bytes != sizeof(double)) return replaced;  // of two bytes the type is not known
  const double value = bytes == sizeof(float) ? double{read<float>(address)} : read<double>(address);
  if (!std::isfinite(value)) return 0;
  const auto [found, is_new] = exact_.try_emplace(value, 0);
  if (is_new) found->second = add(reference::Residue::of(value), value);
  return found->second;
}

std::string PluginAlgebra::residues() {
  std::string bytes;
  for (const Slot& slot : request_.slots) {
    if (!has_residues(slot)) continue;
    for (std::uint64_t at = slot.begin; at < slot.end; at += slot.element) {
      reference::Residue residue = residue_at(memory_ + at, number_at(memory_ + at, slot.dtype));
      if (places().at(reinterpret_cast<std::uintptr_t>(memory_ + at)) == 0)
        residue.traits |= reference::Residue::assumed;
      bytes.append(reinterpret_cast<const char*>(&residue), sizeof residue);
    }
  }
  return bytes;
}

}  // namespace assay::validation::transport
