// Takes from a shader what no kernel uses and the emulator does not run: render functions, kernels that are not wanted,
// and the functions and types that only these use.
#include <algorithm>
#include <array>

#include "metal/emulator/translate/passes.h"
#include "metal/emulator/translate/reachable.h"

namespace assay::metal::emulator {

namespace {

constexpr std::array<std::string_view, 2> render_words = {"vertex", "fragment"};
constexpr std::array<std::string_view, 5> render_attributes = {"vertex", "fragment", "mesh", "object", "intersection"};

/// Functions that only fragments can call, and types of ray tracing and tiles, which the emulator lacks.
constexpr std::array<std::string_view, 12> of_render_functions = {"dfdx",
                                                                  "dfdy",
                                                                  "fwidth",
                                                                  "discard_fragment",
                                                                  "imageblock",
                                                                  "intersector",
                                                                  "intersection_query",
                                                                  "intersection_params",
                                                                  "intersection_function_table",
                                                                  "acceleration_structure",
                                                                  "primitive_acceleration_structure",
                                                                  "instance_acceleration_structure"};

template <class Words>
bool is_in(const Words& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

class Unused {
 public:
  Unused(const Source& source, const Declarations& declarations, const KernelNames& wanted)
      : source_(source), declarations_(declarations), wanted_(wanted), reachable_(source, declarations) {}

  void erase(Edits& edits) const {
    std::vector<std::size_t> unused, used;
    for (std::size_t n = 0; n < declarations_.size(); ++n)
      if (!declarations_[n].is_member && begins_unused(declarations_[n])) unused.push_back(n);
    if (unused.empty()) return;
    const auto candidates = reachable_.from(unused).declarations;
    for (std::size_t n = 0; n < declarations_.size(); ++n)
      if (!declarations_[n].is_member && !(candidates.contains(n) && may_go(declarations_[n]))) used.push_back(n);
    const auto kept = reachable_.from(used).declarations;
    for (const std::size_t n : candidates)
      if (!kept.contains(n)) edits.erase(declarations_[n].first, declarations_[n].last);
  }

 private:
  bool begins_unused(const Declaration& declaration) const {
    if (declaration.kind == DeclarationKind::instantiation)
      return is_render_function(declaration) || is_unwanted(declaration);
    if (declaration.kind != DeclarationKind::function) return false;
    return is_render_function(declaration) || is_unwanted(declaration) || uses_render_functions(declaration);
  }

  bool is_render_function(const Declaration& declaration) const {
    const std::size_t end = declaration.kind == DeclarationKind::function ? declaration.parameters : declaration.last;
    for (std::size_t n = declaration.first; n + 2 < end; ++n)
      if (is_in(render_words, source_[n].text) && !source_.is_attribute(n) && source_.is_identifier(n + 1)) return true;
    return std::ranges::any_of(source_.attributes(declaration.first, end),
                               [](const Attribute& attribute) { return is_in(render_attributes, attribute.name); });
  }

  /// A kernel's template is unwanted unless an instance is wanted, which then uses it.
  bool is_unwanted(const Declaration& declaration) const {
    const bool is_template = declaration.kind == DeclarationKind::function && declaration.is_template;
    if (wanted_.empty() || !declares_kernel(source_, declaration)) return false;
    return is_template || !wanted_.contains(kernel_name(source_, declaration));
  }

  bool uses_render_functions(const Declaration& declaration) const {
    if (declares_kernel(source_, declaration)) return false;
    for (std::size_t n = declaration.first; n < declaration.last; ++n)
      if (is_in(of_render_functions, source_[n].text) && !reachable_.declares(source_[n].text)) return true;
    return false;
  }

  /// Operators are not called by their names, and enumerators not by that of their type.
  bool may_go(const Declaration& declaration) const {
    if (declaration.kind == DeclarationKind::instantiation) return begins_unused(declaration);
    for (std::size_t n = declaration.first; n < declaration.last; ++n)
      if (source_[n] == "enum" || source_[n] == "operator") {
        const bool is_in_body = declaration.body != no_token && n > declaration.body;
        if (!is_in_body) return false;
      }
    return declaration.kind == DeclarationKind::function || declaration.kind == DeclarationKind::type;
  }

  const Source& source_;
  const Declarations& declarations_;
  const KernelNames& wanted_;
  Reachable reachable_;
};

}  // namespace

std::string without_unused(std::string_view text, const KernelNames& wanted) {
  const Source source(text);
  const Declarations declarations = find_declarations(source);
  Edits edits(source.text(), source.tokens());
  Unused(source, declarations, wanted).erase(edits);
  return edits.apply();
}

}  // namespace assay::metal::emulator
