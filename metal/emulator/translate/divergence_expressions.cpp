// Part of divergence.h: expressions.
#include <fmt/format.h>

#include <charconv>

#include "metal/emulator/translate/divergence_walk.h"

namespace assay::metal::emulator {

Value joined(Value a, Value b) {
  if (a == Value::uniform || a == b) return b;
  if (b == Value::uniform) return a;
  // A value and its neighbour's, as in a butterfly: both lanes get the same.
  return a == Value::exchanged || b == Value::exchanged ? Value::uniform : Value::varying;
}

/// The name that a declaration in [first, last) declares first; `first` if it is no declaration.
std::size_t Walk::declared_name(std::size_t first, std::size_t last) const {
  const std::size_t end = source_.type_end(first, last);
  std::size_t name = end;
  while (name < last && (source_[name] == "*" || source_[name] == "&" || source_[name] == "const")) ++name;
  const bool is_pointer = name != end;
  if (end == first || name >= last || !source_.is_identifier(name) || (is_pointer && !(source_[name + 1] == "=")))
    return first;
  for (std::size_t n = first; n < end; ++n)
    if (source_[n] == "&" || source_[n] == "|") return first;  // a < b && c > d
  return name;
}

/// Whether the declaration is of memory that threads share, or of a pointer or reference to something.
bool Walk::is_shared(std::size_t first, std::size_t name) const {
  for (std::size_t n = first; n < name; ++n)
    if (source_[n] == "threadgroup" || source_[n] == "*" || source_[n] == "&") return true;
  return false;
}

/// Assignments and declarations, which commas separate, or a plain expression.
Value Walk::expression(std::size_t first, std::size_t last) {
  Value all = Value::uniform;
  const std::size_t type = declared_name(first, last);
  const std::string_view declared = type == first ? "" : source_[source_.type_end(first, last) - 1].text;
  for (std::size_t begin = first; begin < last;) {
    const std::size_t end = source_.find(begin, last, ","), equals = source_.find(begin, end, "=");
    const std::size_t name = begin == first ? type : begin;
    if (!declared.empty() && source_.is_identifier(name) && name < end) {
      const std::size_t open = source_.find(name, end, "=({");
      if (begin == first && !is_shared(first, name)) own_.emplace(source_[name].text);
      initialize(std::string(source_[name].text), declared, open < end && source_[open] == "=" ? open + 1 : open, end);
    } else {
      all = joined(all, equals < end ? assignment(begin, equals, end) : scan(begin, end));
    }
    begin = end + 1;
  }
  return all;
}

/// A declared variable of the type, from [first, last): an expression, (...) or {...}, of which a struct takes a value
/// for each member.
void Walk::initialize(const std::string& name, std::string_view type, std::size_t first, std::size_t last) {
  const auto members = shader_.members.find(type);
  std::erase_if(variables_, [&](const auto& one) { return one.first.starts_with(name + "."); });
  if (members == shader_.members.end() || first == last || !(source_[first] == "{"))
    return assign(name, scan(first, last));
  assign(name, Value::uniform);
  std::size_t begin = first + 1;
  for (const std::string_view member : members->second) {
    const std::size_t end = source_.find(begin, source_.match(first), ",");
    if (begin < end) assign(fmt::format("{}.{}", name, member), scan(begin, end));
    begin = end + 1;
    if (end >= source_.match(first)) break;
  }
}

Value Walk::assignment(std::size_t first, std::size_t equals, std::size_t last) {
  constexpr std::string_view operators = "+-*/%&|^<<>";
  const bool is_compound = equals > first && operators.find(source_[equals - 1].text) != std::string_view::npos;
  const std::size_t end = is_compound ? equals - 1 : equals;
  Value value = scan(equals + 1, last);
  std::string name;
  bool is_plain = true;
  for (std::size_t n = first; n < end; ++n) {
    const bool is_name = source_.is_identifier(n) || source_[n] == ".";
    is_plain = is_plain && is_name;
    if (is_name && (is_plain || name.empty())) name += source_[n].text;
  }
  if (!is_plain) value = joined(value, scan(first, end));
  if (!is_plain && !own_.contains(name.substr(0, name.find('.')))) return value;
  if (!is_plain || is_compound) {
    const auto known = variables_.find(name);
    if (known != variables_.end()) value = joined(value, known->second);
  }
  assign(name, value);
  return value;
}

void Walk::assign(const std::string& name, Value value) {
  variables_[name] = condition_ == no_token ? value : Value::varying;
}

/// The operand after &&, || or ? runs under the condition before the operator.
Value Walk::scan(std::size_t first, std::size_t last) {
  const std::size_t outside = condition_;
  Value all = Value::uniform;
  bool is_alone = true;
  for (std::size_t n = first; n < last;) {
    const std::string_view word = source_[n].text;
    const bool is_logical = (word == "&&" || word == "||") || ((word == "&" || word == "|") && source_[n + 1] == word);
    if ((is_logical || word == "?") && varies(all)) condition_ = n;
    is_alone = is_alone && n == first;
    const Value value = operand(n, last);
    all = joined(all, value);
    is_alone = is_alone && n == last;
  }
  condition_ = outside;
  return all == Value::index && !is_alone ? Value::varying : all;
}

/// The value of what begins at n; n becomes the token behind it.
Value Walk::operand(std::size_t& n, std::size_t last) {
  if (source_.is_identifier(n)) return variable(n, last);
  const std::size_t begin = n++;
  const std::string_view word = source_[begin].text;
  if (word != "(" && word != "[" && word != "{") return Value::uniform;
  n = source_.match(begin) + 1;
  const bool is_lambda = word == "[" && (source_[n] == "(" || source_[n] == "{") && begin > 0 &&
                         !source_.is_identifier(begin - 1) && !(source_[begin - 1] == "]") &&
                         !(source_[begin - 1] == ")");
  if (!is_lambda) return expression(begin + 1, n - 1);
  if (source_[n] == "(") n = source_.match(n) + 1;
  while (n < last && !(source_[n] == "{")) ++n;
  if (n < last) n = statement(n);
  return Value::uniform;
}

/// A name with its scopes, template arguments and members, or a call.
Value Walk::variable(std::size_t& n, std::size_t last) {
  std::string name;
  Value value = Value::uniform;
  for (;; ++n) {
    const std::size_t word = n++;
    name += source_[word].text;
    if (source_[n] == "<")
      if (const auto close = source_.match_angle(n); close && *close < last && source_[*close + 1] == "(")
        n = *close + 1;
    if (source_[n] == "(" && n < last) {
      const std::size_t open = n;
      n = source_.match(open) + 1;
      return joined(value, call(word, open));
    }
    if (const auto known = variables_.find(name); known != variables_.end()) value = known->second;
    const bool is_member = source_[n] == "." && n + 1 < last && source_.is_identifier(n + 1);
    if (!is_member && !(source_[n] == "::")) break;
    // Threadgroups are usually as wide as a simdgroup, or a multiple of it.
    if (value == Value::index && is_member && !(source_[n + 1] == "x"))
      value = source_[n + 1] == "y" || source_[n + 1] == "z" ? Value::uniform : Value::varying;
    if (is_member)
      name += '.';
    else
      name.clear();
  }
  if (value == Value::uniform)
    for (auto member = variables_.lower_bound(name + "."); member != variables_.end(); ++member)
      if (member->first.starts_with(name + ".")) value = joined(value, member->second);
  if (value != Value::index || n + 1 >= last) return value;
  const bool is_shift = source_[n] == ">" && source_[n + 1] == ">" && n + 2 < last;
  const bool is_split = source_[n] == "/" || source_[n] == "<" || source_[n] == ">=";
  return (is_split && is_multiple_of_simdgroup(n + 1)) || (is_shift && source_[n + 2] == "5") ? Value::uniform : value;
}

bool Walk::is_multiple_of_simdgroup(std::size_t n) const {
  std::uint64_t number = 0;
  if (const auto known = shader_.constants.find(source_[n].text); known != shader_.constants.end())
    number = known->second;
  else if (source_[n].kind == TokenKind::number)
    std::from_chars(source_[n].text.data(), source_[n].text.data() + source_[n].text.size(), number);
  return number != 0 && number % 32 == 0;
}

}  // namespace assay::metal::emulator
