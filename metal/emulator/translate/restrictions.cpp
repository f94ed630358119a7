// What C++ has and Metal does not: variables that last longer than a thread, for every shader that is compiled, and the
// rest for lint. Metal Shading Language Specification, sections 1.5.4, 4 and 5.2.3.6.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "metal/emulator/translate/passes.h"

namespace assay::metal::emulator {

namespace {

constexpr std::array<std::string_view, 9> forbidden = {"virtual", "goto",         "new",    "throw",   "try",
                                                       "catch",   "dynamic_cast", "typeid", "register"};
constexpr std::array<std::string_view, 8> not_a_position = {"float", "half", "bfloat", "bool",
                                                            "int",   "long", "short",  "char"};

class Restrictions {
 public:
  Restrictions(const Source& source, const Declarations& declarations) : source_(source), declarations_(declarations) {}

  std::vector<std::string> run() {
    words();
    lasting_variables();
    for (const Declaration& declaration : declarations_)
      if (has_body(declaration) && is_kernel(declaration)) positions(declaration);
    recursions();
    calls_of_kernels();
    return std::move(found_);
  }

  /// What may be meant, but is known to end Apple's compiler.
  std::vector<std::string> run_warnings() {
    barrier_flags();
    return std::move(found_);
  }

  std::vector<std::string> run_lasting_variables() {
    lasting_variables();
    return std::move(found_);
  }

 private:
  void add(std::size_t token, const std::string& what, std::string_view kind = "error") {
    found_.push_back(fmt::format("{}: {}: {}\n", to_string(source_[token].place), kind, what));
  }

  static bool has_body(const Declaration& declaration) {
    return declaration.kind == DeclarationKind::function && declaration.body != no_token;
  }

  void lasting_variables() {
    for (const Declaration& declaration : declarations_) {
      if (declaration.kind == DeclarationKind::variable && !declaration.is_member) program_variable(declaration);
      if (has_body(declaration)) static_variables(declaration);
    }
  }

  void words() {
    for (std::size_t n = 0; n < source_.size(); ++n) {
      const Token& token = source_[n];
      if (!source_.is_identifier(n) || source_.is_attribute(n)) continue;
      const bool is_deleted = n > 0 && source_[n - 1] == "=";
      if (std::ranges::find(forbidden, token.text) != forbidden.end() || (token == "delete" && !is_deleted))
        add(n, fmt::format("'{}' is not supported in Metal", token.text));
    }
  }

  bool has(std::size_t first, std::size_t last, std::initializer_list<std::string_view> words) const {
    for (std::size_t n = first; n < last; ++n)
      if (std::ranges::find(words, source_[n].text) != words.end()) return true;
    return false;
  }

  void program_variable(const Declaration& declaration) {
    if (is_program_position(source_, declaration)) return;
    const std::size_t name = source_.type_end(declaration.specifiers, declaration.last);
    const bool is_variable =
        name > declaration.specifiers && name + 1 < declaration.last && source_.is_identifier(name) &&
        !has(
            declaration.first, name,
            {"constant", "constexpr", "const", "typedef", "extern", "struct", "class", "union", "enum", "threadgroup"});
    if (is_variable)
      add(name,
          fmt::format("variable '{}' at program scope has to be in the constant address space", source_[name].text));
  }

  void static_variables(const Declaration& declaration) {
    for (std::size_t n = declaration.body; n < declaration.last; ++n) {
      if (!(source_[n] == "static") || source_.is_attribute(n)) continue;
      const std::size_t end = source_.find(n, declaration.last, ";=({");
      if (source_[end] == "(" || has(n, end, {"constant", "constexpr", "const", "threadgroup"})) continue;
      add(n, "a local variable cannot be static in Metal, unless it is constant");
    }
  }

  bool is_kernel(const Declaration& declaration) const {
    return has(declaration.first, declaration.parameters, {"kernel"}) && !declaration.is_member;
  }

  void positions(const Declaration& declaration) {
    const auto places = split_parameters(source_, declaration.parameters);
    const auto parameters = kernel_parameters(source_, declarations_, declaration.parameters);
    for (std::size_t n = 0; n < parameters.size(); ++n) {
      std::string_view scalar = parameters[n].element_type;
      if (!scalar.empty() && scalar.back() >= '2' && scalar.back() <= '4') scalar.remove_suffix(1);
      const bool is_wrong = std::ranges::find(not_a_position, scalar) != not_a_position.end();
      if (parameters[n].kind == abi::ArgumentKind::position && is_wrong)
        add(places[parameters[n].number].first,
            fmt::format("parameter '{}' is {}: [[{}]] has to be ushort, uint, or a vector of these", parameters[n].name,
                        parameters[n].element_type, parameters[n].attribute));
    }
  }

