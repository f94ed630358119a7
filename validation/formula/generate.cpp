// Draws cases: extents around the sizes at which kernels change course, and values of every class.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <span>

#include "validation/core/parse.h"
#include "validation/core/reach.h"
#include "validation/core/sizes.h"
#include "validation/formula/problem.h"
#include "validation/formula/sizes.h"

namespace assay::validation::formula {
namespace {

bool is_sparse(const std::string& values) {
  return values.starts_with("signed") || values.starts_with("peaked");
}

bool is_fixed(const std::string& values) {
  return values == "equal" || values == "indexed" || is_sparse(values);
}

std::int64_t draw_extent(Random& random, int size, std::int64_t limit, bool empty) {
  static constexpr std::int64_t sizes[] = {1,  2,  3,  4,  5,  7,  8,   9,   11,  13,  15,  16,  17,   31,   32,
                                           33, 37, 63, 64, 65, 67, 127, 128, 129, 255, 256, 257, 1023, 1024, 1025};
  if (empty && random.chance(0.03)) return 0;
  std::int64_t last = 0;
  while (last + 1 < std::ssize(sizes) && sizes[last + 1] <= limit) ++last;
  const std::int64_t reach = std::min<std::int64_t>(last, 2 + size * last / 80);
  return random.chance(0.1) ? std::min<std::int64_t>(limit, random.integer(1, 40)) : sizes[random.integer(0, reach)];
}

/// A size of the extent that others make room for: anywhere above the small ones, or after a multiple of a tile.
std::int64_t draw_leading(Random& random, std::int64_t limit) {
  constexpr std::int64_t small = 32;
  return random.chance(0.5) ? log_uniform(random, std::min(small, limit), limit) : tail_of_a_tile(random, limit);
}

/// The leading extent keeps its size as long as another can give way.
void halve_the_largest(Extents& extents, const std::string& leading) {
  const auto size = [&](const auto& one) { return one.first == leading ? 1 : one.second; };
  auto largest = std::ranges::max_element(extents, {}, size);
  if (size(*largest) <= 1) largest = std::ranges::max_element(extents, {}, [](const auto& one) { return one.second; });
  largest->second = (largest->second + 1) / 2;
}

/// How much a case may have of what is usually limited to `usual`: where fixed extents alone exceed it, four times what
/// they make at the least, so that rows can still differ.
std::int64_t room(std::int64_t usual, std::int64_t least) {
  return std::max(usual, 4 * least);
}

Extents all_one(const Specification& specification) {
  Extents extents;
  for (const auto& name : specification.extents) extents[name] = 1;
  return extents;
}

/// True where every extent is 1: halving ends.
bool is_small(const Specification& specification, const Extents& extents) {
  return std::ranges::all_of(specification.inputs, [&](const Input& input) {
    return elements_of(shape_of(input, extents)) <=
           room(specification.largest_input, elements_of(shape_of(input, all_one(specification))));
  });
}

/// There is no index below an extent of 0.
bool may_be_empty(const Specification& specification, const std::string& extent) {
  return specification.empty && std::ranges::none_of(specification.inputs, [&](const Input& input) {
           return input.kind == Kind::index && input.extent == extent;
         });
}

Extents draw_extents(Random& random, int size, const Specification& specification, const Trace& trace) {
  constexpr std::int64_t usual = 257;
  Extents extents;
  std::string leading;
  for (const auto& name : specification.extents)
    extents[name] =
        draw_extent(random, size, std::min(usual, limit_of(specification, name)), may_be_empty(specification, name));
  if (!extents.empty() && random.integer(0, 200) < size) {
    leading = specification.extents[static_cast<std::size_t>(random.integer(0, std::ssize(specification.extents) - 1))];
    extents[leading] = draw_leading(random, limit_of(specification, leading));
  }
  while (!is_small(specification, extents)) halve_the_largest(extents, leading);
  const auto elements = [&](const Extents& at) { return trace(at)->graph.elements(); };
  if (elements(extents) <= specification.largest_graph) return extents;
  const std::int64_t most = room(specification.largest_graph, elements(all_one(specification)));
  while (elements(extents) > most) {
    const Extents before = extents;
    halve_the_largest(extents, leading);
    if (extents == before) break;
  }
  return extents;
}

/// The exponents of the type's powers of two.
int first_exponent(const NumberFormat& format) {
  return std::ilogb(format.smallest);
}
int last_exponent(const NumberFormat& format) {
  return std::ilogb(format.largest);
}

/// How the elements of one array are drawn.
struct Manner {
  std::string values;
  double offset = 0, spread = 1;  ///< of an offset
  double scale = 1;               ///< of the class scaled
  bool near_one = false;          ///< of numbers in [0, 1]
  bool has_powers = false;        ///< powers of two near the scale
};

/// A class of magnitudes, which one input has alone: products of two may leave the range, in one order of factors or
/// in the other.
bool is_magnitude(const std::string& values) {
  return values.starts_with("scaled") || values.starts_with("far ");
}

/// The k of "scaled 2^k" and "far offset -2^k", where the class names it.
double exponent_in(const std::string& values, double otherwise) {
  const auto at = values.find("2^");
  return at == std::string::npos ? otherwise : parse_value<double>("exponent", values.substr(at + 2));
}

/// Draws the offset of the class "far offset"; "far offset 2^k" and "far offset -2^k" name it.
double far_offset(Random& random, const std::string& values, const NumberFormat& format) {
  const double most = std::min(104, last_exponent(format) - 3),
               far = std::exp2(exponent_in(values, random.real(3, most)));
  const bool is_named = !values.ends_with("offset"), is_negative = values.find(" -2^") != std::string::npos;
  return (is_named ? is_negative : random.chance(0.5)) ? -far : far;
}

Manner draw_manner(Random& random, const Input& input, const std::string& values, const NumberFormat& format) {
  Manner manner{values};
  manner.near_one = input.kind == Kind::unit && random.chance(0.5);
  manner.offset = random.pick({100.0, -1000.0, 10000.0});
  if (values.starts_with("far offset")) {
    manner.values = "offset";
    manner.offset = far_offset(random, values, format);
    if (random.chance(0.5)) manner.spread = std::max(1.0, std::ldexp(std::abs(manner.offset), -12));
  } else if (values.starts_with("scaled")) {
    manner.values = "scaled";
    const auto exponent = static_cast<double>(random.integer(first_exponent(format), last_exponent(format)));
    manner.scale = std::exp2(exponent_in(values, exponent));
    manner.has_powers = random.chance(0.5);
  }
  return manner;
}

double of_class(Random& random, const Manner& manner, const NumberFormat& format, std::int64_t i) {
  const std::string& values = manner.values;
  const double normal = random.gaussian();
  if (values == "offset") return manner.offset + manner.spread * normal;
  if (values == "scaled" && manner.has_powers)
    return std::copysign(std::ldexp(manner.scale, static_cast<int>(random.integer(-4, 4))), normal);
  if (values == "scaled") return manner.scale * normal;
  if (values == "wide") return 100 * normal;
  if (values == "tiny") return 1e-4 * normal;
  if (values == "ties") return static_cast<double>(random.integer(-1, 1));
  if (values == "signed zeros") return random.chance(0.7) ? random.pick({0.0, -0.0}) : normal;
  if (values == "subnormal") return format.smallest * static_cast<double>(random.integer(-50, 50));
  if (values == "largest") return format.largest * random.pick({1.0, -1.0, 0.5, 0.25});
  if (values == "integers") return static_cast<double>(random.integer(-8, 8));
  if (values == "one-hot") return random.integer(0, 3 + i / 4) == 0 ? 16 : 0;
  return normal;
}

/// Whether the element is one that is not 0.
bool is_in(const std::string& sparse, std::int64_t i) {
  return i % needle_stride == sparse.back() - '0';
}

/// The elements of needle cases, which nothing is drawn for.
double of_needle(const Input& input, const Extents& extents, const std::string& values, std::int64_t i) {
  if (input.kind == Kind::flag) return 1;
  if (input.kind == Kind::index)
    return static_cast<double>(i % std::max<std::int64_t>(size_of(input.extent, extents), 1));
  if (values == "equal") return input.kind == Kind::unit ? 0.5 : 1;
  if (is_sparse(values) && input.kind == Kind::real)
    return !is_in(values, i) ? 0 : values.starts_with("peaked") ? 16 : i / needle_stride % 2 == 0 ? 1 : -1;
  return static_cast<double>(1 + i % needle_period) / 64;
}

/// In [0, 1]. Decays and gates near 1 carry what was long ago, so that a long recurrence matters.
double of_unit(Random& random, bool near_one) {
  if (random.chance(0.1)) return near_one && random.chance(0.9) ? 1.0 : random.pick({0.0, 1.0});
  return near_one ? 1 - std::ldexp(1.0, -static_cast<int>(random.integer(3, 14))) : random.real();
}

double of_kind(Random& random, const Input& input, const Extents& extents, const Manner& manner,
               const NumberFormat& format, std::int64_t i) {
  if (is_fixed(manner.values)) return of_needle(input, extents, manner.values, i);
  switch (input.kind) {
    case Kind::flag:
      return random.chance(0.7) ? 1 : 0;
    case Kind::index:
      return static_cast<double>(random.integer(0, std::max<std::int64_t>(size_of(input.extent, extents) - 1, 0)));
    case Kind::unit:
      return manner.values == "integers" ? static_cast<double>(random.integer(0, 1)) : of_unit(random, manner.near_one);
    case Kind::positive:
      if (manner.values == "integers") return static_cast<double>(random.integer(1, 8));
      return std::max(manner.scale * std::exp(random.gaussian()), format.smallest);
    default:
      return of_class(random, manner, format, i);
  }
}

/// Elements of a row that become -inf: all, some, a run at the beginning or at the end; of the class late, all before
/// the last few.
void put_infinities(Random& random, const std::string& values, std::span<double> row) {
  const auto size = std::ssize(row);
  const auto put = [&](std::int64_t from, std::int64_t to) {
    std::fill(row.begin() + from, row.begin() + to, -std::numeric_limits<double>::infinity());
  };
  const double way = random.real();
  if (values == "late") return put(0, std::max<std::int64_t>(size - random.integer(1, 3), 0));
  if (way < 0.1) return put(0, size);
  if (way < 0.4) return put(0, size - log_uniform(random, 1, size));
  if (way < 0.5) return put(log_uniform(random, 1, size), size);
  for (std::int64_t i = 0; i < size; ++i)
    if (random.chance(0.4)) put(i, i + 1);
}

/// Repeats the first part along the first axis: an array that a kernel may be given with a stride of 0.
void repeat_the_first(std::vector<double>& values, const std::vector<std::int64_t>& shape) {
  if (shape.empty() || values.empty()) return;
  const std::size_t part = values.size() / static_cast<std::size_t>(shape[0]);
  for (std::size_t i = part; i < values.size(); ++i) values[i] = values[i - part];
}

/// An element of the upstream gradient. Needle cases have 59 different magnitudes in turn, of both signs; sparse ones
/// have 31 from 1/2 on, so that no term is small beside the bound of its sum.
double upstream_of_class(Random& random, const std::string& values, std::int64_t i) {
  if (is_sparse(values)) return is_in(values, i) ? static_cast<double>(32 + i % 31) / 64 : 0;
  if (is_fixed(values)) return static_cast<double>(1 + i % (needle_period - 2)) / (i % 2 == 0 ? 64 : -64);
  return values == "integers" ? static_cast<double>(random.integer(-4, 4)) : random.gaussian();
}

int draw_layout(Random& random) {
  return random.chance(0.25) ? 0 : static_cast<int>(random.integer(0, layouts - 1));
}

}  // namespace

const std::vector<std::string>& value_classes() {
  static const std::vector<std::string> classes = {"normal",       "offset",    "wide",      "tiny",     "ties",
                                                   "signed zeros", "subnormal", "largest",   "integers", "one-hot",
                                                   "sorted",       "scaled",    "far offset"};
  return classes;
}

std::vector<double> draw_values(Random& random, const Input& input, const Extents& extents, Dtype dtype,
                                const std::string& values) {
  const auto shape = shape_of(input, extents);
  const NumberFormat format = format_of(dtype);
  const Manner manner = draw_manner(random, input, values, format);
  std::vector<double> result(static_cast<std::size_t>(elements_of(shape)));
  for (std::size_t i = 0; i < result.size(); ++i) {
    double& x = result[i];
    x = of_kind(random, input, extents, manner, format, static_cast<std::int64_t>(i));
    x = rounded_to<double>(dtype, x);
    if (std::isinf(x)) x = std::copysign(format.largest, x);
  }
  if (shape.empty() || result.empty() || is_fixed(values)) return result;
  const auto last = static_cast<std::size_t>(shape.back());
  for (std::size_t first = 0; first < result.size(); first += last) {
    const std::span row(result.data() + first, last);
    if (values == "sorted" && input.kind == Kind::real) std::ranges::sort(row);
    if (input.kind == Kind::flag && random.chance(0.1)) std::ranges::fill(row, 0);
    if (input.minus_infinity && (values == "late" || random.chance(0.2))) put_infinities(random, values, row);
  }
  return result;
}

Case filled(Random& random, const Extents& extents, const Specification& specification, const Trace& trace, Dtype dtype,
            const std::string& values, std::int64_t one) {
  Case c;
  c.extents = extents;
  c.values = values;
  c.layout = is_fixed(values) ? static_cast<int>(random.integer(0, layouts - 2)) : draw_layout(random);
  const bool repeats = c.layout == repeated_rows;
  if (one < 0) one = random.integer(0, std::max<std::int64_t>(std::ssize(specification.inputs) - 1, 0));
  for (const Input& input : specification.inputs) {
    const bool is_one = std::ssize(c.arrays) == one;
    const bool has_class =
        is_fixed(values) || values == "integers" || is_one || (!is_magnitude(values) && random.chance(0.8));
    c.arrays.push_back(draw_values(random, input, c.extents, dtype, has_class ? values : "normal"));
    if (repeats) repeat_the_first(c.arrays.back(), shape_of(input, c.extents));
  }
  for (const auto& shape : trace(c.extents)->shapes) {
    std::vector<double> upstream(static_cast<std::size_t>(elements_of(shape)));
    for (std::size_t i = 0; i < upstream.size(); ++i)
      upstream[i] = rounded_to<double>(dtype, upstream_of_class(random, values, static_cast<std::int64_t>(i)));
    if (repeats) repeat_the_first(upstream, shape);
    c.upstream.push_back(std::move(upstream));
  }
  return c;
}

Case draw(Random& random, int size, const Specification& specification, const Trace& trace, Dtype dtype,
          const std::string& values, std::int64_t one) {
  return filled(random, draw_extents(random, size, specification, trace), specification, trace, dtype, values, one);
}

}  // namespace assay::validation::formula
