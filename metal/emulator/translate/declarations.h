// The declarations of a shader at program scope, in namespaces and in classes.
#pragma once

#include <string>
#include <vector>

#include "metal/emulator/translate/source.h"

namespace assay::metal::emulator {

inline constexpr std::size_t no_token = static_cast<std::size_t>(-1);

enum class DeclarationKind { function, variable, type, instantiation, other };

struct Declaration {
  DeclarationKind kind = DeclarationKind::other;
  std::string scope;                  ///< its namespaces and classes, for example "::a::b::"
  bool is_member = false;             ///< of a class
  bool is_template = false;           ///< has template <...> or template <>
  std::size_t first = 0, last = 0;    ///< tokens [first, last), including the closing ; or }
  std::size_t specifiers = 0;         ///< the first token after template <...>
  std::size_t name = no_token;        ///< a function's name
  std::size_t parameters = no_token;  ///< a function's (
  std::size_t body = no_token;        ///< a function's or a class's {
};

/// In the order of the text, with the members of classes and namespaces, but without local declarations.
std::vector<Declaration> find_declarations(const Source& source);

/// The token of a type's name: struct NAME, struct alignas(8) NAME : Base, typedef struct { ... } NAME. The { if it has
/// none.
std::size_t type_name(const Source& source, const Declaration& type);

}  // namespace assay::metal::emulator
