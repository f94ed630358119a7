// Part of divergence.h: statements. A variable has the value of its last assignment, joined where branches meet.
#include "metal/emulator/translate/divergence_walk.h"

namespace assay::metal::emulator {

void Walk::join(const std::map<std::string, Value>& other) {
  for (const auto& [name, value] : other) {
    const auto [mine, is_new] = variables_.emplace(name, value);
    if (!is_new && mine->second != value) mine->second = Value::varying;
  }
}

std::size_t Walk::statement(std::size_t n) {
  const std::string_view word = source_[n].text;
  if (source_.is_attribute(n)) return statement(source_.match(n) + 1);
  if (word == "{") {
    for (std::size_t inner = n + 1; inner < source_.match(n);) inner = statement(inner);
    return source_.match(n) + 1;
  }
  if (word == "if") return if_statement(n);
  if (word == "for") return for_statement(n);
  if (word == "while") return loop(n, {n + 2, source_.match(n + 1)}, source_.match(n + 1) + 1, {n, n});
  if (word == "do") return loop(n, {n, n}, n + 1, {n, n});  // its condition comes as a loop without a body
  if (word == "switch") return switch_statement(n);
  if (word == "return") return return_statement(n);
  if (word == "case" || word == "default") return source_.find(n, source_.size(), ":") + 1;
  const std::size_t end = source_.find(n, source_.size(), ";");
  if (word == "break" || word == "continue") {
    if (!loops_.empty() && condition_ != loops_.back().outside) loops_.back().divergent = condition_;
  } else if (word != "using" && word != "typedef" && word != "struct" && word != "enum") {
    expression(n, end);
  }
  return end + 1;
}

std::size_t Walk::if_statement(std::size_t n) {
  const bool is_constant = source_[n + 1] == "constexpr";
  const std::size_t open = is_constant ? n + 2 : n + 1, outside = condition_;
  if (varies(expression(open + 1, source_.match(open))) && !is_constant) condition_ = n;
  const auto before = variables_;
  std::size_t end = statement(source_.match(open) + 1);
  if (source_[end] == "else") {
    auto after = before;
    std::swap(after, variables_);
    end = statement(end + 1);
    join(after);
  } else {
    join(before);
  }
  leave_condition(outside);
  return end;
}

std::size_t Walk::for_statement(std::size_t n) {
  const std::size_t open = n + 1, close = source_.match(open);
  const std::size_t first = source_.find(open + 1, close, ";"), second = source_.find(first + 1, close, ";");
  if (first == close) return loop(n, {open + 1, close}, close + 1, {n, n});
  expression(open + 1, first);
  return loop(n, {first + 1, second}, close + 1, {second + 1, close});
}

/// Walks through the body often enough that what varies in it has reached all its variables. Loops run at least once.
std::size_t Walk::loop(std::size_t n, std::pair<std::size_t, std::size_t> condition, std::size_t body,
                       std::pair<std::size_t, std::size_t> step) {
  const std::size_t outside = condition_;
  std::size_t end = body;
  loops_.push_back({outside});
  for (int pass = 0; pass < 3; ++pass) {
    const auto before = variables_;
    if (varies(expression(condition.first, condition.second))) condition_ = n;
    if (loops_.back().divergent != no_token) condition_ = loops_.back().divergent;
    end = statement(body);
    expression(step.first, step.second);
    leave_condition(outside);
    if (pass < 2) join(before);
  }
  loops_.pop_back();
  return end;
}

/// A break in it leaves it alone, and no lane takes another one's place.
std::size_t Walk::switch_statement(std::size_t n) {
  const std::size_t open = n + 1, outside = condition_;
  if (varies(expression(open + 1, source_.match(open)))) condition_ = n;
  const auto before = variables_;
  loops_.push_back({condition_});
  const std::size_t end = statement(source_.match(open) + 1);
  loops_.pop_back();
  join(before);
  leave_condition(outside);
  return end;
}

std::size_t Walk::return_statement(std::size_t n) {
  const std::size_t end = source_.find(n + 1, source_.size(), ";");
  const Value value = expression(n + 1, end);
  outcome_.value = joined(outcome_.value, condition_ == no_token ? value : Value::varying);
  if (is_called_) returned_ = condition_;
  return end + 1;
}

}  // namespace assay::metal::emulator
