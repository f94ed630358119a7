// Draws cases at extents around the sizes at which kernels change course.
#include <algorithm>

#include "validation/core/reach.h"
#include "validation/core/sizes.h"
#include "validation/formula/patterns.h"
#include "validation/formula/problem.h"
#include "validation/formula/sizes.h"
#include "validation/formula/values.h"

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

/// A size of the extent that others make room for: anywhere above the small ones, or after a multiple of a tile.
std::int64_t draw_leading(Random& random, std::int64_t limit) {
  constexpr std::int64_t small = 32;
  return random.chance(0.5) ? log_uniform(random, std::min(small, limit), limit) : tail_of_a_tile(random, limit);
}

/// The leading extent keeps its size as long as another can give way. No extent falls below its least.
void halve_the_largest(Extents& extents, const std::string& leading, const Specification& specification) {
  const auto excess = [&](const auto& one) { return one.second - least_of(specification, one.first); };
  const auto of_others = [&](const auto& one) { return one.first == leading ? 0 : excess(one); };
  auto largest = std::ranges::max_element(extents, {}, of_others);
  if (of_others(*largest) <= 0) largest = std::ranges::max_element(extents, {}, excess);
  largest->second = taken_size(specification, largest->first, largest->second - (excess(*largest) + 1) / 2);
}

/// How much a case may have of what is usually limited to `usual`: where fixed extents alone exceed it, four times what
/// they make at the least, so that rows can still differ.
std::int64_t room(std::int64_t usual, std::int64_t least) {
  return std::max(usual, 4 * least);
}

Extents all_least(const Specification& specification) {
  Extents extents;
  for (const auto& name : specification.extents) extents[name] = least_of(specification, name);
  return extents;
}

/// True where every extent is its least: halving ends.
bool is_small(const Specification& specification, const Extents& extents) {
  return std::ranges::all_of(specification.inputs, [&](const Input& input) {
    return elements_of(shape_of(input, extents)) <=
           room(specification.largest_input, elements_of(shape_of(input, all_least(specification))));
  });
}

/// There is no index below an extent of 0.
bool may_be_empty(const Specification& specification, const std::string& extent) {
  const bool has_least = specification.least.contains(extent);
  return specification.empty && !has_least && least_of(specification, extent) <= 1 &&
         std::ranges::none_of(specification.inputs,
                              [&](const Input& input) { return input.kind == Kind::index && input.extent == extent; });
}

/// The extents and what halving makes of them, down to where no extent gives way.
std::vector<Extents> all_halved(const Extents& extents, const std::string& leading,
                                const Specification& specification) {
  std::vector<Extents> all = {extents};
  while (!extents.empty()) {
    Extents smaller = all.back();
    halve_the_largest(smaller, leading, specification);
    if (smaller == all.back()) break;
    all.push_back(std::move(smaller));
  }
  return all;
}

/// The extents, halved until the inputs and the graph have room. The graph is traced from the smallest extents on, since
/// that at the largest ones may have a thousand times as many elements as there is room for.
Extents fitting(Extents extents, const std::string& leading, const Specification& specification, const Trace& trace) {
  while (!is_small(specification, extents)) halve_the_largest(extents, leading, specification);
  const auto elements = [&](const Extents& at) { return trace(at)->graph.elements(); };
  const std::int64_t most = room(specification.largest_graph, elements(all_least(specification)));
  std::vector<Extents> halved = all_halved(extents, leading, specification);
  const auto small = std::ranges::find_if(halved, [](const Extents& at) {
    return std::ranges::all_of(at, [](const auto& one) { return one.second <= 64; });
  });
  if (small != halved.end() && elements(*small) <= most) halved.erase(small + 1, halved.end());
  while (halved.size() > 1 && elements(halved[halved.size() - 2]) <= most) halved.pop_back();
  return halved.back();
}

}  // namespace

namespace {

/// The largest size that an extent has beside others that are as large.
constexpr std::int64_t usual = 257;

}  // namespace

double claimed_share(const Specification& specification) {
  constexpr int draws = 400;
  double least = 1;
  for (const auto& [name, unclaimed] : specification.unclaimed) {
    const std::int64_t most = taken_size(specification, name, limit_of(specification, name));
    Random random(1);
    int claimed = 0;
    for (int i = 0; i < draws; ++i)
      if (draw_extent(random, 100 * i / draws, std::min(usual, unclaimed), false) <= most) ++claimed;
    least = std::min(least, static_cast<double>(claimed) / draws);
  }
  return least;
}

