// Values that people have and that random draws do not, at moderate sizes: labels in order, rows sorted by length or all
// the same, a model before its training, log-probabilities that are not normalised, loss scales, all options at once.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "validation/core/index.h"
#include "validation/core/upstream_patterns.h"
#include "validation/ctc/operation.h"

namespace assay::validation {
namespace {

using Rows = std::vector<std::vector<std::int64_t>>;

/// Rows of as many frames as there are, with Gaussian logits, and no labels yet.
CtcCase moderate(Random& random) {
  CtcCase c;
  c.T = random.integer(26, 30);
  c.B = 4;
  c.C = random.integer(41, 48);
  c.input_lengths.assign(index(c.B), c.T);
  for (std::int64_t i = 0; i < c.T * c.B * c.C; ++i) c.activations.push_back(static_cast<float>(random.gaussian()));
  c.variable = random.pick({CtcVariable::logits, CtcVariable::log_probs});
  return c;
}

/// Rows of 6 to 10 labels, none like the one before.
Rows some_labels(Random& random, const CtcCase& c) {
  Rows rows(index(c.B));
  for (auto& row : rows)
    for (std::int64_t left = random.integer(6, 10); left > 0; --left) {
      const std::int64_t before = row.empty() ? 0 : row.back() - 1;
      row.push_back(1 + (before + random.integer(1, c.C - 2)) % (c.C - 1));
    }
  return rows;
}

/// Named cases in float32, some also in a type of 16 bits.
class Patterns {
 public:
  explicit Patterns(std::uint64_t seed) : random_(seed) {}

  /// set(c, rows) makes a moderate case and its labels one of the pattern.
  template <class Set>
  void add(const std::string& name, const Set& set) {
    add_of(Dtype::float32, name, set);
    const bool is_scaled = name.starts_with("an upstream");  // float16 does not have the loss scales
    if (!is_scaled && random_.chance(0.3)) add_of(random_.pick({Dtype::float16, Dtype::bfloat16}), name, set);
  }

  Random& random() { return random_; }

  std::vector<CtcNamedCase> cases;

 private:
  template <class Set>
  void add_of(Dtype dtype, const std::string& name, const Set& set) {
    CtcCase c = moderate(random_);
    Rows rows = some_labels(random_, c);
    set(c, rows);
    set_targets(c, rows);
    c.dtype = dtype;
    round_to_dtype(c);
    cases.push_back(
        {fmt::format("{}, T={} B={} C={} S={} {}", name, c.T, c.B, c.C, c.S, name_of(dtype)), std::move(c)});
  }

