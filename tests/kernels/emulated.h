// What tests of the kernels of all operations share: reports of the emulator's checks, orders of threads, lint, and
// sweeps over barriers.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "metal/device/shader_source.h"
#include "metal/emulator/barrier_sweep.h"
#include "metal/emulator/compile/lint.h"
#include "metal/emulator/emulator_device.h"

namespace assay::metal::test {

/// The findings of the checks so far and their warnings, as text; empty if there are none.
inline std::string text_of_reports(const emulator::EmulatorDevice& device) {
  std::string text;
  for (const emulator::Report& report : device.reports()) text += to_string(report) + "\n";
  for (const emulator::Report& warning : device.warnings()) text += to_string(warning) + "\n";
  return text;
}

/// Unchecked emulators that run threads in each order.
inline std::vector<emulator::EmulatorOptions> thread_orders() {
  using emulator::ThreadOrder;
  std::vector<emulator::EmulatorOptions> all;
  for (const ThreadOrder order : {ThreadOrder::forward, ThreadOrder::reverse, ThreadOrder::random}) {
    all.emplace_back().is_checked = false;
    all.back().order = order;
  }
  return all;
}

/// Lint accepts the file without a warning, with and without bfloat.
inline void expect_lint_accepts(const std::filesystem::path& file) {
  for (const int version : {320, 300}) {
    emulator::CompileOptions options;
    options.language.metal_version = version;
    const auto result = emulator::lint_file(file, options);
    EXPECT_EQ(result ? *result : result.error().text, "");
  }
}

/// A source with some headers of an operation's kernels, and instantiations of some of their templates, each a host
/// name and a kernel. It compiles many times faster than all kernels.
inline Result<std::string> some_kernels(const std::string& operation, const std::vector<std::string>& headers,
                                        const std::vector<std::pair<std::string, std::string>>& templates) {
  // Tests run side by side in processes of their own.
  const std::string name = fmt::format("{}_{}_{}.metal", operation, headers.front(), getpid());
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / name;
  std::ofstream text(file);
  for (const std::string& header : headers)
    text << fmt::format("#include \"{}/{}/{}.h\"\n", ASSAY_KERNELS, operation, header);
  text << fmt::format("namespace assay {{\nnamespace {} {{\n", operation);
  for (const auto& [host_name, kernel] : templates)
    text << fmt::format("template [[host_name(\"{0}\")]] [[kernel]] decltype({1}) {1};\n", host_name, kernel);
  text << "}\n}\n";
  text.close();
  auto source = text_with_includes(file);
  std::filesystem::remove(file);
  return source;
}

/// Each change to a barrier is reported, at least `min_reported` of them. `run` runs dispatches of the source's kernels
/// that need the barriers.
inline void expect_each_barrier_needed(const Result<std::string>& source, std::size_t min_reported,
                                       const emulator::RunChanged& run) {
  ASSERT_TRUE(source) << source.error().text;
  const Result<emulator::BarrierSweep> sweep = emulator::sweep_barriers(emulator::barrier_mutants(*source), run);
  ASSERT_TRUE(sweep) << sweep.error().text;
  EXPECT_GE(sweep->reported.size(), min_reported);
  for (const emulator::BarrierMutant& survivor : sweep->survivors)
    ADD_FAILURE() << to_string(survivor.barrier) << " " << survivor.change;
}

}  // namespace assay::metal::test
