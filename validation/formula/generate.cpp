// Draws cases: extents around the sizes at which kernels change course, and values of every class.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "validation/formula/problem.h"

namespace assay::validation::formula {
namespace {

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

bool is_small(const Specification& specification, const Extents& extents) {
  return std::ranges::all_of(specification.inputs, [&](const Input& input) {
    return elements_of(shape_of(input, extents)) <= specification.largest_input;
  });
}

Extents draw_extents(Random& random, int size, const Specification& specification, const Trace& trace) {
  Extents extents;
  for (const auto& name : specification.extents) {
    const auto limit = specification.limits.find(name);
    extents[name] =
        draw_extent(random, size, limit == specification.limits.end() ? 257 : limit->second, specification.empty);
  }
  while (!is_small(specification, extents)) halve_the_largest(extents);
  while (trace(extents)->graph.elements() > specification.largest_graph) {
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
  std::vector<double> result(static_cast<std::size_t>(elements_of(shape)));
  for (std::size_t i = 0; i < result.size(); ++i) {
    double& x = result[i];
    switch (input.kind) {
      case Kind::flag:
        x = random.chance(0.7) ? 1 : 0;
        break;
      case Kind::index:
        x = static_cast<double>(random.integer(0, std::max<std::int64_t>(extents.at(input.extent) - 1, 0)));
        break;
      case Kind::unit:
        x = random.chance(0.1) ? random.pick({0.0, 1.0}) : random.real();
        break;
      case Kind::positive:
        x = std::exp(random.gaussian());
        break;
      default:
        x = of_class(random, values, format, static_cast<std::int64_t>(i), offset);
    }
    x = rounded_to<double>(dtype, x);
    if (std::isinf(x)) x = std::copysign(format.largest, x);
  }
  if (shape.empty() || result.empty()) return result;
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

Case draw(Random& random, int size, const Specification& specification, const Trace& trace, Dtype dtype,
          const std::string& values) {
  Case c;
  c.extents = draw_extents(random, size, specification, trace);
  const auto& classes = value_classes();
  c.values = !values.empty() ? values : classes[static_cast<std::size_t>(random.integer(0, std::ssize(classes) - 1))];
  for (const Input& input : specification.inputs)
    c.arrays.push_back(draw_values(random, input, c.extents, dtype, random.chance(0.8) ? c.values : "normal"));
  for (const auto& shape : trace(c.extents)->shapes) {
    std::vector<double> upstream(static_cast<std::size_t>(elements_of(shape)));
    for (double& g : upstream)
      g = rounded_to<double>(dtype,
                             c.values == "integers" ? static_cast<double>(random.integer(-4, 4)) : random.gaussian());
    c.upstream.push_back(std::move(upstream));
  }
  c.layout = static_cast<int>(random.integer(0, 2));
  return c;
}

}  // namespace assay::validation::formula
