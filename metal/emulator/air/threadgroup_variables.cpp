#include "metal/emulator/air/threadgroup_variables.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>

#include "metal/emulator/air/words.h"
#include "metal/emulator/numerics/ir_text.h"

namespace assay::metal::emulator::air {

namespace {

/// The operation of a constant expression whose operands are in the parentheses that open at `open`, with its flags.
std::optional<std::string> operation_before(const std::string& text, std::size_t open) {
  if (open < 2 || text[open - 1] != ' ') return std::nullopt;
  static constexpr std::array<std::string_view, 6> operations = {
      "getelementptr inbounds", "getelementptr", "bitcast", "ptrtoint", "inttoptr", "sub"};
  const std::string_view before = std::string_view(text).substr(0, open - 1);
  for (const std::string_view operation : operations)
    if (before.ends_with(operation) && before.size() > operation.size() &&
        before[before.size() - operation.size() - 1] == ' ')
      return std::string(operation);
  return std::nullopt;
}

/// The open parenthesis around `at`; none if there is none.
std::size_t around(const std::string& text, std::size_t at) {
  int depth = 0;
  for (std::size_t n = at; n-- > 0;) {
    if (text[n] == ')') ++depth;
    if (text[n] == '(' && depth-- == 0) return n;
  }
  return npos;
}

/// The values that a body takes from constant expressions, computed at its begin.
class Hoisted {
 public:
  /// Replaces the variable at `at` [size], and each constant expression around it, by a local value.
  std::size_t replace(std::string& body, std::size_t at, std::size_t size, const std::string& value) {
    body.replace(at, size, value);
    for (;;) {
      const std::size_t begin = body.rfind('\n', at) + 1, open = around(body, at);
      if (open == npos || open < begin) return at;
      const auto operation = operation_before(body, open);
      const std::size_t close = closing(body, open);
      if (!operation || close == npos) return at;
      const std::string name = fmt::format("%\"assay.constant.{}\"", count_++);
      text_ += fmt::format("  {} = {} {}\n", name, *operation, body.substr(open + 1, close - open - 1));
      at = open - 1 - operation->size();
      body.replace(at, close + 1 - at, name);
    }
  }

  const std::string& text() const { return text_; }
  void add(const std::string& line) { text_ += line; }

 private:
  std::string text_;
  unsigned count_ = 0;
};

/// Whether the name that begins at `at` is the whole of one.
bool is_name_at(const std::string& text, std::size_t at, const std::string& name) {
  return end_of_name(text, at) == at + name.size();
}

}  // namespace

Result<void> ThreadgroupVariables::declare(std::string_view line) {
  Variable variable;
  variable.name = line.substr(0, end_of_name(line, 0));
  constexpr std::string_view word = "global ";
  const std::size_t type = line.find(word);
  if (type == std::string_view::npos)
    return error(Error::Kind::compile, fmt::format("{}: expected a threadgroup variable, `global`", variable.name));
  variable.type = ir::value(line.substr(type + word.size())).type;
  const std::size_t align = line.rfind("align ");
  if (align != std::string_view::npos)
    std::from_chars(line.data() + align + 6, line.data() + line.size(), variable.alignment);
  if (variable.alignment < 16) variable.alignment = 16;
  variables_.push_back(std::move(variable));
  return {};
}

std::string ThreadgroupVariables::address_of(std::size_t n, const std::string& debug) const {
  const auto& [name, type, alignment] = variables_[n];
  if (is_for_gpu_) return fmt::format("addrspacecast ptr addrspace(3) {} to ptr", name);
  return fmt::format(
      "call ptr @assay_air_threadgroup(ptr @assay.air.key.{}, i64 ptrtoint (ptr getelementptr "
      "({}, ptr null, i32 1) to i64), i64 {}, ptr @assay.air.name.{}), {}",
      n, type, alignment, n, debug);
}

std::string ThreadgroupVariables::with_addresses(const std::string& given, const std::string& debug) const {
  std::string body = given;
  Hoisted hoisted;
  for (std::size_t n = 0; n < variables_.size(); ++n) {
    const std::string& name = variables_[n].name;
    const std::string value = fmt::format("%\"assay.threadgroup.{}\"", n);
    bool is_named = false;
    for (std::size_t at = body.find(name); at != npos; at = body.find(name, at + 1)) {
      if (!is_name_at(body, at, name)) continue;
      if (!is_named) hoisted.add(fmt::format("  {} = {}\n", value, address_of(n, debug)));
      is_named = true;
      at = hoisted.replace(body, at, name.size(), value);
    }
  }
  if (hoisted.text().empty()) return body;
  // An entry block that has a name begins with it.
  const std::size_t end = body.find('\n');
  const bool has_name = !body.starts_with(' ') && body.substr(0, end).find(':') != npos;
  return body.insert(has_name ? end + 1 : 0, hoisted.text());
}

std::string ThreadgroupVariables::definitions() const {
  if (is_for_gpu_) {
    std::string shared;
    for (const auto& [name, type, alignment] : variables_)
      shared += fmt::format("{} = internal addrspace(3) global {} undef, align {}\n", name, type, alignment);
    return shared;
  }
  std::string text = "declare ptr @assay_air_threadgroup(ptr, i64, i64, ptr)\n";
  for (std::size_t n = 0; n < variables_.size(); ++n) {
    const std::string name = plain_name(variables_[n].name);
    text += fmt::format(
        "@assay.air.key.{0} = internal global i8 0\n@assay.air.name.{0} = internal constant [{1} x i8] c{2}\n", n,
        name.size() + 1, quoted_text(name + '\0'));
  }
  return variables_.empty() ? std::string() : text;
}

}  // namespace assay::metal::emulator::air
