// The residues of what a plug-in computes (metal/emulator/numerics/algebra.h), which works in memory that others write too.
//
// The numbers of inputs are themselves, and so are those that followed code has stored. A number that stands elsewhere
// without an entry was made by code that is not followed, a vector or a library: it is assumed, and nothing that is made
// of it is called wrong.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>

#include "metal/emulator/numerics/algebra.h"
#include "validation/transport/library/protocol.h"

namespace assay::validation::transport {

class PluginAlgebra final : public metal::emulator::Algebra {
 public:
  /// The algebra of a call whose arrays are at `memory`.
  PluginAlgebra(const Request& request, const std::byte* memory) : request_(request), memory_(memory) {}

  std::uint32_t load(const void* address, double value) override;
  void store(const void* address, std::uint32_t entry, std::uint32_t bytes) override;

  /// The residues of all elements of the outputs, one output after the other (has_residues of protocol.h), as their bytes.
  std::string residues();

 private:
  bool is_input(const void* address) const;
  /// The entry of a number that is itself, of which `bytes` stand at the address.
  std::uint32_t exact(const void* address, std::uint32_t bytes);

  const Request& request_;
  const std::byte* memory_;
  std::unordered_map<double, std::uint32_t> exact_;
};

}  // namespace assay::validation::transport
