// How far rounding may carry a right kernel from the exact values of a formula: running error analysis of every node
// of the formula's graph (Higham 2002, sec. 3.3), and adjoints where errors die out on their way (adjoints.h). Both are
// rigorous in all orders. Derivation: docs/formula.md, "The bound".
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reference/formula/evaluate.h"
#include "validation/core/dtype.h"
#include "validation/formula/kept.h"

namespace assay::validation::formula {

using reference::formula::Graph;
using reference::formula::Node;
using reference::formula::Op;
using Doubles = std::vector<std::vector<double>>;  ///< [node][element]

/// Partial sums of a matrix unit: so many products are added with this roundoff, and the partial sums as all sums are.
struct PartialSums {
  double roundoff = 0;
  std::int64_t length = 0;  ///< 0: there are none

  bool operator==(const PartialSums&) const = default;
};

/// What a kernel declares of its arithmetic.
struct Arithmetic {
  Dtype storage = Dtype::float32;     ///< of inputs and outputs
  Dtype compute = Dtype::float32;     ///< of what lies between
  Dtype accumulate = Dtype::float32;  ///< of sums and products of matrices
  double exp_error = 4;               ///< of exp, log, tanh and the like, in units of roundoff
  double input_roundoff = 0;          ///< where the kernel rounds its inputs to a narrower type, that type's
  /// What it rounds in addition, by the name of a value in the formula: "d": 2 roundings of d; "d.operands": 1 rounding
  /// of each operand of the operation that gives d, as where x r - mean r stands for (x - mean) r.
  std::map<std::string, double> rounds = {};
  bool flushes_subnormals = false;  ///< what is below the smallest normal number may be read or become 0
  /// How much more than the graph's own values those of a kernel may lose in a recurrence, where the kernel is on a
  /// road near that of the graph: docs/formula.md, "Roads". 1 where the graph is the kernel's road.
  double near_roads = 4;
  std::map<std::string, Kept> kept = {};  ///< by the name of a value in the formula, the type that it is rounded to
  std::optional<Kept> products = {};      ///< the type that the factors of products of matrices are rounded to

  bool int32_sums = false;                     ///< sums of whole numbers are exact up to 2^31
  PartialSums partial = {};                    ///< of products of matrices
  std::map<std::string, Dtype> storages = {};  ///< of arrays that have another type: "weight", "output0"

  bool operator==(const Arithmetic&) const = default;
};

/// The type of an input, or of "output0", ...; a gradient has that of its input.
Dtype storage_of(const Arithmetic& arithmetic, const std::string& array);

/// The format in which the kernel computes.
NumberFormat computing(const Arithmetic& arithmetic);

/// Bounds on |computed - exact| for all elements of all nodes, before the result is stored. Infinite where the
/// arithmetic allows no bound: a divisor that may be 0, a value beyond the largest number. `results` are the nodes
/// whose bounds are held to kernels.
Doubles errors_of(const Graph& graph, const Doubles& values, const Arithmetic& arithmetic,
                  std::span<const std::int32_t> results);

/// The bound on a result: its error, and its rounding to the type in which it is stored.
double stored(double value, double error, const Arithmetic& arithmetic, Dtype storage);

}  // namespace assay::validation::formula
