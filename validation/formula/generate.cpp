// Draws cases: extents around the sizes at which kernels change course, and values of every class.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "validation/core/reach.h"
#include "validation/formula/problem.h"

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

void halve_the_largest(Extents& extents) {
  auto largest = std::ranges::max_element(extents, {}, [](const auto& one) { return one.second; });
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
  Extents extents;
  for (const auto& name : specification.extents) {
    const auto limit = specification.limits.find(name);
    extents[name] = draw_extent(random, size, limit == specification.limits.end() ? 257 : limit->second,
                                may_be_empty(specification, name));
  }
  while (!is_small(specification, extents)) halve_the_largest(extents);
  const auto elements = [&](const Extents& at) { return trace(at)->graph.elements(); };
  if (elements(extents) <= specification.largest_graph) return extents;
  const std::int64_t most = room(specification.largest_graph, elements(all_one(specification)));
  while (elements(extents) > most) {
    const Extents before = extents;
    halve_the_largest(extents);
    if (extents == before) break;
  }
  return extents;
}

double of_class(Random& random, const std::string& values, const NumberFormat& format, std::int64_t i, double offset) {
  const double normal = random.gaussian();
  if (values == "offset") return offset + normal;
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

double of_kind(Random& random, const Input& input, const Extents& extents, const std::string& values,
               const NumberFormat& format, std::int64_t i, double offset, bool near_one) {
  if (is_fixed(values)) return of_needle(input, extents, values, i);
  switch (input.kind) {
    case Kind::flag:
      return random.chance(0.7) ? 1 : 0;
    case Kind::index:
      return static_cast<double>(random.integer(0, std::max<std::int64_t>(size_of(input.extent, extents) - 1, 0)));
    case Kind::unit:
      return of_unit(random, near_one);
    case Kind::positive:
      return std::exp(random.gaussian());
    default:
      return of_class(random, values, format, i, offset);
  }
}

/// An element of the upstream gradient. Needle cases have 59 different magnitudes in turn, of both signs; sparse ones
/// have 31 from 1/2 on, so that no term is small beside the bound of its sum.
double upstream_of_class(Random& random, const std::string& values, std::int64_t i) {
  if (is_sparse(values)) return is_in(values, i) ? static_cast<double>(32 + i % 31) / 64 : 0;
  if (is_fixed(values)) return static_cast<double>(1 + i % (needle_period - 2)) / (i % 2 == 0 ? 64 : -64);
  return values == "integers" ? static_cast<double>(random.integer(-4, 4)) : random.gaussian();
}

}  // namespace

const std::vector<std::string>& value_classes() {
  static const std::vector<std::string> classes = {"normal",   "offset",       "wide",      "tiny",
                                                   "ties",     "signed zeros", "subnormal", "largest",
                                                   "integers", "one-hot",      "sorted"};
  return classes;
}

std::vector<double> draw_values(Random& random, const Input& input, const Extents& extents, Dtype dtype,
                                const std::string& values) {
  const auto shape = shape_of(input, extents);
  const NumberFormat format = format_of(dtype);
  const double offset = random.pick({100.0, -1000.0, 10000.0});
  const bool near_one = input.kind == Kind::unit && random.chance(0.5);
  std::vector<double> result(static_cast<std::size_t>(elements_of(shape)));
  for (std::size_t i = 0; i < result.size(); ++i) {
    double& x = result[i];
    x = of_kind(random, input, extents, values, format, static_cast<std::int64_t>(i), offset, near_one);
    x = rounded_to<double>(dtype, x);
    if (std::isinf(x)) x = std::copysign(format.largest, x);
  }
  if (shape.empty() || result.empty() || is_fixed(values)) return result;
  const std::int64_t last = shape.back();
  for (auto row = result.begin(); row != result.end(); row += last) {
    if (values == "sorted" && input.kind == Kind::real) std::sort(row, row + last);
    if (input.kind == Kind::flag && random.chance(0.1)) std::fill(row, row + last, 0);
    if (!input.minus_infinity || !random.chance(0.2)) continue;
    const bool all = random.chance(0.1);
    for (auto x = row; x != row + last; ++x)
      if (all || random.chance(0.4)) *x = -std::numeric_limits<double>::infinity();
  }
  return result;
}

Case filled(Random& random, const Extents& extents, const Specification& specification, const Trace& trace, Dtype dtype,
            const std::string& values) {
  Case c;
  c.extents = extents;
  c.values = values;
  for (const Input& input : specification.inputs)
    c.arrays.push_back(
        draw_values(random, input, c.extents, dtype, is_fixed(values) || random.chance(0.8) ? values : "normal"));
  for (const auto& shape : trace(c.extents)->shapes) {
    std::vector<double> upstream(static_cast<std::size_t>(elements_of(shape)));
    for (std::size_t i = 0; i < upstream.size(); ++i)
      upstream[i] = rounded_to<double>(dtype, upstream_of_class(random, values, static_cast<std::int64_t>(i)));
    c.upstream.push_back(std::move(upstream));
  }
  c.layout = static_cast<int>(random.integer(0, 2));
  return c;
}

Case draw(Random& random, int size, const Specification& specification, const Trace& trace, Dtype dtype,
          const std::string& values) {
  return filled(random, draw_extents(random, size, specification, trace), specification, trace, dtype, values);
}

}  // namespace assay::validation::formula
