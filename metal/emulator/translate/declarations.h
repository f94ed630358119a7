// What a shader declares at program scope, in its namespaces and in its classes.
#pragma once

#include <string>
#include <vector>

#include "metal/emulator/translate/source.h"

namespace assay::metal::emulator {

inline constexpr std::size_t no_token = static_cast<std::size_t>(-1);

enum class DeclarationKind { function, variable, type, instantiation, other };

struct Declaration {
  DeclarationKind kind = DeclarationKind::other;
  std::string scope;                  ///< "::a::b::", of namespaces and classes
  bool is_member = false;             ///< of a class
  bool is_template = false;           ///< template <...>, also template <>
  std::size_t first = 0, last = 0;    ///< tokens [first, last), with the closing ; or }
  std::size_t specifiers = 0;         ///< after template <...>
  std::size_t name = no_token;        ///< of a function
  std::size_t parameters = no_token;  ///< ( of a function
  std::size_t body = no_token;        ///< { of a function or a class
};

/// In the order of the text. Classes and namespaces are walked into, function bodies are not.
std::vector<Declaration> find_declarations(const Source& source);

}  // namespace assay::metal::emulator
