#include "validation/shader/residues.h"

#include <fmt/format.h>

#include <cstring>

#include "metal/emulator/numerics/algebra.h"
#include "validation/shader/scalar.h"

namespace assay::validation {
namespace {

using reference::Residue;

constexpr std::int64_t words = sizeof(Residue) / sizeof(std::uint64_t);

ShaderArray file_of(std::uint64_t elements) {
  return {"ulong", {static_cast<std::int64_t>(elements), words}, std::vector<std::byte>(elements * sizeof(Residue))};
}

/// Calls visit(name, type, buffer, elements) for each array of floating-point numbers.
template <class Visit>
void for_each_floating(const std::map<std::string, ShaderArray>& arrays, const ShaderBuffers& buffers,
                       const Visit& visit) {
  for (const auto& [name, array] : arrays) {
    const auto buffer = buffers.find(name);
    if (buffer == buffers.end() || !is_floating(array.scalar)) continue;
    const MetalScalar& type = *find_scalar(array.scalar);
    visit(name, type, *buffer->second, array.length() / type.bytes);
  }
}

}  // namespace

void read_residues(const ShaderScript& script, const std::map<std::string, ShaderArray>& arrays,
                   const ShaderBuffers& buffers, metal::emulator::Algebra& algebra) {
  for_each_floating(
      arrays, buffers,
      [&](const std::string& name, const MetalScalar& type, metal::Buffer& buffer, std::uint64_t elements) {
        const auto path = script.residues / (name + ".npy");
        if (!std::filesystem::exists(path)) return;
        const ShaderArray file = read_npy(file_of(elements), path);
        for (std::uint64_t i = 0; i < elements; ++i) {
          Residue residue;
          std::memcpy(&residue, file.bytes->data() + i * sizeof(residue), sizeof(residue));
          const std::byte* const at = buffer.contents() + i * type.bytes;
          algebra.give(at, type.load(at), residue, static_cast<std::uint32_t>(type.bytes));
        }
      });
}

void write_residues(const ShaderScript& script, const std::map<std::string, ShaderArray>& arrays,
                    const ShaderBuffers& buffers, metal::emulator::Algebra& algebra) {
  for_each_floating(
      arrays, buffers,
      [&](const std::string& name, const MetalScalar& type, metal::Buffer& buffer, std::uint64_t elements) {
        ShaderArray file = file_of(elements);
        for (std::uint64_t i = 0; i < elements; ++i) {
          const std::byte* const at = buffer.contents() + i * type.bytes;
          const Residue residue = algebra.residue_at(at, type.load(at));
          std::memcpy(file.bytes->data() + i * sizeof(residue), &residue, sizeof(residue));
        }
        write_npy(file, script.residues / ("out-" + name + ".npy"));
      });
}

}  // namespace assay::validation
