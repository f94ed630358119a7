#include "metal/emulator/translate/passes.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace assay::metal::emulator {

namespace {

class Constants {
 public:
  Constants(const Source& source, Edits& edits) : source_(source), edits_(edits) {}

  void look_at(const Declaration& declaration) {
    const auto attributes = source_.attributes(declaration.first, declaration.last);
    const auto given = std::ranges::find(attributes, "function_constant", &Attribute::name);
    if (given != attributes.end()) return function_constant(declaration, *given);
    const std::size_t assignment = source_.find(declaration.first, declaration.last, "={");
    if (assignment != declaration.last && depends(assignment, declaration.last)) computed(declaration, assignment);
  }

  std::vector<ProgramConstant> found() && { return std::move(found_); }

 private:
  bool depends(std::size_t first, std::size_t last) const {
    for (std::size_t n = first; n < last; ++n)
      if (source_.is_identifier(n) &&
          std::ranges::find(found_, source_[n].text, &ProgramConstant::name) != found_.end())
        return true;
    return false;
  }

  void function_constant(const Declaration& declaration, const Attribute& attribute) {
    if (attribute.first == attribute.last) source_.fail(declaration.first, "function_constant needs an index");
    ProgramConstant constant = read(declaration, declaration.last - 1);
    constant.index = source_.join(attribute);
    constant.is_optional = is_asked_for(constant.name);
    edits_.replace(declaration.first, declaration.last,
                   storage(constant) + fmt::format("static bool assay_is_set_{0}; static constexpr unsigned "
                                                   "assay_index_{0} = ({1});",
                                                   constant.name, constant.index));
    found_.push_back(constant);
  }

  void computed(const Declaration& declaration, std::size_t assignment) {
    if (declaration.is_template) source_.fail(declaration.first, "a template cannot depend on function constants");
    ProgramConstant constant = read(declaration, assignment);
    constant.is_computed = true;
    const bool is_list = source_[assignment] == "{" || source_[assignment + 1] == "{";
    const std::size_t value = source_[assignment] == "{" ? assignment : assignment + 1;
    edits_.replace(declaration.first, value,
                   storage(constant) + fmt::format("static void assay_compute_{0}() {{ assay_storage_{0} = {1}",
                                                   constant.name, is_list ? constant.type : ""));
    edits_.insert(declaration.last, "} ");
    found_.push_back(constant);
  }

  /// The name and the type of a variable whose declarator ends before `last`.
  ProgramConstant read(const Declaration& declaration, std::size_t last) const {
    std::size_t name = source_.type_end(declaration.specifiers, last);
    while (source_.is_attribute(name)) ++name;
    std::size_t after = name + 1;
    while (after < last && source_.is_attribute(after)) ++after;
    const bool is_simple = name < last && source_.is_identifier(name) && after == last;
    if (!is_simple) source_.fail(declaration.first, "expected one scalar or vector that depends on function constants");
    ProgramConstant constant;
    constant.scope = declaration.scope;
    constant.name = source_[name].text;
    constant.type = type_text(declaration.specifiers, name);
    return constant;
  }

  /// Whether is_function_constant_defined(name) is anywhere.
  bool is_asked_for(std::string_view name) const {
    for (std::size_t n = 0; n + 2 < source_.size(); ++n)
      if (source_[n] == "is_function_constant_defined" && source_[n + 1] == "(" &&
          source_[source_.match(n + 1) - 1] == name)
        return true;
    return false;
  }

  std::string type_text(std::size_t first, std::size_t last) const {
    std::string text;
    for (std::size_t n = first; n < last; ++n) {
      const Token& token = source_[n];
      const bool is_dropped = source_.is_attribute(n) || token == "constant" || token == "const" || token == "static" ||
                              token == "constexpr" || token == "inline";
      if (!is_dropped) text.append(text.empty() ? "" : " ").append(token.text);
    }
    return text;
  }

  static std::string storage(const ProgramConstant& constant) {
    return fmt::format("static {0} assay_storage_{1}; static const {0}& {1} = assay_storage_{1}; ", constant.type,
                       constant.name);
  }

  const Source& source_;
  Edits& edits_;
  std::vector<ProgramConstant> found_;
};

}  // namespace

std::vector<ProgramConstant> translate_constants(const Source& source, const std::vector<Declaration>& declarations,
                                                 Edits& edits) {
  Constants constants(source, edits);
  for (const Declaration& declaration : declarations)
    if (declaration.kind == DeclarationKind::variable && !declaration.is_member) constants.look_at(declaration);
  return std::move(constants).found();
}

}  // namespace assay::metal::emulator
