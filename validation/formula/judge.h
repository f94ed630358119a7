// A kernel of a formula, judged: the properties of an operation that is a formula.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reference/formula/followed.h"
#include "reference/number/big_float.h"
#include "validation/core/verdict.h"
#include "validation/formula/problem.h"
#include "validation/report/record.h"

namespace assay::validation::formula {

/// The outputs of a kernel, or the gradients of its backward pass. Throws Unsupported to decline a case, and KernelDied
/// where it gives no answer.
using Kernel = std::function<Doubles(const Case&)>;

/// Kernels that are given the rows of a case far apart in large arrays (far_rows.h); either may be empty.
struct FarKernels {
  std::string extent;  ///< whose indices are the rows
  Kernel forward, backward;
  int bits = 31;  ///< the last rows are past 2^bits elements, or if it is `bits_of_rows` past so many rows

  static constexpr int bits_of_rows = 17;
  bool counts_rows() const { return bits == bits_of_rows; }
};

struct Subject {
  Specification specification;
  Trace trace;
  /// Other formulas of the outputs, and of the gradients from the inputs and "upstream0", ..., on which the kernel
  /// computes them. Their bounds hold in the place of the formula's. Either may be empty.
  Trace road = {}, backward_road = {};
  std::string kernel_name;
  Kernel forward = {};  ///< either may be empty
  Kernel backward = {};
  Arithmetic arithmetic;
  int digits = 40;
  bool same_bits = true;       ///< whether the kernel promises the same bits for the same problem, as atomics do not
  bool takes_threads = false;  ///< whether a case's `threads` is the number of threads that the kernel uses
  bool takes_layouts = true;   ///< whether the kernel's inputs may lie in any layout; else they are contiguous
  /// The bad arguments, made of a case, that the kernel does not refuse by name; none where nothing of the case can be
  /// spoilt. Empty where the kernel does not claim to check its arguments.
  std::function<std::optional<std::vector<std::string>>(const Case&)> missing_refusals = {};
  /// The subject with kernels that were made afresh, without a history; empty where they cannot be.
  std::function<std::shared_ptr<const Subject>(const Subject&)> fresh = {};
  /// What the kernel's results stand for in the algebra (algebra.h), and why nothing is known of them where it cannot be
  /// followed. Empty where it is not asked.
  struct FollowedResults {
    std::vector<std::vector<reference::Followed>> results;
    std::string left;
  };
  std::function<FollowedResults(const Case&)> followed = {};
  std::optional<FarKernels> far = {};  ///< empty where the kernel's arrays have no rows
};

/// The formula's outputs and gradients on one case: exact, and with bounds.
class Choices;  // choices.h

struct Truth {
  std::vector<std::vector<reference::BigFloat>> outputs, gradients;
  Doubles output_bounds, gradient_bounds;
  std::vector<double> output_ranges, gradient_ranges;  ///< the largest size of each result's elements (ranges.h)
  Doubles undeclared_bounds;  ///< of outputs, then gradients, without what is declared; empty where nothing is
  /// Of outputs, then gradients: how far they may move where each input moves by a roundoff of its type, and nothing else
  /// is rounded. Empty of large graphs.
  Doubles changes;
  /// How large each output, then each gradient, is if nothing cancels (ranges.h). Empty where no bound reaches its value,
  /// and of large graphs.
  Doubles sizes;
  Doubles values;                                       ///< of all nodes
  std::vector<std::shared_ptr<const Choices>> choices;  ///< of each output that is positions; null of others
  bool is_certified = false;                            ///< balls prove each result that has a bound
};

/// Computed at half as many digits more than `digits`, and once more at `digits`: as balls, and where those are too
/// wide or the build has none, as plain numbers. Throws ReferenceDisagrees where the two differ, and
/// std::invalid_argument where a road gives other results than the formula. Truths that were asked for last are
/// remembered (known_truths.h).
std::shared_ptr<const Truth> truth_of(const Subject& subject, const Case& c);

/// How the truth was made sure of.
inline Evidence evidence_of(const Truth& truth) {
  return {truth.is_certified ? 1 : 0, truth.is_certified ? 0 : 1};
}

/// "[0.25 +/- 3.1e-40]" for each element of each output and, where the subject has a backward pass, of each gradient.
/// Throws Unsupported where the build has no balls.
std::vector<std::vector<std::string>> enclosures_of(const Subject& subject, const Case& c);

/// The subject without its backward pass, whose truth takes longer.
Subject without_backward(const Subject& subject);

/// The shapes of the gradients: of the inputs that are numbers.
std::vector<std::vector<std::int64_t>> gradient_shapes(const Subject& subject, const Case& c);

/// The type of an output of the formula, and of the gradient in one of the inputs that are numbers.
Dtype storage_of_output(const Subject& subject, std::size_t k);
Dtype storage_of_gradient(const Subject& subject, std::size_t k);

/// The coordinate along an axis of element `i` of an array.
std::int64_t coordinate(std::size_t i, const std::vector<std::int64_t>& shape, int axis);

struct Property {
  std::string name;
  std::string claim;
  std::optional<ValueClass> values;  ///< the class of values that the property asks for
  std::function<Finding(const Subject&, const Case&, Random&)> check;
  bool against_reference = false;          ///< whether the check compares all results with the reference
  bool takes_planned = against_reference;  ///< whether it judges planned cases (planned.h)
  bool asks_same_bits = false;             ///< of the same results on two calls
  bool is_far = false;                     ///< about far rows (far_rows.h)
  bool is_algebra = false;                 ///< compares residues, in needle cases as large as the algebra affords
};

/// The properties that the subject is judged by, those without mathematics first.
std::vector<Property> properties_of(const Subject& subject);

}  // namespace assay::validation::formula
