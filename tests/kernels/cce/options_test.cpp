// Every option, every pair of them and all together, on every type, with every check of the emulator on.
#include <fmt/format.h>

#include "metal/cpu/half.h"
#include "tests/kernels/cce/bench.h"
#include "tests/kernels/cce/paths.h"

namespace assay::metal::test {
namespace {

struct Option {
  const char* name;
  void (*set)(CceCase&);
};

constexpr Option options[] = {
    {"bias", [](CceCase& c) { c.bias = some_cce(1, 1, c.V, true, 1, 9).bias; }},
    {"softcap", [](CceCase& c) { c.logit_softcap = 1.5; }},
    {"smoothing", [](CceCase& c) { c.label_smoothing = 0.1; }},
    {"z_loss", [](CceCase& c) { c.z_loss = 0.01; }},
    {"sum", [](CceCase& c) { c.reduction = Reduction::sum; }},
    {"mean", [](CceCase& c) { c.reduction = Reduction::mean; }},
    {"upstream",
     [](CceCase& c) {
       for (std::size_t n = 0; n < c.loss_size(); ++n) c.upstream.push_back(static_cast<float>(n % 3) - 1.5F);
     }},
};
constexpr std::size_t option_count = std::size(options);

CceCase with(CceCase c, const std::vector<std::size_t>& chosen) {
  for (const std::size_t option : chosen) options[option].set(c);
  return c;
}

std::string names_of(const std::vector<std::size_t>& chosen) {
  std::string names;
  for (const std::size_t option : chosen) names += fmt::format(" {}", options[option].name);
  return names;
}

std::vector<std::vector<std::size_t>> combinations() {
  std::vector<std::vector<std::size_t>> all = {{}, {0, 1, 2, 3, 5, 6}};
  for (std::size_t a = 0; a < option_count; ++a) {
    all.push_back({a});
    for (std::size_t b = a + 1; b < option_count; ++b) all.push_back({a, b});
  }
  return all;
}

class CceOptionsOf : public testing::TestWithParam<CcePath> {
 protected:
  void TearDown() override { EXPECT_EQ(bench_.reports(), ""); }

  CceBench bench_{{.path = GetParam()}};
};

TEST_P(CceOptionsOf, AreThoseOfTheDefinition) {
  const CceCase plain = some_cce(7, 9, 70);
  for (const auto& chosen : combinations()) {
    const CceCase c = with(plain, chosen);
    expect_exact(bench_.run(c), c, tolerance_of(GetParam()), names_of(chosen));
  }
}

/// The arithmetic is that of float, and a gradient is rounded once; but dL/dz is rounded too, as a factor of matrices of
/// bfloat.
template <class Real>
void expect_rounded(const CceBench& bench, const CceCase& wanted, bool has_matrices, const std::string& what) {
  CceCase c = wanted;
  for (auto* const values : {&c.hidden, &c.weight, &c.bias})
    for (float& value : *values) value = static_cast<Real>(value);
  const CceResults<Real> narrow = bench.run<Real>(c);
  const CceResults<float> wide = bench.run(c);
  EXPECT_EQ(narrow.loss, wide.loss) << what;
  const auto expect_same = [&](const std::vector<Real>& got, const std::vector<float>& from) {
    for (std::size_t i = 0; i < got.size(); ++i)
      EXPECT_EQ(float{got[i]}, float{static_cast<Real>(double{from[i]})}) << what << " " << i;
  };
  expect_same(narrow.dbias, wide.dbias);
  if (has_matrices) return expect_exact(narrow, c, bfloat_tolerance, what);
  expect_same(narrow.dhidden, wide.dhidden);
  expect_same(narrow.dweight, wide.dweight);
}

TEST_P(CceOptionsOf, AreRoundedOnceInEveryType) {
  const CceCase plain = some_cce(7, 9, 70);
  for (const std::vector<std::size_t>& chosen : {std::vector<std::size_t>{}, {0}, {0, 1, 2, 3, 5, 6}}) {
    expect_rounded<Half>(bench_, with(plain, chosen), false, "half" + names_of(chosen));
    expect_rounded<BFloat16>(bench_, with(plain, chosen), GetParam() == CcePath::production,
                             "bfloat" + names_of(chosen));
  }
}

TEST_P(CceOptionsOf, ExtremesOfTheSoftcap) {
  const CceCase plain = some_cce(4, 5, 20, true, 4);
  CceCase without = plain;
  without.logit_softcap = std::numeric_limits<double>::infinity();
  EXPECT_EQ(bench_.run(without), bench_.run(plain));
  for (const double cap : {1e-3, 0.3, 30.0, 1e6, 1e30, 1e300}) {
    CceCase c = plain;
    c.logit_softcap = cap;
    expect_exact(bench_.run(c), c, tolerance_of(GetParam()), fmt::format("cap {}", cap));
  }
  CceCase tiny = plain;
  tiny.logit_softcap = 1e-300;
  for (const float loss : bench_.run(tiny).loss) EXPECT_TRUE(loss == 0.0F || std::abs(loss - std::log(20.0F)) < 1e-6F);
}

/// As a tanh of -inf has it: an entry that bias takes out of the vocabulary comes back in with -cap.
TEST_P(CceOptionsOf, ASoftcapBoundsABiasOfMinusInfinity) {
  CceCase c = some_cce(4, 5, 20, true);
  c.bias[3] = -std::numeric_limits<float>::infinity();
  c.logit_softcap = 2;
  expect_exact(bench_.run(c), c, tolerance_of(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(All, CceOptionsOf, both_paths(), name_of_path);

}  // namespace
}  // namespace assay::metal::test
