// Values that people have and that random draws do not, at moderate sizes: labels in order or all the same, words by
// frequency, any ignore_index, loss scales, all options at once, a model before its training.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "validation/cce/operation.h"
#include "validation/core/index.h"
#include "validation/core/upstream_patterns.h"

namespace assay::validation {
namespace {

constexpr std::int64_t largest_index = std::numeric_limits<std::int64_t>::max();

/// Logits have a standard deviation of about 1, and no two tokens or entries are the same. The reference computes cases
/// of large_case elements (validation/core/truth.h) ten times as fast as smaller ones.
CceCase moderate(Random& random) {
  CceCase c;
  c.N = random.integer(6, 8);
  c.H = random.integer(88, 92);
  c.V = random.integer(41, 43);
  const double scale = std::pow(static_cast<double>(c.H), -0.25);
  const auto fill = [&](std::vector<float>& to, std::int64_t count, double factor) {
    for (std::int64_t i = 0; i < count; ++i) to.push_back(static_cast<float>(factor * random.gaussian()));
  };
  fill(c.hidden, c.N * c.H, scale);
  fill(c.weight, c.V * c.H, scale);
  fill(c.bias, c.V, 0.25);
  for (std::int64_t n = 0; n < c.N; ++n) c.targets.push_back(random.integer(0, c.V - 1));
  return c;
}

/// Named cases in float32, some also in a type of 16 bits.
class Patterns {
 public:
  explicit Patterns(std::uint64_t seed) : random_(seed) {}

  /// set(c) makes a moderate case one of the pattern.
  template <class Set>
  void add(const std::string& name, const Set& set) {
    add_of(Dtype::float32, name, set);
    if (random_.chance(0.1)) add_of(random_.pick({Dtype::float16, Dtype::bfloat16}), name, set);
  }

  Random& random() { return random_; }

  std::vector<CceNamedCase> cases;

 private:
  template <class Set>
  void add_of(Dtype dtype, const std::string& name, const Set& set) {
    CceCase c = moderate(random_);
    set(c);
    c.dtype = dtype;
    for (auto* const values : {&c.hidden, &c.weight, &c.bias})
      for (float& x : *values) x = rounded_to(dtype, double{x});
    cases.push_back({fmt::format("{}, N={} H={} V={} {}", name, c.N, c.H, c.V, name_of(dtype)), std::move(c)});
  }

  Random random_;
};

void ignore_every_third(CceCase& c) {
  for (std::size_t n = 1; n < c.targets.size(); n += 3) c.targets[n] = c.ignore_index;
}

void add_ignored(Patterns& patterns) {
  const auto ignored = [&](const std::string& name, const auto& index_of) {
    patterns.add(fmt::format("an ignore_index {}", name), [&](CceCase& c) {
      c.ignore_index = index_of(c);
      ignore_every_third(c);
    });
  };
  ignored("of V", [](const CceCase& c) { return c.V; });
  ignored("of 255", [](const CceCase&) { return std::int64_t{255}; });
  ignored("of 2^63 - 1", [](const CceCase&) { return largest_index; });
  ignored("of -2 to -99", [&](const CceCase&) { return patterns.random().integer(-99, -2); });
  ignored("below -100", [&](const CceCase&) { return -patterns.random().integer(101, 40'000); });
}

void set_options(CceCase& c) {
  c.logit_softcap = 8;
  c.label_smoothing = 0.125;
  c.z_loss = 0x1p-8;
  ignore_every_third(c);
  set_upstream(c, &CceCase::N, 1.5F);
}

/// All options together, and all but one, since a kernel may lack it.
void add_options(Patterns& patterns) {
  for (const Reduction reduction : {Reduction::none, Reduction::mean}) {
    const auto but = [&](const char* name, const auto& unset) {
      patterns.add(name, [&](CceCase& c) {
        c.reduction = reduction;
        set_options(c);
        unset(c);
      });
    };
    but("all options", [](const CceCase&) {});
    but("all options but logit_softcap", [](CceCase& c) { c.logit_softcap = 0; });
    but("all options but label_smoothing", [](CceCase& c) { c.label_smoothing = 0; });
    but("all options but z_loss", [](CceCase& c) { c.z_loss = 0; });
  }
}

void add_targets(Patterns& patterns) {
  patterns.add("targets that ascend", [](CceCase& c) {
    for (std::int64_t n = 0; n < c.N; ++n) c.targets[index(n)] = 2 * n;
  });
  patterns.add("targets that descend", [](CceCase& c) {
    for (std::int64_t n = 0; n < c.N; ++n) c.targets[index(n)] = c.V - 1 - 2 * n;
  });
  patterns.add("one target of all tokens", [](CceCase& c) { c.targets.assign(index(c.N), c.targets[0]); });
  patterns.add("the first target of all tokens", [](CceCase& c) { c.targets.assign(index(c.N), 0); });
  patterns.add("one target of all tokens that count", [](CceCase& c) {
    c.targets.assign(index(c.N), c.targets[0]);
    ignore_every_third(c);
  });
}

void add_values(Patterns& patterns) {
  patterns.add("a bias that descends", [](CceCase& c) { std::ranges::sort(c.bias, std::ranges::greater()); });
  patterns.add("a bias that ascends", [](CceCase& c) { std::ranges::sort(c.bias); });
  patterns.add("a constant bias", [](CceCase& c) { c.bias.assign(c.bias.size(), 0.5F); });
  patterns.add("a bias of 0", [](CceCase& c) { c.bias.assign(c.bias.size(), 0.0F); });
  patterns.add("nearly equal logits", [](CceCase& c) {
    for (float& x : c.hidden) x /= 256;
    for (float& x : c.bias) x /= 256;
  });
  patterns.add("hidden states of a relu", [](CceCase& c) {
    for (float& x : c.hidden) x = std::max(x, 0.0F);
  });
  patterns.add("positive factors", [](CceCase& c) {
    for (auto* const values : {&c.hidden, &c.weight})
      for (float& x : *values) x = std::abs(x) + 0.125F;
  });
  patterns.add("one-hot hidden states", [](CceCase& c) {
    for (std::int64_t n = 0; n < c.N; ++n)
      for (std::int64_t h = 0; h < c.H; ++h) c.hidden_at(n, h) = h == n % c.H ? 1 : 0;
  });
  patterns.add("equal hidden states", [](CceCase& c) {
    for (std::size_t i = index(c.H); i < c.hidden.size(); ++i) c.hidden[i] = c.hidden[i - index(c.H)];
  });
  patterns.add("rows of weight that are 0",
               [](CceCase& c) { std::fill(c.weight.begin() + c.V / 2 * c.H, c.weight.end(), 0.0F); });
}

}  // namespace

std::vector<CceNamedCase> CceOperation::pattern_cases(std::uint64_t seed) {
  Patterns patterns(seed);
  add_ignored(patterns);
  add_upstream_patterns(patterns, &CceCase::N);
  add_options(patterns);
  add_targets(patterns);
  add_values(patterns);
  return std::move(patterns.cases);
}

}  // namespace assay::validation
