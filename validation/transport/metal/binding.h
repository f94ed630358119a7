// The description of someone's .metal file: which kernels run, over which grids, on which arrays of the problem.
// docs/plugins-metal.md has every key.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "validation/transport/declaration/binding_node.h"
#include "validation/transport/declaration/expression.h"

namespace assay::validation::transport {

/// One array that an operation offers to shaders.
struct MetalArrayOffer {
  std::string name;
  std::string type;  ///< Metal's, unless the binding names another; empty: the binding's dtype
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

/// What is bound at [[buffer(index)]]: an array, or the bytes of values, one alone or laid out as a struct.
struct MetalBound {
  std::string where;
  std::uint32_t index = 0;
  std::string array;  ///< empty: the values
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

/// A dispatch, or a list of passes; each as often as `repeat` says, where the condition holds.
struct MetalPass {
  std::string where;
  std::optional<MetalRepeat> repeat;
  std::optional<MetalExpression> condition;
  std::vector<MetalPass> passes;  ///< of a list; what follows is of a dispatch

  std::string function;
  bool counts_groups = false;  ///< the grid is of threadgroups
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
  std::int64_t metal_version = 320;
  std::map<std::string, std::string> macros;
  bool host_validates = false;
  std::map<std::string, std::string> types;  ///< of every array that is offered
  std::map<std::string, MetalScratch> scratch;
  std::map<std::string, MetalExpression> fill;  ///< of outputs and scratch, before the first pass
  std::vector<MetalConstant> constants;
  std::optional<MetalExpression> step_limit;
  std::vector<MetalPass> passes;

  /// Is the array bound anywhere?
  bool uses(const std::string& array) const;
};

/// Throws std::invalid_argument for a description that is not one for this operation, naming the key, its value and
/// what was expected.
MetalBinding read_binding(const std::filesystem::path& path, const MetalInterface& interface);

}  // namespace assay::validation::transport
