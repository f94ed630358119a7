// A file that says what runs of a .metal file, over which grids and on which arrays (docs/reference/shader-file.rst). Its numbers
// may be expressions: over the extents that the file states itself, or over the variables of an operation.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "validation/core/dtype.h"
#include "validation/shader/script.h"
#include "validation/transport/declaration/binding_node.h"
#include "validation/transport/declaration/expression.h"

namespace assay::validation {

using transport::BindingNode;
using transport::MetalExpression;
using transport::MetalVariables;

/// One array that an operation offers to shaders.
struct ShaderArrayOffer {
  std::string name;
  std::string type;  ///< the default type in Metal; empty: the file's dtype
  bool is_output = false;
};

/// What an operation offers to shaders.
struct ShaderInterface {
  std::string operation;
  std::vector<std::string> variables;  ///< dimensions and options, for expressions
  std::vector<ShaderArrayOffer> arrays;
};

struct DocumentRepeat {
  std::string variable;
  MetalExpression from, times, step;
};

/// A dispatch or a list of passes, run as often as `repeat` says if the condition holds.
struct DocumentPass {
  std::string where = {};
  std::optional<DocumentRepeat> repeat = {};
  std::optional<MetalExpression> condition = {};
  std::vector<DocumentPass> passes = {};  ///< of a list; the members below are of a dispatch

  ShaderPass dispatch = {};  ///< but for what expressions say
  std::vector<MetalExpression> grid = {};
  std::vector<std::function<void(ShaderPass&, const MetalVariables&)>> rest = {};  ///< evaluate the others, in order
};

struct DocumentScratch {
  std::string type;
  MetalExpression elements;
};

struct ShaderDocument {
  BindingNode node;
  ShaderScript script = {};  ///< without what expressions say, and without passes
  std::map<std::string, DocumentScratch> scratch = {};
  std::map<std::string, MetalExpression> fill = {};  ///< initial values of outputs and scratch
  std::optional<MetalExpression> step_limit = {};
  std::vector<DocumentPass> passes = {};
  std::set<std::string> bound = {};  ///< the arrays that passes take

  MetalVariables extents = {};  ///< of a file without an operation

  bool has_operation = false;
  Dtype dtype = Dtype::float32;                   ///< of the operation's problems
  std::map<std::string, std::string> types = {};  ///< by name, of every array that the operation offers
  bool host_validates = false;

  /// Whether a pass takes the array.
  bool uses(const std::string& array) const { return bound.contains(array); }
};

/// The file of a kernel of an operation. Throws std::invalid_argument, naming the key, its value and what was expected.
ShaderDocument read_document(const std::filesystem::path& path, const ShaderInterface& interface);

/// The file that states its arrays itself, and numbers that replace its extents. Throws likewise.
ShaderDocument read_document(const std::filesystem::path& path, const MetalVariables& extents);

}  // namespace assay::validation
