// numcheck: planted origins of NaN and infinity, and planted losses of digits, each of which must be found at its line.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>
#include <sstream>

#include "metal/device/read_file.h"
#include "tests/emulator/bench.h"
#include "tests/matchers.h"

namespace assay::metal::emulator::test {
namespace {

constexpr std::uint64_t lanes_of_a_simdgroup = 32;

std::string numerics_shader(const std::string& name) {
  return fmt::format("{}/{}.metal", ASSAY_TEST_SHADERS, name);
}

/// The line of the comment "here" of each kernel, which is in the kernel itself or names it.
std::map<std::string, std::uint32_t> planted_lines(const std::string& name) {
  std::istringstream source(or_throw(read_file(numerics_shader(name))));
  std::map<std::string, std::uint32_t> lines;
  std::string kernel;
  std::uint32_t number = 0;
  for (std::string line; std::getline(source, line);) {
    ++number;
    if (line.starts_with("KERNEL(")) kernel = line.substr(7, line.find(')') - 7), lines[kernel];
    const std::size_t here = line.find("// here");
    if (here == std::string::npos || number == 1) continue;
    const std::string rest = line.substr(here + 7);
    lines[rest.starts_with(": ") ? rest.substr(2) : kernel] = number;
  }
  return lines;
}

struct NumericFindings {
  std::vector<Report> reports, warnings;
  Losses losses;
  std::string all() const {
    std::string text;
    for (const auto* list : {&reports, &warnings})
      for (const Report& report : *list) text += to_string(report) + "\n";
    return text;
  }
};

/// A file of kernels, compiled once.
class NumericKernels {
 public:
  explicit NumericKernels(const std::string& name)
      : device_(numeric_options()), library_(or_throw(device_.new_library_from_file(numerics_shader(name)))) {}

  /// Runs one of them on a simdgroup, on x[i] = i and as many outputs of each type as the kernel wants.
  NumericFindings run(const std::string& kernel) {
    device_.clear_reports();
    const auto pipeline = or_throw(device_.new_pipeline(or_throw(library_->new_function(kernel))));
    std::vector<float> x(64);
    std::iota(x.begin(), x.end(), 0.0F);
    const auto commands = device_.new_command_queue()->command_buffer();
    std::vector<std::shared_ptr<Buffer>> buffers = {or_throw(device_.new_buffer(std::as_bytes(std::span(x)), "x"))};
    for (const char* output : {"y", "h", "b", "sum"})
      buffers.push_back(or_throw(device_.new_buffer(std::as_bytes(std::span(zeros_)), output)));
    const auto encoder = or_throw(commands->compute_encoder());
    encoder->set_pipeline(pipeline);
    for (std::uint32_t n = 0; n < buffers.size(); ++n) encoder->set_buffer(buffers[n], 0, n);
    encoder->dispatch_threads({lanes_of_a_simdgroup}, {lanes_of_a_simdgroup});
    EXPECT_TRUE(encoder->end_encoding() && commands->commit() && commands->wait_until_completed()) << kernel;
    return {device_.reports(), device_.warnings(), device_.losses().back().losses};
  }

 private:
  static EmulatorOptions numeric_options() {
    EmulatorOptions options;
    options.with_numerics = true;
    options.checks.racecheck = options.checks.simdcheck = false;
    return options;
  }

  std::vector<float> zeros_ = std::vector<float>(64);
  EmulatorDevice device_;
  std::shared_ptr<Library> library_;
};

TEST(Numcheck, FindsEveryPlantedOrigin) {
  NumericKernels kernels("numerics_origins");
  const auto lines = planted_lines("numerics_origins");
  EXPECT_GE(lines.size(), 30U);
  for (const auto& [kernel, line] : lines) {
    const NumericFindings found = kernels.run(kernel);
    if (found.reports.empty() && found.warnings.empty()) {
      ADD_FAILURE() << kernel << ": nothing found";
      continue;
    }
    const Report& first = found.reports.empty() ? found.warnings.front() : found.reports.front();
    EXPECT_EQ(first.check, Check::numcheck) << kernel;
    EXPECT_EQ(first.event.position.line, line) << kernel << "\n" << found.all();
    EXPECT_THAT(first.event.position.file, testing::EndsWith("numerics_origins.metal")) << kernel;
  }
}

TEST(Numcheck, NamesTheLineThatLostDigitsFirst) {
  NumericKernels kernels("numerics_losses");
  const auto lines = planted_lines("numerics_losses");
  EXPECT_GE(lines.size(), 30U);
  std::string missed;
  std::size_t found_first = 0;
  for (const auto& [kernel, line] : lines) {
    const NumericFindings found = kernels.run(kernel);
    ASSERT_FALSE(found.losses.lines.empty()) << kernel;
    for (const LineLoss& one : found.losses.lines) EXPECT_GE(one.share, 0) << kernel;
    const LineLoss& first = found.losses.lines[0];
    if (first.position.line == line)
      ++found_first;
    else
      missed += fmt::format("{}: line {} with {:.2f}, expected {}\n{}", kernel, first.position.line, first.share, line,
                            found.all());
    if (found.losses.large != 0) {
      EXPECT_EQ(found.warnings.at(0).event.position.line, first.position.line) << kernel;
    }
  }
  EXPECT_GE(found_first * 10, lines.size() * 9) << missed;
}

TEST(Numcheck, IsSilentWhereNothingIsWrong) {
  NumericKernels kernels("numerics_right");
  for (const auto& [kernel, line] : planted_lines("numerics_right")) {
    const NumericFindings found = kernels.run(kernel);
    EXPECT_THAT(found.reports, IsEmpty()) << kernel << "\n" << found.all();
    EXPECT_THAT(found.warnings, IsEmpty()) << kernel << "\n" << found.all();
  }
}

TEST(Numcheck, NamesOperandsThreadAndWhatItBecame) {
  NumericKernels kernels("numerics_origins");
  const NumericFindings found = kernels.run("naive_tanh");
  ASSERT_EQ(found.reports.size(), 1U) << found.all();
  const std::string text = to_string(found.reports[0]);
  EXPECT_THAT(text, HasSubstr("exp(92) makes an infinity: exactly 9.01762841e+39, which float cannot hold"));
  EXPECT_THAT(text, HasSubstr("buffer(1) `y` + 92 is NaN"));
  EXPECT_THAT(text, HasSubstr("by thread (23, 0, 0) of the grid"));
  EXPECT_THAT(text, HasSubstr("inf / inf = NaN"));
}

TEST(Numcheck, NamesTheUnderflowThatDecided) {
  NumericKernels kernels("numerics_origins");
  const NumericFindings found = kernels.run("half_underflow");
  ASSERT_FALSE(found.reports.empty());
  EXPECT_THAT(found.reports[0].message, HasSubstr("its operand 0 is exactly 9.99999972e-10, and was made at"));
}

TEST(Numcheck, NamesTheFirstOfTwoUnderflows) {
  NumericKernels kernels("numerics_origins");
  const NumericFindings found = kernels.run("quotient_of_underflows");
  ASSERT_FALSE(found.reports.empty());
  EXPECT_THAT(found.reports[0].message, HasSubstr(fmt::format("its operand 0 is exactly {:.9g}", std::exp(-200.0))));
}

}  // namespace
}  // namespace assay::metal::emulator::test
