// Reads LLVM's textual intermediate representation, one instruction a line, as clang writes it before any optimisation.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::metal::emulator::ir {

/// "%name = opcode rest, !dbg !7". All views point into the line.
struct Instruction {
  std::string_view result;  ///< with its %; empty if it has none
  std::string_view opcode;
  std::string_view operands;  ///< what stands between the opcode and the metadata
  std::string_view metadata;  ///< from the first ", !" on
  std::string_view debug;     ///< "!7" of "!dbg !7"; empty if it has none
};

/// Empty for labels, debug records, and the end of a function.
std::optional<Instruction> instruction(std::string_view line);

/// A parameter of a function, an argument of a call, or an operand.
struct Value {
  std::string_view type;        ///< without attributes
  std::string_view attributes;  ///< of a parameter
  std::string_view name;        ///< "%x", or a constant
};

/// "float noundef %x".
Value value(std::string_view text);

/// `define` or `call`: what it returns, what is called, with what.
struct Call {
  std::string_view type;    ///< of the result
  std::string_view callee;  ///< "@f"; empty for a call through a pointer and for assembly
  std::vector<Value> arguments;
};
std::optional<Call> call(std::string_view text);

/// Splits at commas that are in no bracket.
std::vector<std::string_view> parts(std::string_view text);

/// Removes leading words that are flags of an operation or of a call: "nsz", "tail", "noundef".
std::string_view without_flags(std::string_view text);

/// `text` without white space around it.
std::string_view trimmed(std::string_view text);

/// "%x" with `suffix` in its name, quoted: %"x.suffix".
std::string derived_name(std::string_view name, std::string_view suffix);

bool is_floating(std::string_view type);

}  // namespace assay::metal::emulator::ir
