// The names that a shared library of ELF, with 64 bits, leaves for others to define.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::metal::system {

/// A structure of the file at a place; nothing beyond its end.
template <class T>
std::optional<T> at(std::string_view file, std::uint64_t offset) {
  if (offset > file.size() || file.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, file.data() + offset, sizeof value);
  return value;
}

inline std::vector<std::string> undefined_symbols(std::string_view library) {
  std::vector<std::string> names;
  const auto header = at<Elf64_Ehdr>(library, 0);
  for (std::uint64_t n = 0; header && n < header->e_shnum; ++n) {
    const auto section = at<Elf64_Shdr>(library, header->e_shoff + n * sizeof(Elf64_Shdr));
    if (!section || section->sh_type != SHT_DYNSYM) continue;
    const auto texts = at<Elf64_Shdr>(library, header->e_shoff + section->sh_link * sizeof(Elf64_Shdr));
    for (std::uint64_t k = 1; texts && k < section->sh_size / sizeof(Elf64_Sym); ++k) {
      const auto symbol = at<Elf64_Sym>(library, section->sh_offset + k * sizeof(Elf64_Sym));
      if (!symbol || symbol->st_shndx != SHN_UNDEF || symbol->st_name >= texts->sh_size) continue;
      const std::uint64_t name = texts->sh_offset + symbol->st_name;
      if (name < library.size())
        names.emplace_back(library.data() + name, strnlen(library.data() + name, library.size() - name));
    }
  }
  return names;
}

}  // namespace assay::metal::system
