#include "validation/formula/known_truths.h"

#include <algorithm>

#include "validation/core/equality.h"

namespace assay::validation::formula {
namespace {

bool same_elements(const Doubles& a, const Doubles& b) {
  return std::ranges::equal(a, b, [](const auto& x, const auto& y) { return validation::same_bits(x, y); });
}

std::size_t elements_in(const auto& arrays) {
  std::size_t count = 0;
  for (const auto& array : arrays) count += array.size();
  return count;
}

}  // namespace

std::size_t hash_of(const TruthKey& key) {
  std::size_t hash = 0;
  for (const Doubles* some : {&key.arrays, &key.upstream})
    for (const auto& array : *some) hash = hash_of_bits(hash, array);
  return hash;
}

std::size_t bytes_of(const TruthKey& key, const Truth& truth) {
  const std::size_t doubles = elements_in(key.arrays) + elements_in(key.upstream) + elements_in(truth.values);
  const std::size_t results = elements_in(truth.outputs) + elements_in(truth.gradients);
  return doubles * sizeof(double) + results * (sizeof(reference::BigFloat) + 2 * sizeof(double));
}

TruthKey::TruthKey(const Subject& subject, const Case& c)
    : with_gradient(subject.backward),
      arrays(c.arrays),
      upstream(c.upstream),
      arithmetic(subject.arithmetic),
      digits(subject.digits) {
  for (const Trace& trace : {subject.trace, subject.road, with_gradient ? subject.backward_road : Trace()})
    graphs.push_back(trace ? trace(c.extents) : nullptr);
  for (const Input& input : subject.specification.inputs) inputs.push_back(input.name);
}

bool operator==(const TruthKey& a, const TruthKey& b) {
  return a.graphs == b.graphs && a.with_gradient == b.with_gradient && a.digits == b.digits &&
         a.arithmetic == b.arithmetic && a.inputs == b.inputs && same_elements(a.arrays, b.arrays) &&
         same_elements(a.upstream, b.upstream);
}

}  // namespace assay::validation::formula
