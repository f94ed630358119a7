#include "metal/emulator/translate/constant_expression.h"

#include <array>
#include <charconv>
#include <string_view>

namespace assay::metal::emulator {

namespace {

/// A value may be named by itself.
constexpr unsigned most_steps = 256;

/// Operators of two operands, by rising precedence.
constexpr std::array<std::string_view, 6> levels = {"|", "^", "&", "<>", "+-", "*/%"};

class Expression {
 public:
  Expression(const Source& source, std::size_t first, std::size_t last, unsigned& steps)
      : source_(source), at_(first), last_(last), steps_(steps) {}

  std::optional<long> value() {
    const auto result = binary(0);
    return at_ == last_ ? result : std::nullopt;
  }

 private:
  std::optional<long> binary(std::size_t level) {
    if (level == levels.size()) return unary();
    auto left = binary(level + 1);
    while (left && at_ < last_) {
      const std::string_view token = source_[at_].text;
      const bool is_shift = token == "<<" || (token == ">" && at_ + 1 < last_ && source_[at_ + 1] == ">");
      if (levels[level] == "<>" ? !is_shift : token.size() != 1 || levels[level].find(token) == std::string_view::npos)
        break;
      at_ += token == ">" ? 2U : 1U;
      const auto right = binary(level + 1);
      left = right ? applied(token, *left, *right) : std::nullopt;
    }
    return left;
  }

  static std::optional<long> applied(std::string_view sign, long a, long b) {
    if (sign == "+") return a + b;
    if (sign == "-") return a - b;
    if (sign == "*") return a * b;
    if (sign == "|") return a | b;
    if (sign == "^") return a ^ b;
    if (sign == "&") return a & b;
    if (sign == "<<" || sign == ">") {
      if (b < 0 || b > 31) return std::nullopt;
      return sign == ">" ? a >> b : a << b;
    }
    if (b == 0) return std::nullopt;
    return sign == "/" ? a / b : a % b;
  }

  std::optional<long> unary() {
    if (at_ >= last_ || ++steps_ > most_steps) return std::nullopt;
    const Token& token = source_[at_];
    if (token == "-" || token == "+") {
      ++at_;
      const auto value = unary();
      return value && token == "-" ? std::optional(-*value) : value;
    }
    if (token == "(") {
      const std::size_t close = source_.match(at_);
      const auto inner = Expression(source_, at_ + 1, close, steps_).value();
      at_ = close + 1;
      // (uint)N: a cast
      return inner || at_ >= last_ ? inner : unary();
    }
    if (token.kind == TokenKind::number) return number(source_[at_++].text);
    return token.kind == TokenKind::identifier ? name() : std::nullopt;
  }

  static std::optional<long> number(std::string_view text) {
    while (text.size() > 1 && std::string_view("uUlL").find(text.back()) != std::string_view::npos)
      text.remove_suffix(1);
    const bool is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    if (is_hexadecimal) text.remove_prefix(2);
    long value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, is_hexadecimal ? 16 : 10);
    const bool is_whole = error == std::errc() && end == text.data() + text.size();
    return is_whole && value >= 0 && value < 1L << 31 ? std::optional(value) : std::nullopt;
  }

  /// A name with its scopes, or a cast: uint(N), static_cast<uint>(N).
  std::optional<long> name() {
    while (at_ + 2 < last_ && source_[at_ + 1] == "::") at_ += 2;
    const std::size_t name = at_++;
    if (at_ < last_ && source_[at_] == "<")
      if (const auto close = source_.match_angle(at_); close && *close < last_) at_ = *close + 1;
    if (at_ < last_ && source_[at_] == "(") return unary();
    return named(source_[name].text);
  }

  std::optional<long> named(std::string_view name) const {
    for (std::size_t n = 0; n + 1 < source_.size(); ++n) {
      if (source_[n] == "enum")
        if (const auto value = enumerator(n, name)) return value;
      const bool is_variable = source_[n] == name && (source_[n + 1] == "=" || source_[n + 1] == "{");
      if (!is_variable || !is_constant(n)) continue;
      const bool is_list = source_[n + 1] == "{";
      const std::size_t end = is_list ? source_.match(n + 1) : source_.find(n + 2, source_.size(), ",;");
      return Expression(source_, n + 2, end, steps_).value();
    }
    return std::nullopt;
  }

  /// Whether the statement up to the name declares it constant.
  bool is_constant(std::size_t name) const {
    for (std::size_t n = name; n > 0 && source_.is_identifier(n - 1); --n)
      if (source_[n - 1] == "constexpr" || source_[n - 1] == "constant" || source_[n - 1] == "const") return true;
    return false;
  }

  /// The value of an enumerator of the enum at `n`: its own, or one more than that of the one before.
  std::optional<long> enumerator(std::size_t n, std::string_view name) const {
    const std::size_t open = source_.find(n, source_.size(), "{;=)");
    if (open == source_.size() || source_[open] != "{") return std::nullopt;
    std::size_t first = 0, last = 0;  // the last value that is written out
    long more = 0;
    for (std::size_t at = open + 1; at < source_.match(open); ++more) {
      const std::size_t end = source_.find(at, source_.match(open), ","), equals = source_.find(at, end, "=");
      if (equals != end) first = equals + 1, last = end, more = 0;
      if (source_[at] == name) {
        const auto base = first == 0 ? 0 : Expression(source_, first, last, steps_).value();
        return base ? std::optional(*base + more) : std::nullopt;
      }
      at = end + 1;
    }
    return std::nullopt;
  }

  const Source& source_;
  std::size_t at_, last_;
  unsigned& steps_;
};

}  // namespace

std::optional<long> constant_value(const Source& source, std::size_t first, std::size_t last) {
  unsigned steps = 0;
  return Expression(source, first, last, steps).value();
}

}  // namespace assay::metal::emulator
