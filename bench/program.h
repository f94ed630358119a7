// The program around a benchmark's tables, and the two paths of a Metal kernel on the emulator.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdio>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "bench/table.h"
#include "metal/device/or_throw.h"
#include "metal/emulator/emulator_device.h"
#include "metal/host/kernel_file.h"

namespace assay::bench {

/// The exit status of the program `name`, whose tables `run` prints.
template <class Run>
int run_program(const char* name, int argc, char** argv, const Run& run) {
  try {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    run();
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "bench %s: %s\n", name, problem.what());
    return 1;
  }
}

/// Both paths of one library on one device.
template <class Kernel>
struct PathsOf {
  Kernel plain, production;
};

/// The paths on an emulator that checks nothing and has one OS thread. `Path` names them in Kernel's options.
template <class Kernel, class Path>
PathsOf<Kernel> emulated_paths(const char* file) {
  metal::emulator::EmulatorOptions options;
  options.is_checked = false;
  options.os_threads = 1;
  const auto device = std::make_shared<metal::emulator::EmulatorDevice>(options);
  const auto library = metal::or_throw(device->new_library_from_file(metal::host::kernel_file(file)));
  const auto make = [&](Path path) { return metal::or_throw(Kernel::create(device, library, {.path = path})); };
  return {make(Path::plain), make(Path::production)};
}

/// Runs the benchmarks that are registered and prints them as a table.
inline void print_emulated(std::vector<Column> columns) {
  Table table("Emulator times, one thread of a CPU: what the two paths cost there, not GPU speed.", std::move(columns));
  benchmark::RunSpecifiedBenchmarks(&table);
}

}  // namespace assay::bench
