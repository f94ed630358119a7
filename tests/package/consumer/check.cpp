// A user's own test of a .metal kernel: right as it is, and reported without its barrier.
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "validation/shader/check.h"

namespace {

using namespace assay::validation;

ShaderOutcome outcome_with(const std::string& barrier) {
  std::ofstream("turn.metal") << "#include <metal_stdlib>\nkernel void turn(device const float* x, device float* y,\n"
                                 "                 uint i [[thread_position_in_threadgroup]]) {\n"
                                 "  threadgroup float row[3];\n  row[i] = x[i];\n  "
                              << barrier << "\n  y[i] = row[2 - i];\n}\n";
  ShaderScript script;
  script.source = "turn.metal";
  script.arrays = {{"x", "1,2,3"}, {"y", "unset:3"}};
  script.passes = {{.function = "turn", .buffers = {{0, {"x"}}, {1, {"y"}}}, .grid = {3}, .group = {3}}};
  return check_shader(script);
}

}  // namespace

int main() {
  const ShaderOutcome right = outcome_with("metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);");
  const ShaderOutcome wrong = outcome_with("");
  std::cout << right << "\n" << wrong << "\n";
  const bool is_right = right.passed() && values<float>(right, "y") == std::vector<float>{3, 2, 1};
  return is_right && !wrong.passed() ? 0 : 1;
}
