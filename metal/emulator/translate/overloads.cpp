#include "metal/emulator/translate/overloads.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "metal/device/line_marker.h"
#include "metal/emulator/translate/kernels.h"

namespace assay::metal::emulator {

namespace {

std::size_t head_end(const Source& source, const Declaration& declaration) {
  if (declaration.body != no_token) return declaration.body;
  return source[declaration.last - 1] == ";" ? declaration.last - 1 : declaration.last;
}

/// Words of [first, last) without attributes; without address spaces, but with `const` for `constant`, unless `with_spaces`.
std::string words(const Source& source, std::size_t first, std::size_t last, bool with_spaces) {
  if (!with_spaces) return source.join_without_address_spaces(first, last);
  std::string text;
  for (std::size_t n = first; n < last; ++n)
    if (!source.is_attribute(n)) text.append(text.empty() ? "" : " ").append(source[n].text);
  return text;
}

/// The type of a parameter without its name; an array is a pointer.
std::string parameter_type(const Source& source, std::size_t first, std::size_t last, bool with_spaces) {
  last = source.find(first, last, "=");
  std::size_t n = source.type_end(first, last);
  std::string type = words(source, first, n, with_spaces);
  for (bool is_array = false; n < last; ++n) {
    if (source[n] == "(") return type + words(source, n, last, with_spaces);
    if (source[n] == "[") {
      type += is_array ? source.join(n, source.match(n) + 1) : " *";
      is_array = true;
      n = source.match(n);
    } else if (source[n] == "*" || source[n] == "&" || (with_spaces && source.is_address_space(n))) {
      type.append(" ").append(source[n].text);
    }
  }
  return type;
}

/// What tells overloads apart: of a function, its name and the types of its parameters.
std::string signature(const Source& source, const Declaration& declaration, bool with_spaces) {
  const std::size_t end = head_end(source, declaration);
  if (declaration.kind != DeclarationKind::function)
    return declaration.scope + " " + words(source, declaration.first, end, with_spaces);
  std::string text = declaration.scope + " " + source.join(declaration.first, declaration.specifiers) + " " +
                     source.join(declaration.name, declaration.parameters);
  for (const auto& [first, last] : split_parameters(source, declaration.parameters))
    text += ", " + parameter_type(source, first, last, with_spaces);
  return text + ") " + words(source, source.match(declaration.parameters) + 1, end, with_spaces);
}

std::string body_of(const Source& source, const Declaration& declaration) {
  if (declaration.body == no_token) return "";
  return source.join_without_address_spaces(declaration.body, declaration.last);
}

/// Lint's text does not tell methods of `constant` and of `device` apart.
bool has_constant_method(const Source& source, const Declaration& function) {
  for (std::size_t n = source.match(function.parameters); n < head_end(source, function); ++n)
    if (source[n] == "constant" && source.is_method_qualifier(n)) return true;
  return false;
}

bool may_be_overload(const Declaration& declaration) {
  if (declaration.kind == DeclarationKind::function) return true;
  return declaration.kind == DeclarationKind::type && declaration.is_template;
}

}  // namespace

Overloads::Overloads(const Source& source, const std::vector<Declaration>& declarations)
    : source_(source), declarations_(declarations) {
  std::map<std::string, std::vector<std::size_t>> groups;
  for (std::size_t n = 0; n < declarations.size(); ++n)
    if (may_be_overload(declarations[n])) groups[signature(source, declarations[n], false)].push_back(n);
  for (const auto& [key, group] : groups) add(group);
}

void Overloads::add(const std::vector<std::size_t>& group) {
  std::vector<std::string> heads;
  std::set<std::string> bodies;
  for (const std::size_t n : group) {
    const std::string head = signature(source_, declarations_[n], true);
    if (std::ranges::find(heads, head) == heads.end()) heads.push_back(head);
    if (const std::string body = body_of(source_, declarations_[n]); !body.empty()) bodies.insert(body);
  }
  if (heads.size() == 1) return;
  for (const std::size_t n : group) {
    const Declaration& one = declarations_[n];
    const auto number = static_cast<unsigned>(std::ranges::find(heads, signature(source_, one, true)) - heads.begin());
    if (bodies.size() <= 1) {
      if (number > 0) merged_.push_back(n);
      continue;
    }
    const bool has_name = one.kind == DeclarationKind::function && source_.is_identifier(one.name) &&
                          source_[one.name - 1] != "operator" && source_[one.name - 1] != "~" &&
                          one.name != one.specifiers && !has_constant_method(source_, one);
    if (!has_name)
      source_.fail(declarations_[group.back()].first,
                   "this differs from an earlier declaration in address spaces only and does not do the same, which is "
                   "supported for functions and methods with names alone");
    numbers_[n] = number;
    names_.insert(source_[one.name].text);
    for (std::size_t token = source_.match(one.parameters); token < head_end(source_, one); ++token)
      if (source_.is_address_space(token)) qualifiers_.insert(token);
  }
}

void Overloads::fail() const {
  source_.fail(declarations_[numbers_.begin()->first].first,
               "another declaration differs from this one in address spaces only and does not do the same");
}

void Overloads::merge(Edits& edits) const {
  for (const std::size_t n : merged_) edits.erase(declarations_[n].first, declarations_[n].last);
}

bool Overloads::is_call(std::size_t token) const {
  return source_.is_identifier(token) && names_.contains(source_[token].text);
}

void Overloads::rename(const OverloadChoices& choices, Edits& edits) const {
  const auto name = [&](std::size_t token, unsigned number) {
    if (number > 0) edits.replace(token, token + 1, fmt::format("{}_assay_overload_{}", source_[token].text, number));
  };
  for (const auto& [declaration, number] : numbers_) name(declarations_[declaration].name, number);
  for (const Declaration& caller : declarations_) {
    if (caller.kind != DeclarationKind::function || caller.body == no_token) continue;
    for (std::size_t n = caller.body; n < caller.last; ++n) {
      if (!is_call(n)) continue;
      const auto choice = choices.calls.find(n);
      if (choice == choices.calls.end())
        expect_no_error(choices, caller, n);
      else if (choice->second.size() > 1)
        fail_at(n, "is called in several address spaces here, by instances of one template");
      else
        name(n, *choice->second.begin());
    }
  }
}

/// A call without a choice means no overload of the shader's, or is in a template that nothing instantiates; or clang has
/// not understood it.
void Overloads::expect_no_error(const OverloadChoices& choices, const Declaration& caller, std::size_t call) const {
  const TextPlace &first = source_[caller.first].place, &last = source_[caller.last - 1].place;
  for (const auto& [file, line] : choices.errors) {
    const bool is_at_call = file == overload_file && line > caller.first && line <= caller.last;
    const bool is_inside = file == unescaped_file(first.file) && line >= first.line && line <= last.line;
    if (is_at_call || is_inside)
      fail_at(call,
              "may be one of several functions here, which differ in more than address spaces, and its argument's "
              "address space is not known");
  }
}

void Overloads::fail_at(std::size_t token, std::string_view what) const {
  source_.fail(token, fmt::format("'{}' {}, which is not supported", source_[token].text, what));
}

void Overloads::mark(Edits& edits) const {
  std::set<std::size_t> declared;
  for (const Declaration& one : declarations_) {
    if (one.kind != DeclarationKind::function || !names_.contains(source_[one.name].text)) continue;
    declared.insert(one.name);
    const auto number = numbers_.find(static_cast<std::size_t>(&one - declarations_.data()));
    edits.insert(one.specifiers, fmt::format("__attribute__((diagnose_if(true, \"{} {}\", \"warning\"))) ",
                                             overload_message, number == numbers_.end() ? 0 : number->second));
  }
  for (std::size_t n = 0; n < source_.size(); ++n)
    if (is_call(n) && !declared.contains(n) && !source_.is_attribute(n))
      edits.replace(n, n + 1, fmt::format("\n# {} \"{}\"\n{}", n + 1, overload_file, source_[n].text));
}

}  // namespace assay::metal::emulator
