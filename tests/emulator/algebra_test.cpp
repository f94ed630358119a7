// The algebraic twin: right kernels of many makings give the residues of their formula, planted faults do not, and what
// leaves the algebra is not judged.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "metal/device/read_file.h"
#include "metal/emulator/numerics/algebra.h"
#include "reference/formula/followed.h"
#include "tests/emulator/bench.h"
#include "tests/matchers.h"

namespace assay::metal::emulator::test {
namespace {

using reference::Comparison;
using reference::Followed;
using Numbers = std::vector<Followed>;
using Math = reference::NumberTraits<Followed>;

constexpr std::size_t lanes = 32, inputs = 64;

std::string algebra_shader(const std::string& name) {
  return fmt::format("{}/{}.metal", ASSAY_TEST_SHADERS, name);
}

/// What each kernel of a file computes: the comment before it.
std::map<std::string, std::string> formulas_in(const std::string& name) {
  std::istringstream source(or_throw(read_file(algebra_shader(name))));
  std::map<std::string, std::string> formulas;
  std::string before;
  for (std::string line; std::getline(source, line); before = line)
    if (line.starts_with("KERNEL(")) formulas[line.substr(7, line.find(')') - 7)] = before.substr(3);
  return formulas;
}

std::vector<float> input() {
  std::vector<float> x;
  for (std::size_t n = 0; n < inputs; ++n) x.push_back(0.03F * static_cast<float>(n * 37 % 64) - 0.9F);
  x[31] = -20.5F;
  return x;
}

/// A file of kernels, compiled once.
class Kernels {
 public:
  explicit Kernels(const std::string& name, EmulatorOptions options = options_of_algebra())
      : device_(std::move(options)), library_(or_throw(device_.new_library_from_file(algebra_shader(name)))) {}

  /// The results, with their residues.
  Numbers run(const std::string& kernel) {
    const auto pipeline = or_throw(device_.new_pipeline(or_throw(library_->new_function(kernel))));
    const std::vector<float> x = input(), zeros(inputs);
    std::vector<std::shared_ptr<Buffer>> buffers = {or_throw(device_.new_buffer(std::as_bytes(std::span(x)), "x"))};
    for (const char* output : {"y", "h", "total"})
      buffers.push_back(or_throw(device_.new_buffer(std::as_bytes(std::span(zeros)), output)));
    const auto commands = device_.new_command_queue()->command_buffer();
    const auto encoder = or_throw(commands->compute_encoder());
    encoder->set_pipeline(pipeline);
    for (std::uint32_t n = 0; n < buffers.size(); ++n) encoder->set_buffer(buffers[n], 0, n);
    encoder->dispatch_threads({lanes}, {lanes});
    EXPECT_TRUE(encoder->end_encoding() && commands->commit() && commands->wait_until_completed()) << kernel;
    Numbers results;
    const auto* const y = reinterpret_cast<const float*>(buffers[1]->contents());
    for (std::size_t n = 0; n < lanes; ++n)
      results.emplace_back(y[n], device_.algebra() ? device_.algebra()->residue_at(y + n, y[n]) : reference::Residue());
    return results;
  }

  static EmulatorOptions options_of_algebra() {
    EmulatorOptions options;
    options.with_algebra = true;
    options.checks.racecheck = false;
    return options;
  }

  /// Residues of another chain begin.
  void forget() { device_.algebra()->clear(); }

