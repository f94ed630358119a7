// Structs of buffers, textures and samplers that a kernel takes by value: Metal Shading Language Specification, section
// 5.2.1. Each member is an argument.
#include <algorithm>

#include "metal/emulator/translate/kernels.h"

namespace assay::metal::emulator {

namespace {

/// Whether a member can be an argument of a kernel: it is memory, a texture, a sampler, or has an attribute.
bool is_resource(const Source& source, const Declaration& member) {
  if (!source.attributes(member.first, member.last).empty()) return true;
  const std::size_t end = source.type_end(member.specifiers, member.last);
  if (source[end] == "*" || source[end] == "&") return true;
  for (std::size_t n = member.specifiers; n < end; ++n)
    if (source[n] == "sampler" || std::ranges::find(texture_types, source[n].text) != texture_types.end()) return true;
  return false;
}

/// The last name of a type without its template's arguments: B in a::B<float>.
std::string_view plain_name(const Source& source, std::size_t first, std::size_t last) {
  std::string_view name;
  for (std::size_t n = first; n < last && source[n] != "<"; ++n)
    if (source.is_identifier(n)) name = source[n].text;
  return name;
}

}  // namespace

bool is_member_of(const Source& source, const Declaration& member, const Declaration& type) {
  const bool is_inside = member.first > type.body && member.last <= source.match(type.body);
  return member.kind == DeclarationKind::variable && member.is_member && is_inside &&
         !(source[member.specifiers] == "static");
}

const Declaration* struct_of_resources(const Source& source, const std::vector<Declaration>& declarations,
                                       std::size_t first, std::size_t last) {
  const std::size_t end = source.type_end(first, last);
  if (source.find(end, last, "*&") != last || !source.attributes(first, last).empty()) return nullptr;
  const std::string_view name = plain_name(source, first, end);
  for (const Declaration& type : declarations) {
    if (type.kind != DeclarationKind::type || type.body == no_token || source[type_name(source, type)] != name)
      continue;
    std::size_t count = 0;
    const bool are_all = std::ranges::all_of(declarations, [&](const Declaration& member) {
      return !is_member_of(source, member, type) || (++count > 0 && is_resource(source, member));
    });
    if (count > 0 && are_all) return &type;
  }
  return nullptr;
}

}  // namespace assay::metal::emulator