  Random random_;
};

void add_labels(Patterns& patterns) {
  const auto each_row = [&](const char* name, const auto& change) {
    patterns.add(name, [&](CtcCase&, Rows& rows) { std::ranges::for_each(rows, change); });
  };
  using Labels = std::vector<std::int64_t>;
  each_row("labels that ascend", [](Labels& row) {
    for (std::size_t s = 0; s < row.size(); ++s) row[s] = 3 + 3 * static_cast<std::int64_t>(s);
  });
  patterns.add("one to four labels that ascend", [](CtcCase&, Rows& rows) {
    for (std::size_t b = 0; b < rows.size(); ++b) {
      rows[b].resize(b + 1);
      std::ranges::sort(rows[b]);
    }
  });
  each_row("labels that descend", [](Labels& row) {
    for (std::size_t s = 0; s < row.size(); ++s) row[s] = 40 - 3 * static_cast<std::int64_t>(s);
  });
  each_row("one label again and again", [](Labels& row) { row.assign(row.size(), row[0]); });
  each_row("labels in pairs", [](Labels& row) {
    for (std::size_t s = 1; s < row.size(); s += 2) row[s] = row[s - 1];
  });
  each_row("two labels in turn", [](Labels& row) {
    for (std::size_t s = 2; s < row.size(); ++s) row[s] = row[s - 2];
  });
  patterns.add("no more frames than labels", [](CtcCase& c, Rows& rows) {
    for (std::int64_t b = 0; b < c.B; ++b) c.input_lengths[index(b)] = std::ssize(rows[index(b)]);
  });
  patterns.add("a row without labels", [](CtcCase&, Rows& rows) { rows[1].clear(); });
}

void add_rows(Patterns& patterns) {
  patterns.add("lengths that descend", [](CtcCase& c, Rows&) {
    for (std::int64_t b = 0; b < c.B; ++b) c.input_lengths[index(b)] = c.T - 2 * b;
  });
  patterns.add("lengths that ascend", [](CtcCase& c, Rows&) {
    for (std::int64_t b = 0; b < c.B; ++b) c.input_lengths[index(b)] = c.T - 2 * (c.B - 1 - b);
  });
  patterns.add("label counts that descend", [](CtcCase&, Rows& rows) {
    for (std::size_t b = 0; b < rows.size(); ++b) rows[b].resize(6 - b);
  });
  patterns.add("equal rows", [](CtcCase& c, Rows& rows) {
    rows.assign(rows.size(), rows[0]);
    for (std::int64_t t = 0; t < c.T; ++t)
      for (std::int64_t b = 1; b < c.B; ++b)
        for (std::int64_t k = 0; k < c.C; ++k) c.activation(t, b, k) = c.activation(t, 0, k);
  });
  patterns.add("equal labels of different rows", [](CtcCase&, Rows& rows) { rows.assign(rows.size(), rows[0]); });
}

void add_activations(Patterns& patterns) {
  patterns.add("nearly equal logits", [](CtcCase& c, Rows&) {
    for (float& a : c.activations) a /= 256;
  });
  patterns.add("equal logits", [](CtcCase& c, Rows&) { c.activations.assign(c.activations.size(), 0.0F); });
  patterns.add("blank in nearly all frames", [](CtcCase& c, Rows&) {
    for (std::int64_t t = 0; t < c.T; ++t)
      for (std::int64_t b = 0; b < c.B; ++b) c.activation(t, b, c.blank) += 8;
  });
  for (const CtcVariable variable : {CtcVariable::logits, CtcVariable::log_probs})
    patterns.add("log_probs whose probabilities sum to less than 1", [&](CtcCase& c, Rows&) {
      c = to_log_probs(std::move(c));
      c.variable = variable;
      for (std::int64_t t = 0; t < c.T; ++t)
        for (std::int64_t b = 0; b < c.B; ++b) {
          const auto shift = static_cast<float>(patterns.random().real(0.25, 1.5));
          for (std::int64_t k = 0; k < c.C; ++k) c.activation(t, b, k) -= shift;
        }
    });
}

/// A blank other than 0, concatenated targets, repeats, an upstream gradient, and a row that is impossible.
void set_options(CtcCase& c, Rows& rows) {
  c.layout = CtcTargets::concatenated;
  c.zero_infinity = true;
  set_upstream(c, &CtcCase::B, 1.5F);
  c.input_lengths[1] = 2;
  c.blank = 7;
  for (auto& row : rows) {
    row.back() = row[row.size() - 2];
    for (std::int64_t& label : row) label = label == c.blank ? 0 : label;
  }
}

/// All options together, and all but one, since a kernel may lack it.
void add_options(Patterns& patterns) {
  for (const Reduction reduction : {Reduction::none, Reduction::sum, Reduction::mean}) {
    const auto but = [&](const char* name, const auto& unset) {
      patterns.add(name, [&](CtcCase& c, Rows& rows) {
        c.reduction = reduction;
        set_options(c, rows);
        unset(c);
      });
    };
    but("all options", [](const CtcCase&) {});
    but("all options but concatenated targets", [](CtcCase& c) { c.layout = CtcTargets::padded; });
    but("all options but an upstream", [](CtcCase& c) { c.upstream.clear(); });
    but("all options but zero_infinity", [](CtcCase& c) {
      c.zero_infinity = false;
      c.input_lengths[1] = c.T;
    });
  }
}

}  // namespace

std::vector<CtcNamedCase> CtcOperation::pattern_cases(std::uint64_t seed) {
  Patterns patterns(seed);
  add_labels(patterns);
  add_rows(patterns);
  add_activations(patterns);
  add_upstream_patterns(patterns, &CtcCase::B);
  add_options(patterns);
  return std::move(patterns.cases);
}

}  // namespace assay::validation