  /// Whether a function is called by its name alone: a method, or a member of a class, may have the name of another.
  bool is_call(std::size_t n) const {
    const Token& before = source_[n - 1];
    return source_.is_identifier(n) && source_[n + 1] == "(" && before != "." && before != "->" && before != "::";
  }

  void calls_of_kernels() {
    std::set<std::string_view> kernels;
    for (const Declaration& declaration : declarations_)
      if (has_body(declaration) && is_kernel(declaration)) kernels.insert(source_[declaration.name].text);
    for (const Declaration& declaration : declarations_) {
      if (!has_body(declaration)) continue;
      for (std::size_t n = declaration.body; n < declaration.last; ++n)
        if (is_call(n) && kernels.contains(source_[n].text) && !source_.is_identifier(n - 1))
          add(n, fmt::format("'{}' is a kernel, which no function can call", source_[n].text));
    }
  }

  /// Flags of a barrier that are a variable: Apple's compiler ends without a message (pytorch 195937).
  void barrier_flags() {
    for (const Declaration& declaration : declarations_) {
      if (!has_body(declaration)) continue;
      for (std::size_t n = declaration.body; n < declaration.last; ++n) {
        const bool is_barrier = source_[n] == "threadgroup_barrier" || source_[n] == "simdgroup_barrier";
        if (!is_barrier || !(source_[n + 1] == "(")) continue;
        for (std::size_t flag = n + 2; flag < source_.match(n + 1); ++flag)
          if (source_.is_identifier(flag) && is_variable_of(declaration, flag))
            add(flag,
                fmt::format("the flags of this barrier depend on the variable '{}': expected a constant, without "
                            "which Apple's compiler may end",
                            source_[flag].text),
                "warning");
      }
    }
  }

  /// Whether the word is a parameter of the function or declared in it, and not constant.
  bool is_variable_of(const Declaration& declaration, std::size_t word) const {
    for (std::size_t n = declaration.parameters + 1; n < word; ++n) {
      const bool is_declared = source_[n] == source_[word].text && source_.is_identifier(n - 1) &&
                               source_[n - 1] != "return" && source_[n - 1] != "case";
      if (!is_declared) continue;
      for (std::size_t end = n; end > declaration.parameters && source_.is_identifier(end - 1); --end)
        if (source_[end - 1] == "const" || source_[end - 1] == "constexpr") return false;
      return true;
    }
    return false;
  }

  /// Functions that call themselves, by others too. Overloads and templates, which one name does not tell apart, and
  /// members are left out.
  void recursions() {
    std::map<std::string_view, std::optional<std::size_t>> unique;
    for (std::size_t n = 0; n < declarations_.size(); ++n) {
      const Declaration& declaration = declarations_[n];
      if (!has_body(declaration)) continue;
      const bool is_plain = !declaration.is_template && !declaration.is_member;
      const auto [entry, is_new] =
          unique.try_emplace(source_[declaration.name].text, is_plain ? std::optional(n) : std::nullopt);
      if (!is_new) entry->second.reset();
    }
    for (const auto& [name, declaration] : unique)
      if (declaration && calls(*declaration, name, unique))
        add(declarations_[*declaration].name, fmt::format("'{}' calls itself: Metal has no recursion", name));
  }

  bool calls(std::size_t from, std::string_view wanted,
             const std::map<std::string_view, std::optional<std::size_t>>& unique) const {
    std::set<std::size_t> seen = {from};
    for (std::vector<std::size_t> next = {from}; !next.empty();) {
      const Declaration& here = declarations_[next.back()];
      next.pop_back();
      for (std::size_t n = here.body; n < here.last; ++n) {
        if (!is_call(n)) continue;
        if (source_[n] == wanted) return true;
        const auto called = unique.find(source_[n].text);
        if (called != unique.end() && called->second && seen.insert(*called->second).second)
          next.push_back(*called->second);
      }
    }
    return false;
  }

  const Source& source_;
  const Declarations& declarations_;
  std::vector<std::string> found_;
};

}  // namespace

void refuse_lasting_variables(const Source& source, const Declarations& declarations) {
  const std::vector<std::string> found = Restrictions(source, declarations).run_lasting_variables();
  if (!found.empty()) throw TranslationError(fmt::format("{}", fmt::join(found, "")));
}

std::vector<std::string> restrictions(const Source& source, const Declarations& declarations) {
  return Restrictions(source, declarations).run();
}

std::vector<std::string> restriction_warnings(const Source& source, const Declarations& declarations) {
  return Restrictions(source, declarations).run_warnings();
}

}  // namespace assay::metal::emulator
