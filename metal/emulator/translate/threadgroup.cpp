#include "metal/emulator/translate/passes.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::metal::emulator {

namespace {

class Threadgroup {
 public:
  Threadgroup(const Source& source, const std::vector<Declaration>& declarations, const char* variable, Edits& edits)
      : source_(source),
        variable_(variable),
        edits_(edits),
        in_body_(source.size() + 1, false),
        in_parameters_(source.size() + 1, false) {
    for (const Declaration& declaration : declarations) {
      if (declaration.kind != DeclarationKind::function) continue;
      mark(in_parameters_, declaration.parameters, source.match(declaration.parameters));
      if (declaration.body != no_token) mark(in_body_, declaration.body, declaration.last);
    }
  }

  void run() {
    for (std::size_t n = 0; n < source_.size(); ++n)
      if (source_[n] == "threadgroup" && source_.is_address_space(n)) n = one(n);
  }

 private:
  static void mark(std::vector<bool>& tokens, std::size_t first, std::size_t last) {
    std::fill(tokens.begin() + static_cast<std::ptrdiff_t>(first), tokens.begin() + static_cast<std::ptrdiff_t>(last),
              true);
  }

  /// Translates the `threadgroup` at `n`. Returns the last token that it has handled.
  std::size_t one(std::size_t n) {
    if (source_.is_method_qualifier(n) || is_of_tensor(n)) return n;
    const std::size_t first = specifiers_begin(n), type_end = source_.type_end(first, source_.size());
    if (type_end <= n) source_.fail(n, "cannot tell what this 'threadgroup' qualifies");
    const Token& next = source_[type_end];
    const bool is_nested = next == "(" && (source_[type_end + 1] == "*" || source_[type_end + 1] == "&");
    if (next == "*" || next == "&" || is_nested) {
      if (is_statement(first)) expect_pointers(type_end);
      return n;
    }
    if (!source_.is_identifier(type_end))
      source_.fail(n, "'threadgroup' has to qualify a variable, a pointer or a reference");
    if (in_parameters_[n] && source_[type_end + 1] == "[") return n;  // an array as a parameter is a pointer
    if (!in_body_[n])
      source_.fail(n, fmt::format("'{}' in threadgroup memory has to be declared within a function", next.text));
    if (!is_statement(first) || source_[first] == "typedef")
      source_.fail(n, fmt::format("cannot tell whether '{}' is a variable in threadgroup memory", next.text));
    return variables(n, first, type_end);
  }

  /// Whether it says where a tensor's elements are: tensor<threadgroup float, ...>.
  bool is_of_tensor(std::size_t n) const {
    while (n > 0 && source_.is_identifier(n) && source_[n] != "tensor") --n;
    return n > 0 && source_[n] == "<" && source_[n - 1] == "tensor";
  }

  /// The first token of the declaration whose `threadgroup` is at `n`.
  std::size_t specifiers_begin(std::size_t n) const {
    while (n > 0) {
      const std::size_t before = n - 1;
      if (source_.is_attribute(before)) {
        n = source_.match(before);
      } else if (source_[before] == ">") {
        const auto open = source_.match_angle_back(before);
        if (!open || *open == 0 || source_[*open - 1] == "template" || !source_.is_identifier(*open - 1)) break;
        n = *open;
      } else if (source_[before] == "::" ||
                 (source_.is_identifier(before) && source_[before] != "return" && source_[before] != "else")) {
        --n;
      } else {
        break;
      }
    }
    return n;
  }

  bool is_statement(std::size_t first) const {
    if (first == 0 || !in_body_[first]) return false;
    const Token& before = source_[first - 1];
    return before == ";" || before == "{" || before == "}" || before == ":";
  }

  /// If the first declarator of a statement is a pointer or reference, all must be.
  void expect_pointers(std::size_t declarator) const {
    const std::size_t end = source_.find(declarator, source_.size(), ";");
    for (std::size_t n = source_.find(declarator, end, ",="); n < end; n = source_.find(n + 1, end, ",=")) {
      // After a =, a comma may separate template arguments. Only what is certainly a declarator counts.
      const bool is_declarator = source_[n] == "," && source_.is_identifier(n + 1) &&
                                 (source_[n + 2] == ";" || source_[n + 2] == "," || source_[n + 2] == "[");
      if (is_declarator) source_.fail(n + 1, "declare pointers and variables in threadgroup memory apart");
    }
  }

  std::size_t variables(std::size_t threadgroup, std::size_t first, std::size_t type_end) {
    const std::string type = type_text(first, type_end);
    const std::size_t end = source_.find(type_end, source_.size(), ";");
    std::string text;
    for (std::size_t name = type_end; name < end;) {
      if (!source_.is_identifier(name))
        source_.fail(threadgroup, "declare pointers and variables in threadgroup memory apart");
      std::size_t n = name + 1;
      while (source_[n] == "[") n = source_.match(n) + 1;
      const std::size_t next = source_.find(n, end, ",");
      if (next != n && source_[n] != "=" && source_[n] != "{")
        source_.fail(n, fmt::format("expected ',', ';' or '[' after '{}' in threadgroup memory", source_[name].text));
      text += fmt::format(fmt::runtime(variable_), count_++, type + source_.join(name + 1, n), source_[name].text);
      name = next + 1;
    }
    edits_.replace(first, end + 1, text);
    return end;
  }

  std::string type_text(std::size_t first, std::size_t last) const {
    std::string text;
    for (std::size_t n = first; n < last; ++n) {
      if (source_[n] == "static" || source_[n] == "threadgroup" || source_.is_attribute(n)) continue;
      if (source_[n] == "alignas") source_.fail(n, "alignas of a variable in threadgroup memory is not supported");
      text.append(source_[n].text).append(" ");
    }
    return text;
  }

  const Source& source_;
  const char* variable_;
  Edits& edits_;
  std::vector<bool> in_body_, in_parameters_;
  std::size_t count_ = 0;
};

}  // namespace

const char* const run_threadgroup_variable =
    "static char assay_key_{0}; using assay_type_{0} = {1}; assay_type_{0}& {2} = "
    "::assay_shader_side::threadgroup_variable<assay_type_{0}>(&assay_key_{0}, \"{2}\"); ";
const char* const ptx_threadgroup_variable =
    "using assay_type_{0} = {1}; static __attribute__((address_space(3), loader_uninitialized, aligned(16))) "
    "assay_type_{0} assay_storage_{0}; assay_type_{0}& {2} = "
    "::assay_shader_side::aligned_variable<assay_type_{0}>((char*)&assay_storage_{0}); ";
const char* const lint_threadgroup_variable =
    "using assay_type_{0} = {1}; __local assay_type_{0}& {2} = "
    "::assay_shader_side::lint_variable<__local assay_type_{0}>(); ";

void translate_threadgroup(const Source& source, const std::vector<Declaration>& declarations, const char* variable,
                           Edits& edits) {
  Threadgroup(source, declarations, variable, edits).run();
}

}  // namespace assay::metal::emulator