Extents draw_extents(Random& random, int size, const Specification& specification, const Trace& trace) {
  if (!specification.only.empty())
    return specification.only[static_cast<std::size_t>(random.integer(0, std::ssize(specification.only) - 1))];
  Extents extents;
  std::string leading;
  const auto taken = [&](const std::string& name, std::int64_t drawn) {
    return drawn == 0 ? 0 : taken_size(specification, name, drawn);
  };
  for (const auto& name : specification.extents) {
    const auto listed = listed_sizes(specification, name);
    if (!listed.empty()) {
      extents[name] = listed[static_cast<std::size_t>(random.integer(0, std::ssize(listed) - 1))];
      continue;
    }
    extents[name] = taken(name, draw_extent(random, size, std::min(usual, limit_of(specification, name)),
                                            may_be_empty(specification, name)));
  }
  if (!extents.empty() && random.integer(0, 200) < size) {
    leading = specification.extents[static_cast<std::size_t>(random.integer(0, std::ssize(specification.extents) - 1))];
    extents[leading] = taken(leading, draw_leading(random, limit_of(specification, leading)));
  }
  return fitting(extents, leading, specification, trace);
}

namespace {

/// Makes an array that a kernel may be given with a stride of 0, where the layout has one.
void repeat_as_laid_out(int layout, std::vector<double>& values, const std::vector<std::int64_t>& shape) {
  if (shape.empty()) return;
  if (layout == repeated_rows) repeat_first_part(values, shape[0]);
  if (layout == repeated_last) repeat_along_last(values, shape.back());
}

/// The last array is the first one that has its shape, kind and type.
void repeat_an_earlier(const Specification& specification, Case& c) {
  const auto& inputs = specification.inputs;
  const Input& last = inputs[c.arrays.size() - 1];
  for (std::size_t k = 0; k + 1 < c.arrays.size(); ++k)
    if (inputs[k].kind == last.kind && inputs[k].dtype == last.dtype && inputs[k].format == last.format &&
        inputs[k].extent == last.extent && shape_of(inputs[k], c.extents) == shape_of(last, c.extents)) {
      c.arrays.back() = c.arrays[k];
      return;
    }
}

/// Values that are fixed are not repeated: each element is to decide a result. Patterns lie as they are.
int draw_layout(Random& random, const ValueClass& values) {
  if (values.pattern != nullptr) return 0;
  const bool is_fixed = values.is_fixed();
  if (!is_fixed && random.chance(0.25)) return 0;
  const int layout = static_cast<int>(random.integer(0, layouts - 1));
  return is_fixed && repeats(layout) ? 0 : layout;
}

}  // namespace

Case filled(Random& random, const Extents& extents, const Specification& specification, const Trace& trace, Dtype dtype,
            const ValueClass& values, std::int64_t one) {
  Case c;
  c.extents = extents;
  c.values = values;
  c.layout = draw_layout(random, values);
  if (one < 0) one = random.integer(0, std::max<std::int64_t>(std::ssize(specification.inputs) - 1, 0));
  for (const Input& input : specification.inputs) {
    const bool is_one = std::ssize(c.arrays) == one;
    ValueClass own = values;
    own.is_negative = values.kind == ValueClass::Kind::opposed ? is_one : values.is_negative;
    const bool has_class = values.is_of_all() || is_one || (!values.is_magnitude() && random.chance(0.8));
    c.arrays.push_back(draw_values(random, input, c.extents, dtype, has_class ? own : ValueClass{}));
    repeat_as_laid_out(c.layout, c.arrays.back(), shape_of(input, c.extents));
    if (values.pattern != nullptr && values.pattern->has_equal_inputs) repeat_an_earlier(specification, c);
  }
  for (const auto& shape : trace(c.extents)->shapes) {
    const auto own = specification.output_dtypes.find(c.upstream.size());
    auto upstream = draw_upstream(random, static_cast<std::size_t>(elements_of(shape)),
                                  own == specification.output_dtypes.end() ? dtype : own->second, values);
    repeat_as_laid_out(c.layout, upstream, shape);
    c.upstream.push_back(std::move(upstream));
  }
  return c;
}

Case draw(Random& random, int size, const Specification& specification, const Trace& trace, Dtype dtype,
          const ValueClass& values, std::int64_t one) {
  return filled(random, draw_extents(random, size, specification, trace), specification, trace, dtype, values, one);
}

Case large(Random& random, const Specification& specification, const Trace& trace, Dtype dtype) {
  constexpr std::int64_t usual = 65;
  if (!specification.only.empty()) return filled(random, specification.only.back(), specification, trace, dtype, {});
  Extents extents;
  for (const auto& name : specification.extents)
    extents[name] = taken_size(specification, name, std::min(usual, limit_of(specification, name)));
  return filled(random, fitting(extents, "", specification, trace), specification, trace, dtype, {});
}

}  // namespace assay::validation::formula
