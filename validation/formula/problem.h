// The problem of an operation that is given by a formula: named arrays over named extents.
//
// A specification says what to draw; a case is what was drawn. Values are kept in double, rounded to the storage type.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "validation/core/dtype.h"
#include "validation/core/layouts.h"
#include "validation/core/random.h"
#include "validation/core/words.h"
#include "validation/formula/bounds.h"
#include "validation/formula/value_class.h"

namespace assay::validation::formula {

/// real: any finite number;  flag: 0 or 1;  index: 0, ..., extent - 1;  unit: in [0, 1];  positive: above 0
/// decay: in (0, 1];  nonzero: any finite number but 0;  code: a number of a small format;
/// any_code: or NaN or infinite;  positive_code: above 0
enum class Kind : std::uint8_t { real, flag, index, unit, positive, decay, nonzero, code, any_code, positive_code };

constexpr bool is_code(Kind kind) {
  return kind >= Kind::code;
}

/// Whether a kernel gives gradients in such an input.
constexpr bool has_gradient(Kind kind) {
  return kind != Kind::flag && kind != Kind::index && !is_code(kind);
}

struct Input {
  std::string name;
  std::vector<std::string> dimensions;  ///< extents, or decimal numbers
  Kind kind = Kind::real;
  std::string extent = {};                         ///< of an index, by name or a decimal number
  bool minus_infinity = false;                     ///< whether elements may be -inf
  bool nan = false;                                ///< whether elements may be NaN
  std::optional<Dtype> dtype = {};                 ///< where it is not that of the others
  const reference::SmallFormat* format = nullptr;  ///< of codes
};

/// A property that the operation is declared to have along an extent: "rows" along "N".
struct Declared {
  std::string property;
  std::string extent;
};

using Extents = std::map<std::string, std::int64_t>;

/// A way of calling a kernel in which a right one gives what it gives in the plain way.
struct Way {
  std::string words;            ///< "called with weight frozen"
  bool equal_upstream = false;  ///< whether it asks for upstream gradients whose elements are all equal
  bool equal_inputs = false;    ///< whether it asks for inputs that are declared alike to be equal
};

struct Specification {
  std::string name;
  std::vector<Input> inputs;
  std::vector<std::string> extents;
  std::map<std::string, std::int64_t> limits = {};  ///< the largest of an extent; usual_limit where there is none
  std::vector<Declared> declared = {};
  bool empty = true;                    ///< whether extents may be 0
  std::int64_t largest_input = 5000;    ///< elements
  std::int64_t largest_graph = 60'000;  ///< elements of all nodes
  double work_of_node = 10;             ///< of tracing a node, in elements that are evaluated in the same time
  std::map<std::string, std::int64_t> least = {};                ///< the smallest of an extent; without one 0, or 1
  std::map<std::string, std::int64_t> multiple = {};             ///< of which an extent is one
  std::map<std::string, std::vector<std::int64_t>> listed = {};  ///< the only sizes of an extent, ascending
  std::map<std::size_t, Dtype> output_dtypes = {};  ///< by number, of outputs whose type is not that of the others
  std::vector<Extents> only = {};                   ///< the only extents that cases have; empty: any
  std::vector<Extents> layouts = {};                ///< sizes at which a layout of an array shows, in every run
  std::vector<const reference::SmallFormat*> casts = {};   ///< the formats that the formula rounds to
  bool has_codes = false;                                  ///< whether some outputs are rounded to one
  std::vector<Way> forward_ways = {}, backward_ways = {};  ///< of calling the kernels, beside the plain one
  std::map<std::string, std::int64_t> unclaimed = {};      ///< the limits of the operation where the kernel's are lower
};

inline constexpr std::int64_t usual_limit = 4097;

/// The largest size of an extent that cases have.
std::int64_t limit_of(const Specification& specification, const std::string& extent);

/// The smallest size of an extent that cases have, but for 0: a window has to fit.
std::int64_t least_of(const Specification& specification, const std::string& extent);

/// The largest size of an extent that cases have and that is at most `size`, or the smallest of all.
std::int64_t taken_size(const Specification& specification, const std::string& extent, std::int64_t size);

/// The only sizes of an extent; empty where there are others.
std::span<const std::int64_t> listed_sizes(const Specification& specification, const std::string& extent);

struct Case {
  Extents extents;
  Doubles arrays;    ///< one for each input
  Doubles upstream;  ///< one for each output
  ValueClass values = {};
  int layout = 0;           ///< of the arrays that a kernel is given (core/layouts.h)
  int way = 0;              ///< in which the kernel is called: 0 is the plain one, k the way k - 1 of the specification
  std::uint64_t seed = 0;   ///< of what a property draws beside the case
  bool is_sampled = false;  ///< whether it is judged by a sample of the elements of its results (sample.h)
  int threads = 0;          ///< with which a kernel computes that can be told; 0: its own choice
};

/// A formula at fixed extents.
struct Traced {
  Graph graph;
  std::vector<std::vector<std::int64_t>> shapes = {};  ///< of the outputs
  std::vector<std::int32_t> gradients = {};            ///< nodes: of the real inputs, in their order
  std::int32_t formula_nodes = 0;                      ///< those before the gradient's
};

using Trace = std::function<std::shared_ptr<const Traced>(const Extents&)>;

/// The shape of an input at these extents.
std::vector<std::int64_t> shape_of(const Input& input, const Extents& extents);

/// The size of an extent that is named or a decimal number.
std::int64_t size_of(const std::string& extent, const Extents& extents);

/// The axis of an extent in an input, or -1.
int axis_of(const Input& input, const std::string& extent);

/// The product of a shape.
std::int64_t elements_of(const std::vector<std::int64_t>& shape);

/// The elements of all inputs.
std::size_t elements_of(const Case& c);

/// Random extents, smaller ones for a smaller `size`.
Extents draw_extents(Random& random, int size, const Specification& specification, const Trace& trace);

/// Which share of the sizes that are drawn of an extent the kernel's limits leave: of the extent of which they leave the
/// smallest share.
double claimed_share(const Specification& specification);

/// A case at random extents. `size` grows from 0 to 100 over a run. Input `one`, or one that is drawn if it
/// is -1, has the class of values in any case.
Case draw(Random& random, int size, const Specification& specification, const Trace& trace, Dtype dtype,
          const ValueClass& values, std::int64_t one = -1);

/// A case whose extents are all large: the same extents in each call.
Case large(Random& random, const Specification& specification, const Trace& trace, Dtype dtype);

/// A case at these extents.
Case filled(Random& random, const Extents& extents, const Specification& specification, const Trace& trace, Dtype dtype,
            const ValueClass& values, std::int64_t one = -1);

/// The case cropped to a smaller size of one extent.
Case with_extent(const Specification& specification, const Case& c, const std::string& name, std::int64_t size,
                 const Trace& trace);

/// Smaller cases to try, the boldest first.
std::vector<std::function<Case()>> shrinks_of(const Specification& specification, const Case& c, const Trace& trace);

/// "N=2 D=3 layout=0 x=1,2,3,4,5,6 upstream0=1,2": words of a line, and back. An upstream of ones and the plain way
/// are left out. Throws
/// std::invalid_argument, naming the word, for words that make no case.
std::string to_text(const Specification& specification, const Case& c);
Case from_words(const Specification& specification, const Words& words, const Trace& trace);

}  // namespace assay::validation::formula
