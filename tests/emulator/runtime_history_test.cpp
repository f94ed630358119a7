// Faults of published Metal kernels are found again at their lines, and the mended kernels are silent.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <sstream>

#include "metal/device/or_throw.h"
#include "metal/emulator/emulator_device.h"
#include "tests/emulator/history.h"
#include "tests/matchers.h"

namespace assay::metal::emulator::test {
namespace {

/// What a test binds, and how it dispatches.
struct Run {
  std::vector<std::shared_ptr<Buffer>> buffers;
  Size grid, group;
  DispatchType type = DispatchType::serial;
  int dispatches = 1;
};

std::vector<Report> reports_of(EmulatorDevice& device, const std::string& kernel, const Run& run) {
  const auto library = or_throw(device.new_library("#include <metal_stdlib>\nusing namespace metal;\n" + kernel));
  const auto pipeline = or_throw(device.new_pipeline(or_throw(library->new_function(library->function_names()[0]))));
  const auto commands = device.new_command_queue()->command_buffer();
  const auto encoder = or_throw(commands->compute_encoder(run.type));
  encoder->set_pipeline(pipeline);
  for (std::uint32_t index = 0; index < run.buffers.size(); ++index) encoder->set_buffer(run.buffers[index], 0, index);
  for (int n = 0; n < run.dispatches; ++n) encoder->dispatch_threads(run.grid, run.group);
  EXPECT_TRUE(encoder->end_encoding() && commands->commit() && commands->wait_until_completed());
  return device.reports();
}

std::vector<Report> reports_of(const std::string& kernel) {
  EmulatorDevice device;
  std::vector<float> values(128);
  std::iota(values.begin(), values.end(), 0.0F);
  const auto in = or_throw(device.new_buffer(std::as_bytes(std::span(values)), ""));
  return reports_of(device, kernel, {{in, or_throw(device.new_buffer(512, ""))}, {128}, {64}});
}

/// The lines of the compiled text that end in "// here".
std::set<std::uint32_t> marked_lines(const std::string& kernel) {
  std::set<std::uint32_t> lines;
  std::istringstream text("\n\n" + kernel);
  std::string line;
  for (std::uint32_t number = 1; std::getline(text, line); ++number)
    if (line.ends_with("// here")) lines.insert(number);
  return lines;
}

std::string mended(const PublishedFault& fault) {
  std::string text = fault.kernel;
  const std::string from = fault.from;
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at))
    text.replace(at, from.size(), fault.to);
  EXPECT_NE(text, fault.kernel);
  return text;
}

TEST(History, FaultsOfPublishedKernelsAreReportedAtTheirLines) {
  for (const PublishedFault& fault : published_faults()) {
    SCOPED_TRACE(std::string(fault.issue) + ": " + fault.fault);
    const auto lines = marked_lines(fault.kernel);
    const auto reports = reports_of(fault.kernel);
    EXPECT_THAT(reports, Not(IsEmpty()));
    for (const Report& report : reports) {
      EXPECT_EQ(report.check, fault.check) << to_string(report);
      EXPECT_TRUE(lines.contains(report.event.position.line)) << to_string(report);
      const bool is_race = report.check == Check::racecheck;
      EXPECT_TRUE(!is_race || lines.contains(report.other->position.line)) << to_string(report);
      EXPECT_FALSE(report.advice.empty());
    }
  }
}

TEST(History, TheMendedKernelsAreSilent) {
  for (const PublishedFault& fault : published_faults())
    for (const Report& report : reports_of(mended(fault))) ADD_FAILURE() << fault.issue << ": " << to_string(report);
}

/// Runs a kernel on the first, the middle and the last threadgroup of a grid of rows, one a threadgroup, on 2^31 + 2^16
/// elements. Both buffers have 8 GiB and more; their pages exist only where they are touched.
std::vector<Report> on_large(const std::string& kernel) {
  EmulatorOptions options;
  options.only_groups = {{0, 0}, {32768, 32768}, {GroupRange::end_of_grid, GroupRange::end_of_grid}};
  EmulatorDevice device(options);
  const std::uint64_t rows = 32769, row = 65536, bytes = rows * row * sizeof(float);
  const auto in = or_throw(device.new_sparse_buffer(bytes, true, ""));
  return reports_of(device, kernel, {{in, or_throw(device.new_sparse_buffer(bytes, false, ""))}, {rows}, {1}});
}

/// pytorch/pytorch#189960 and ml-explore/mlx#3294: offsets in 32 bits, of more than 2^31 elements.
TEST(History, OffsetsThatOverflow32BitsAreFoundWithoutTheMemory) {
  const std::string cat = R"(
kernel void cat(device const float* in, device float* out, uint row [[thread_position_in_grid]]) {
  const INDEX offset = INDEX(row) * 65536;
  out[offset] = in[ulong(row) * 65536];  // here
})";
  const auto with_index = [&](const std::string& type) { return on_large("#define INDEX " + type + cat); };
  const auto reports = with_index("int");
  ASSERT_THAT(reports, Not(IsEmpty()));
  EXPECT_EQ(reports[0].check, Check::memcheck);
  EXPECT_TRUE(marked_lines("#define INDEX" + cat).contains(reports[0].event.position.line)) << to_string(reports[0]);
  EXPECT_THAT(reports[0].address, HasSubstr("before its begin"));
  EXPECT_THAT(reports[0].advice, HasSubstr("long"));
  EXPECT_THAT(with_index("long"), IsEmpty());
}

/// ml-explore/mlx#3630: a dispatch writes what another reads, and the encoder lets both overlap.
TEST(History, DispatchesThatOverlapRaceOverABuffer) {
  const std::string turn = R"(
kernel void turn(device float* a, uint i [[thread_position_in_grid]]) {
  a[i] = a[i] + 1;
})";
  for (const DispatchType type : {DispatchType::concurrent, DispatchType::serial}) {
    EmulatorDevice device;
    const std::vector<float> values(64);
    const auto buffer = or_throw(device.new_buffer(std::as_bytes(std::span(values)), ""));
    const auto reports = reports_of(device, turn, {{buffer}, {64}, {64}, type, 2});
    EXPECT_EQ(reports.empty(), type == DispatchType::serial);
    for (const Report& report : reports) EXPECT_EQ(report.event.position.line, 5U) << to_string(report);
  }
}

}  // namespace
}  // namespace assay::metal::emulator::test
