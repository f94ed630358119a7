// The blocks of a module's functions: which lead where, and what their instructions use.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace assay::metal::emulator::air {

/// A value of a phi, and the block that it comes from: its number.
struct FlowIncoming {
  std::string_view value;
  std::size_t block;
};

/// An instruction. All views point into the module's text.
struct FlowLine {
  std::string_view result, opcode;
  std::string_view callee;                  ///< of a call, "@f"
  std::vector<std::string_view> arguments;  ///< of a call
  std::vector<std::string_view> uses;       ///< names with %: values, and also types and labels
  std::vector<FlowIncoming> incoming;       ///< of a phi
};

struct FlowBlock {
  std::string_view label;  ///< empty: the first block, if it has none
  std::vector<FlowLine> lines;
  std::vector<std::size_t> successors;
  std::vector<std::string_view> condition;  ///< the names that its branch uses
};

struct FlowFunction {
  std::string_view name;  ///< with its @
  std::vector<std::string_view> parameters;
  std::vector<FlowBlock> blocks;
};

std::vector<FlowFunction> functions_of(std::string_view module);

/// For each block the next one that all ways from it to the function's end lead through; the number of blocks if that
/// is the end itself, or if no way leads there.
std::vector<std::size_t> post_dominators(const FlowFunction& function);

}  // namespace assay::metal::emulator::air
