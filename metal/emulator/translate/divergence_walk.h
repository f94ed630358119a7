// Part of divergence.h: the walk through one function with given values of its parameters.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "metal/emulator/translate/divergence.h"

namespace assay::metal::emulator {

/// How a value differs between the lanes of a simdgroup.
enum class Value {
  uniform,
  exchanged,  ///< another lane's value, from simd_shuffle_xor
  varying,
  index  ///< varying: the number of a thread, rising along the lanes from a multiple of 32
};

/// The values of an argument by name: "" is the argument itself, ".lane" a member whose value is known apart from it,
/// and "0", "1", ... are the elements of {...}, whose names the function's parameter has.
using Argument = std::map<std::string, Value>;

/// The result of a function call.
struct Outcome {
  Value value = Value::uniform;
  std::string operation;  ///< an operation that it executes, and the operation's place; or empty
};

/// The data that all walks through a shader share.
struct WalkedShader {
  const Source& source;
  std::multimap<std::string_view, const Declaration*> functions = {};
  std::map<std::string_view, std::vector<std::string_view>> members = {};  ///< of each struct, in their order
  std::map<std::string_view, std::uint64_t> constants = {};
  std::map<std::pair<const Declaration*, std::vector<Argument>>, Outcome> outcomes = {};
  std::set<std::string> known = {};
  std::set<std::string_view> divergent_functions = {};
  DivergentOperations found = {};

  /// The outcome of calling the function of this name with these arguments.
  Outcome call(std::string_view name, const std::vector<Argument>& arguments);

  /// Adds the operations that the functions of this name execute, by calls too, to DivergentOperations::names.
  void add_operations_of(std::string_view name);
};

class Walk {
 public:
  /// `is_called`: the function is not a kernel, so lanes that return from it early wait for the others.
  Walk(WalkedShader& shader, std::map<std::string, Value> variables, bool is_called)
      : shader_(shader), source_(shader.source), variables_(std::move(variables)), is_called_(is_called) {}

  /// Walks through the function's body, which begins with the bracket `body`.
  Outcome run(std::size_t body) {
    statement(body);
    return outcome_;
  }

 private:
  struct Loop {
    std::size_t outside;               ///< the condition around it
    std::size_t divergent = no_token;  ///< the condition under which a lane leaves it or its rest
  };

  // Statements. Each returns the first token behind it.
  std::size_t statement(std::size_t n);
  std::size_t if_statement(std::size_t n);
  std::size_t for_statement(std::size_t n);
  std::size_t switch_statement(std::size_t n);
  std::size_t return_statement(std::size_t n);
  std::size_t loop(std::size_t n, std::pair<std::size_t, std::size_t> condition, std::size_t body,
                   std::pair<std::size_t, std::size_t> step);
  void join(const std::map<std::string, Value>& other);
  void leave_condition(std::size_t outside) { condition_ = outside == no_token ? returned_ : outside; }

  // Expressions: the value of the tokens [first, last).
  Value expression(std::size_t first, std::size_t last);
  bool is_shared(std::size_t first, std::size_t name) const;
  std::size_t declared_name(std::size_t first, std::size_t last) const;
  Value assignment(std::size_t first, std::size_t equals, std::size_t last);
  void initialize(const std::string& name, std::string_view type, std::size_t first, std::size_t last);
  void assign(const std::string& name, Value value);
  Value scan(std::size_t first, std::size_t last);
  Value operand(std::size_t& n, std::size_t last);
  Value variable(std::size_t& n, std::size_t last);
  Argument argument(std::size_t first, std::size_t last);
  Value call(std::size_t name, std::size_t open);
  Value operation(std::size_t name, std::size_t open);
  bool is_multiple_of_simdgroup(std::size_t n) const;
  void report(std::size_t name, const std::string& what, bool is_error);

  WalkedShader& shader_;
  const Source& source_;
  std::map<std::string, Value> variables_;  ///< also members, as "place.lane"
  std::set<std::string> own_;               ///< variables of the thread: a branch may store into them for some lanes
  std::size_t condition_ = no_token;        ///< the token at the innermost condition that varies
  std::size_t returned_ = no_token;         ///< the condition under which some lanes have returned from the call
  bool is_called_;
  std::vector<Loop> loops_;
  Outcome outcome_;
};

inline bool varies(Value value) {
  return value != Value::uniform;
}

/// The value of something made of both.
Value joined(Value a, Value b);

}  // namespace assay::metal::emulator