 private:
  EmulatorDevice device_;
  std::shared_ptr<Library> library_;
};

Followed number(double x) {
  return Followed::constant(x);
}

/// The formulas, in the ring.
Numbers truth_of(const std::string& formula) {
  Numbers x, y;
  for (const float one : input()) x.emplace_back(one);
  Followed exponentials(0), squares(0), sum(0);
  for (std::size_t n = 0; n < inputs; ++n) {
    sum += x[n];
    if (n >= lanes) continue;
    exponentials += Math::exp(x[n]);
    squares += x[n] * x[n];
  }
  for (std::size_t n = 0; n < lanes; ++n) {
    const Followed& u = x[n];
    Followed product(0);
    for (std::size_t k = 0; k < 8; ++k) product += x[n / 8 * 8 + k] * x[8 * k + n % 8];
    const Followed z =
        Math::sqrt(number(2) / reference::Functions<Followed>::pi()) * (u + number(0.044715) * u * u * u);
    const std::map<std::string, Followed> all = {{"softmax", Math::exp(u) / exponentials},
                                                 {"gradient", Math::exp(u) / exponentials - Followed(n == 31 ? 1 : 0)},
                                                 {"log-sum-exp", Math::log(exponentials)},
                                                 {"rms norm", u / Math::sqrt(squares / number(32) + number(1e-5))},
                                                 {"mean", sum / number(64)},
                                                 {"gelu", u / (number(1) + Math::exp(number(-2) * z))},
                                                 {"one more", Math::log(Followed(1) + Math::exp(u - Followed(20)))},
                                                 {"product", product}};
    y.push_back(all.at(formula));
  }
  return y;
}

/// How many results are equal, different and undecided.
using Counts = std::map<Comparison, int>;

/// Where a chain of primes leaves results undecided, as roots do of half of all numbers, the next is asked about them.
Counts compared(Kernels& kernels, const std::string& kernel, const std::string& formula) {
  std::vector<Comparison> found(lanes, Comparison::undecided);
  for (reference::chain_in_use = 0; reference::chain_in_use < reference::chains.size(); ++reference::chain_in_use) {
    const Numbers results = kernels.run(kernel), truth = truth_of(formula);
    for (std::size_t n = 0; n < lanes; ++n)
      if (found[n] != Comparison::equal && found[n] != Comparison::different) found[n] = compare(results[n], truth[n]);
    kernels.forget();
  }
  reference::chain_in_use = 0;
  Counts count;
  for (const Comparison one : found) ++count[one];
  return count;
}

TEST(Algebra, AcceptsRightKernelsOfManyMakings) {
  Kernels kernels("algebra_right");
  const auto formulas = formulas_in("algebra_right");
  EXPECT_GE(formulas.size(), 20U);
  for (const auto& [kernel, formula] : formulas) {
    Counts count = compared(kernels, kernel, formula);
    EXPECT_EQ(count[Comparison::equal], static_cast<int>(lanes))
        << kernel << ": " << count[Comparison::different] << " differ, " << count[Comparison::undecided]
        << " undecided";
  }
}

TEST(Algebra, NoticesEveryPlantedFault) {
  Kernels kernels("algebra_faults");
  const auto formulas = formulas_in("algebra_faults");
  EXPECT_GE(formulas.size(), 13U);
  for (const auto& [kernel, formula] : formulas) {
    Counts count = compared(kernels, kernel, formula);
    EXPECT_GE(count[Comparison::different], 1) << kernel << ": " << count[Comparison::undecided] << " undecided";
  }
}

TEST(Algebra, SaysNothingOfWhatLeavesIt) {
  Kernels kernels("algebra_left");
  for (const auto& [kernel, formula] : formulas_in("algebra_left")) {
    Counts count = compared(kernels, kernel, formula);
    EXPECT_EQ(count[Comparison::different], 0) << kernel;
    EXPECT_EQ(count[Comparison::undecided], static_cast<int>(lanes)) << kernel;
  }
}

TEST(Algebra, RefusesAStatementThatItDoesNotKnow) {
  for (const std::string text : {"f is gamma", "f exp", "f"}) {
    EmulatorDevice device(Kernels::options_of_algebra());
    const auto library = device.new_library(fmt::format("#pragma assay {}\nkernel void k() {{}}\n", text));
    const auto function = library ? (*library)->new_function("k") : tl::unexpected(library.error());
    ASSERT_FALSE(function) << text;
    EXPECT_THAT(function.error().text, testing::HasSubstr("#pragma assay " + text + ": expected NAME is FUNCTION"));
  }
}

}  // namespace
}  // namespace assay::metal::emulator::test
