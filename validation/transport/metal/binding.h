// The description of a user's .metal file: which kernels run, over which grids, on which arrays of the problem.
// docs/plugins-metal.md has every key.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "metal/device/shader_language.h"
#include "validation/transport/declaration/binding_node.h"
#include "validation/transport/declaration/expression.h"

namespace assay::validation::transport {

/// One array that an operation offers to shaders.
struct MetalArrayOffer {
  std::string name;
  std::string type;  ///< the default type in Metal; empty: the binding's dtype
  bool is_output = false;
};

/// What an operation offers to shaders.
struct MetalInterface {
  std::string operation;
  std::vector<std::string> variables;  ///< dimensions and options, for expressions
  std::vector<MetalArrayOffer> arrays;
};

/// A number of a Metal type.
struct MetalValue {
  std::string type;
  MetalExpression value;
};

/// The binding of [[buffer(index)]]: an array, or the bytes of one value or of several, laid out as a struct.
struct MetalBound {
  std::string where;
  std::uint32_t index = 0;
  std::string array;  ///< empty: `values` are bound
  std::vector<MetalValue> values;
};

struct MetalThreadgroupMemory {
  std::uint32_t index = 0;
  MetalExpression bytes;
};

struct MetalRepeat {
  std::string variable;
  MetalExpression from, times, step;
};

/// A dispatch or a list of passes, run as often as `repeat` says if the condition holds.
struct MetalPass {
  std::string where;
  std::optional<MetalRepeat> repeat;
  std::optional<MetalExpression> condition;
  std::vector<MetalPass> passes;  ///< of a list; the members below are of a dispatch

  std::string function;
  bool counts_groups = false;  ///< the grid counts threadgroups
  std::vector<MetalExpression> grid, group;
  std::vector<MetalThreadgroupMemory> threadgroup_memory;
  std::vector<MetalBound> buffers;
};

struct MetalConstant {
  std::string where;
  std::uint32_t index = 0;
  MetalValue value;
};

struct MetalScratch {
  std::string type;
  MetalExpression elements;
};

struct MetalBinding {
  explicit MetalBinding(BindingNode whole) : document(std::move(whole)) {}

  BindingNode document;
  std::filesystem::path source;
  metal::ShaderLanguage language;
  bool host_validates = false;
  std::map<std::string, std::string> types;  ///< by name, of every offered array
  std::map<std::string, MetalScratch> scratch;
  std::map<std::string, MetalExpression> fill;  ///< initial values of outputs and scratch
  std::vector<MetalConstant> constants;
  std::optional<MetalExpression> step_limit;
  std::vector<MetalPass> passes;

  /// Whether the array is bound anywhere.
  bool uses(const std::string& array) const;
};

/// Throws std::invalid_argument for an invalid description, naming the key, its value and what was expected.
MetalBinding read_binding(const std::filesystem::path& path, const MetalInterface& interface);

}  // namespace assay::validation::transport
