// The planted line of each function has the comment "here".
#include "tests/plugin/planted/planted.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "validation/plugin/assay_plugin.h"

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

// Origins of NaN and infinities.
PLANTED(softmax_without_shift) {
  float total = 0;
  for (std::int64_t j = 0; j < n; ++j) total += std::exp(x[j] * 3);  // here
  for (std::int64_t i = 0; i < n; ++i) y[i] = std::exp(x[i]) / total * total;
}
PLANTED(zero_by_zero) {
  for (std::int64_t i = 0; i < n; ++i) {
    const float d = x[i] - x[i];
    const float q = x[0] / d;  // here
    y[i] = q + 1;
  }
}
PLANTED(log_of_a_probability_of_zero) {
  for (std::int64_t i = 0; i < n; ++i) {
    const float information = std::log(x[i]);  // here
    y[i] = x[i] * information;
  }
}
PLANTED(fully_masked_row) {
  std::vector<float> scores(static_cast<std::size_t>(n), -infinity);
  const float largest = *std::max_element(scores.begin(), scores.end());
  float total = 0;
  for (const float score : scores) total += std::exp(score - largest);  // here
  for (std::int64_t i = 0; i < n; ++i) y[i] = total;
}
struct State {
  float largest, total;
};
State joined(State a, State b) {
  const float largest = std::max(a.largest, b.largest);
  const float shift = std::exp(a.largest - largest);  // here: joined_states
  return {largest, a.total * shift + b.total};
}
PLANTED(joined_states) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = joined({-infinity, 0}, {-infinity, 0}).total;
}
PLANTED(alpha_that_underflows) {
  for (std::int64_t i = 0; i < n; ++i) {
    float alpha = 1;
    for (int t = 0; t < 60; ++t) alpha *= 0.1F;
    y[i] = std::log(alpha);  // here
  }
}
PLANTED(variance_below_zero) {
  for (std::int64_t i = 0; i < n; ++i) {
    const float variance = x[1] - x[i];
    y[i] = std::sqrt(variance) / 2;  // here
  }
}
PLANTED(half_that_overflows) {
  for (std::int64_t i = 0; i < n; ++i) {
    const auto narrow = static_cast<_Float16>(x[i] * 4096);  // here
    y[i] = static_cast<float>(narrow) - static_cast<float>(narrow);
  }
}
PLANTED(in_a_thread) {
  std::vector<std::thread> threads;
  for (std::int64_t i = 0; i < n; ++i)
    threads.emplace_back([=] {
      const float r = 1 / (x[i] - 3);  // here
      y[i] = r - r;
    });
  for (std::thread& thread : threads) thread.join();
}
float root_or_throw(float x) {
  if (x > 30) throw std::domain_error("too large");
  return std::sqrt(x - 5);  // here: past_an_exception
}
PLANTED(past_an_exception) {
  for (std::int64_t i = 0; i < n; ++i) {
    try {
      y[i] = root_or_throw(x[i]);
    } catch (const std::domain_error&) {
      y[i] = 0;
    }
  }
}

// Losses of digits.
PLANTED(variance_of_squares) {
  float s = 0;
  for (std::int64_t j = 0; j < n; ++j) s += x[j] + 500.1F;
  const float mean = s / static_cast<float>(n);
  const float q = planted::mean_of_squares(x, n, 500.1F);
  for (std::int64_t i = 0; i < n; ++i) y[i] = q - mean * mean;  // here
}
PLANTED(loss_of_large_logits) {
  for (std::int64_t i = 0; i < n; ++i) {
    const float logit = 3000 + std::sin(x[i]) * 7;
    const float lse = logit + std::log1p(x[i] / 100);
    y[i] = lse - logit;  // here
  }
}
PLANTED(log_of_one_plus) {
  for (std::int64_t i = 0; i < n; ++i) {
    const float grown = 1 + std::exp(-x[i] / 4 - 8);
    y[i] = std::log(grown);  // here
  }
}
PLANTED(posterior_of_a_path) {
  for (std::int64_t i = 0; i < n; ++i) {
    const float alpha = -800 - std::sin(x[i]), beta = -700 - std::cos(x[i]);
    const float total = alpha + beta - 0.001F * (1 + x[i]);
    y[i] = alpha + beta - total;  // here
  }
}
PLANTED(blank_probability) {
  for (std::int64_t i = 0; i < n; ++i) {
    const float labels = 0.99999F - x[i] * 1e-7F;
    const float emitted = labels * 0.999999F;
    y[i] = 1 - emitted;  // here
  }
}
PLANTED(small_eigenvalue) {
  for (std::int64_t i = 0; i < n; ++i) {
    const float a = 100.1F + x[i], d = 100.2F + x[i], off = 100.15F + x[i];
    y[i] = a * d - off * off;  // here
  }
}
PLANTED(sum_of_many) {
  const std::vector<float> terms(60000, 0.9F);
  for (std::int64_t i = 0; i < n; i += 16) y[i] = std::accumulate(terms.begin(), terms.end(), 16777216.0F) / 3;  // here
}
struct Shifted {
  virtual ~Shifted() = default;
  virtual float value(float x) const { return 20000 + x / 3; }
};
PLANTED(residual_stream) {
  const std::unique_ptr<Shifted> shifted = std::make_unique<Shifted>();
  for (std::int64_t i = 0; i < n; ++i) {
    const float before = shifted->value(x[i]), after = before + 1e-3F * std::sin(x[i] + 1);
    y[i] = after - before;  // here
  }
}
PLANTED(alpha_in_half) {
  for (std::int64_t i = 0; i < n; ++i) {
    _Float16 alpha = 0;
    for (int t = 0; t < 400; ++t) alpha = alpha + static_cast<_Float16>(-0.3F);  // here
    y[i] = static_cast<float>(alpha);
  }
}

// Right: nothing must be said.
PLANTED(stable_softmax) {
  const float largest = *std::max_element(x, x + n);
  float total = 0;
  for (std::int64_t j = 0; j < n; ++j) total += std::exp(x[j] - largest);
  for (std::int64_t i = 0; i < n; ++i) y[i] = std::exp(x[i] - largest) / total;
}
PLANTED(squares_in_threads) {
  std::vector<float> parts(static_cast<std::size_t>(n));
  std::vector<std::thread> threads;
  for (std::int64_t i = 0; i < n; ++i)
    threads.emplace_back([&, i] { parts[static_cast<std::size_t>(i)] = x[i] * 0.1F; });
  for (std::thread& thread : threads) thread.join();
  for (std::int64_t i = 0; i < n; ++i) y[i] = parts[static_cast<std::size_t>(i)] * parts[0] + 1;
}

/// `threads` is the number of the function.
int run(const assay_cce_problem* p, const assay_cce_output* out, char* /*message*/, std::size_t /*size*/) {
  std::fill(out->loss, out->loss + p->N, 0.0F);
  planted::functions().at(static_cast<std::size_t>(p->threads))(static_cast<const float*>(p->hidden), out->loss, p->N);
  for (std::int64_t i = 0; i < out->dhidden_size; ++i) static_cast<float*>(out->dhidden)[i] = 0;
  for (std::int64_t i = 0; i < out->dweight_size; ++i) static_cast<float*>(out->dweight)[i] = 0;
  return ASSAY_OK;
}

}  // namespace

extern "C" const assay_cce_kernel assay_cce = {ASSAY_HEADER(assay_cce_kernel), .name = "planted", .run = run};
