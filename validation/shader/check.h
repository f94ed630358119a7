// Checks a .metal kernel from C++, for tests: every access and every barrier, on the emulator, without a GPU.
//
//   TEST(Sum, IsRight) {
//     assay::validation::ShaderScript script;
//     script.source = "sum.metal";
//     script.arrays = {{"in", "random:256"}, {"out", "unset:4"}};
//     script.passes = {{.function = "group_sum", .buffers = {{0, {"in"}}, {1, {"out"}}}, .grid = {256}}};
//     script.passes[0].group = {64};
//
//     const auto outcome = assay::validation::check_shader(script);
//     EXPECT_TRUE(outcome.passed()) << outcome;
//     EXPECT_GT(assay::validation::values<float>(outcome, "out")[0], -64);
//   }
#pragma once

#include <fmt/format.h>

#include <cstring>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "validation/shader/run.h"
#include "validation/shader/scalar.h"
#include "validation/shader/script.h"

namespace assay::validation {

/// Runs the script on a checked emulator with the script's macros, folders and seed. Throws as run_shader does.
ShaderOutcome check_shader(const ShaderScript& script);

/// All reports, warnings, allowed findings and the error as text; "nothing found" if there is none of these.
std::string to_string(const ShaderOutcome& outcome);
std::ostream& operator<<(std::ostream& stream, const ShaderOutcome& outcome);

/// The elements, after the run, of an array that a kernel may write. Throws std::invalid_argument if there is no such
/// array, or its elements have another size than T.
template <class T>
std::vector<T> values(const ShaderOutcome& outcome, const std::string& name) {
  const auto array = outcome.arrays.find(name);
  if (array == outcome.arrays.end() || !array->second.bytes)
    throw std::invalid_argument(fmt::format("array '{}': expected one that a kernel may write", name));
  if (scalar_size(array->second.scalar) != sizeof(T))
    throw std::invalid_argument(
        fmt::format("array '{}' is {}: expected elements of {} bytes", name, array->second.summary(), sizeof(T)));
  std::vector<T> result(array->second.bytes->size() / sizeof(T));
  std::memcpy(result.data(), array->second.bytes->data(), array->second.bytes->size());
  return result;
}

}  // namespace assay::validation
