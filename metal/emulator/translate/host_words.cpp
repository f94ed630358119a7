// Refuses words with which a C++ compiler leaves the language of shaders: assembly, variables of the processor's
// threads, and attributes that have a function run when the shader is loaded or put it into another one's place.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "metal/emulator/translate/passes.h"

namespace assay::metal::emulator {

namespace {

constexpr std::array<std::string_view, 3> assembly = {"asm", "__asm", "__asm__"};
constexpr std::array<std::string_view, 9> attributes = {"constructor", "destructor", "ifunc", "alias",        "weakref",
                                                        "section",     "cleanup",    "naked", "init_priority"};

constexpr std::array<std::string_view, 3> of_threads = {"thread_local", "_Thread_local", "__thread"};
constexpr std::array<std::string_view, 4> vendors = {"gnu", "__gnu__", "clang", "_Clang"};

std::string_view without_underscores(std::string_view word) {
  const bool has_underscores = word.size() > 4 && word.starts_with("__") && word.ends_with("__");
  return has_underscores ? word.substr(2, word.size() - 4) : word;
}

/// Whether asm("name") gives a declaration its name in the library, which calls no assembler. A name that the library
/// does not have is refused later: compile/host_code.h.
bool is_label(const Source& source, std::size_t n) {
  return n > 0 && (source[n - 1] == ")" || source.is_identifier(n - 1)) && source[n + 1] == "(";
}

/// Whether the word is in the namespace of a compiler's attributes: gnu::constructor.
bool has_vendor(const Source& source, std::size_t n) {
  return n >= 2 && source[n - 1] == "::" && std::ranges::find(vendors, source[n - 2].text) != vendors.end();
}

}  // namespace

void refuse_host_words(const Source& source, const Declarations& declarations) {
  std::vector<bool> is_in_body(source.size(), false);
  for (const Declaration& declaration : declarations)
    if (declaration.kind == DeclarationKind::function && declaration.body != no_token)
      std::fill(is_in_body.begin() + static_cast<std::ptrdiff_t>(declaration.body),
                is_in_body.begin() + static_cast<std::ptrdiff_t>(std::min(declaration.last, source.size())), true);
  std::size_t attribute_end = 0;
  for (std::size_t n = 0; n < source.size(); ++n) {
    if (!source.is_identifier(n)) continue;
    const bool is_assembly = std::ranges::find(assembly, source[n].text) != assembly.end();
    if (is_assembly && (is_in_body[n] || !is_label(source, n))) source.fail(n, "Metal has no assembly");
    if (std::ranges::find(of_threads, source[n].text) != of_threads.end())
      source.fail(n,
                  fmt::format("Metal has no '{}': every variable of a function is its thread's own", source[n].text));
    const bool is_attribute = source[n] == "__attribute__" || source[n] == "__attribute";
    if (is_attribute && source[n + 1] == "(") attribute_end = std::max(attribute_end, source.match(n + 1));
    if ((n < attribute_end || has_vendor(source, n)) &&
        std::ranges::find(attributes, without_underscores(source[n].text)) != attributes.end())
      source.fail(n, fmt::format("Metal has no attribute '{}'", source[n].text));
  }
}

}  // namespace assay::metal::emulator
