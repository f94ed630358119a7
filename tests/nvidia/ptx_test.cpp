// The PTX of all kernels and of all shaders of the emulator's tests, for the oldest GPUs and for newer ones.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

#include "metal/device/or_throw.h"
#include "metal/device/read_file.h"
#include "metal/emulator/translate/translate.h"
#include "metal/nvidia/ptx.h"
#include "tests/matchers.h"
#include "tests/nvidia/ptxas.h"

namespace assay::metal::nvidia::test {
namespace {

std::size_t count(const std::string& text, const std::string& words) {
  const std::regex pattern(words);
  return static_cast<std::size_t>(std::distance(std::sregex_iterator(text.begin(), text.end(), pattern), {}));
}

std::string ptx_of(const std::filesystem::path& file, const std::string& architecture) {
  return or_throw(compile_ptx(or_throw(read_file(file)), file, {}, architecture));
}

TEST(Ptx, OfAllKernels) {
  for (const char* const name : {"ctc/ctc.metal", "cce/cce.metal", "svd/svd.metal"})
    for (const char* const architecture : {"sm_80", "sm_90"}) {
      const std::string ptx = ptx_of(std::filesystem::path(ASSAY_KERNELS) / name, architecture);
      EXPECT_THAT(ptx, HasSubstr(std::string(".target ") + architecture));
      EXPECT_GE(count(ptx, R"(\.entry assay_launch_)"), 13U) << name;
      EXPECT_EQ(count(ptx, R"(\.extern \.func)"), 0U) << name << " calls functions that no library has";
      assemble(ptx, architecture);
    }
}

TEST(Ptx, OfTheEmulatorsShaders) {
  for (const auto& entry : std::filesystem::directory_iterator(ASSAY_TEST_SHADERS)) {
    if (entry.path().extension() != ".metal") continue;
    const std::string ptx = ptx_of(entry.path(), "sm_90");
    EXPECT_EQ(count(ptx, R"(\.extern \.func)"), 0U) << entry.path();
    assemble(ptx, "sm_90");
  }
}

TEST(Ptx, IsForGpusThatClangKnows) {
  EXPECT_EQ(architecture_of(7, 0).value(), "sm_70");
  EXPECT_EQ(architecture_of(8, 8).value(), "sm_87");
  EXPECT_EQ(architecture_of(12, 0).value(), "sm_90");
  EXPECT_THAT(architecture_of(6, 1).error().text, HasSubstr("compute capability = 6.1"));
}

TEST(Ptx, HasTheLimitOfThreadsOfEachEntry) {
  const std::string ptx = ".visible .entry assay_launch_0(\n)\n{\n}\n.visible .entry assay_launch_1(\n)\n{\n}\n";
  EXPECT_EQ(with_thread_limits(ptx, {0, 256}),
            ".visible .entry assay_launch_0(\n)\n{\n}\n.visible .entry assay_launch_1(\n)\n.maxntid 256, 1, 1\n{\n}\n");
}

TEST(Ptx, SaysWhereAnErrorIs) {
  const auto refused = compile_ptx("kernel void f(device float* x) { x[0] = nothing; }", "mine.metal", {}, "sm_90");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text, HasSubstr("mine.metal:1:"));
}

std::string ptx_of_kernel(const std::string& body, const std::string& architecture = "sm_90") {
  const std::string text =
      "#include <metal_stdlib>\nusing namespace metal;\nkernel void f(device float* a) {" + body + "}";
  return or_throw(compile_ptx(text, "f.metal", {}, architecture));
}

TEST(Ptx, RefusesTensorOperationsByName) {
  const auto refused = compile_ptx(
      "#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>\n"
      "kernel void f(device float* x) { x[0] = 1; }",
      "mine.metal", {}, "sm_90");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text, HasSubstr("tensor operations run on the emulator, not on NVIDIA GPUs"));
}

TEST(Ptx, HasTheFencesOfOrderedAtomicsAndOfTheirScope) {
  const auto ptx = ptx_of_kernel(
      "device atomic_uint* x = (device atomic_uint*)a; atomic_fetch_add_explicit(x, 1u, memory_order_acq_rel);"
      "atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_threadgroup);"
      "atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope(3));"
      "atomic_store_explicit(x, 1u, memory_order_relaxed);");
  const std::size_t copies = count(ptx, "membar\\.cta");  // the kernel, and the entry into which it is inlined
  EXPECT_GE(copies, 1U);
  EXPECT_EQ(count(ptx, "membar\\.gl"), 2 * copies);
  EXPECT_EQ(count(ptx, "membar\\.sys"), copies);
}

TEST(Ptx, HasTheHardwaresApproximationsOfFastFunctionsAlone) {
  for (const auto& [call, instruction] : {std::pair{"exp(a[1])", "ex2.approx"},
                                          {"log2(a[1])", "lg2.approx"},
                                          {"sin(a[1])", "sin.approx"},
                                          {"cos(a[1])", "cos.approx"},
                                          {"sqrt(a[1])", "sqrt.approx"},
                                          {"rsqrt(a[1])", "rsqrt.approx"},
                                          {"divide(a[1], a[2])", "div.approx"}}) {
    const std::string assignment = std::string(call) + ";";
    EXPECT_THAT(ptx_of_kernel("a[0] = fast::" + assignment), HasSubstr(instruction));
    EXPECT_THAT(ptx_of_kernel("a[0] = precise::" + assignment), Not(HasSubstr(".approx")));
    EXPECT_THAT(ptx_of_kernel("a[0] = " + assignment), Not(HasSubstr(".approx")));
  }
}

/// Where doubles are slow, or where lanes are missing, matrices are multiplied by shuffles.
TEST(Ptx, MultipliesMatricesOnTensorCoresThatAreFastForDoubles) {
  const std::string product =
      "simdgroup_float8x8 b, c; simdgroup_load(b, a); simdgroup_multiply(c, b, b); simdgroup_store(c, a);";
  EXPECT_THAT(ptx_of_kernel(product, "sm_80"), HasSubstr("mma.sync.aligned.m8n8k4"));
  EXPECT_THAT(ptx_of_kernel(product, "sm_90"), HasSubstr("mma.sync.aligned.m8n8k4"));
  EXPECT_THAT(ptx_of_kernel(product, "sm_75"), Not(HasSubstr("mma.sync")));
  EXPECT_THAT(ptx_of_kernel(product, "sm_89"), Not(HasSubstr("mma.sync")));
}

/// A lane that fetches its own element must take part in the shuffle too, or the others wait for ever.
TEST(Ptx, FetchesElementsOfMatricesInAllLanes) {
  for (const char* layout : {"", "b.thread_elements()[0] = 1;"}) {
    const std::string ptx = ptx_of_kernel("simdgroup_float8x8 b, c; simdgroup_load(b, a);" + std::string(layout) +
                                          "simdgroup_multiply(c, b, b); simdgroup_store(c, a);");
    const std::string entry = ptx.substr(ptx.find(".entry"));
    EXPECT_THAT(entry, HasSubstr("shfl.sync")) << layout;
    EXPECT_EQ(count(entry, "bra\\b"), 1U) << layout << ": expected none but that of threads outside of the grid";
  }
}

/// Lanes drift apart on a GPU: an operation of all lanes waits for them, one in a branch must not.
TEST(Ptx, MarksOperationsThatNotAllLanesExecute) {
  const auto translated = [](const std::string& body) {
    return or_throw(
        emulator::translate_for_ptx("float inner(float x) { return simd_sum(x); }\n"
                                    "kernel void f(device float* a, uint i [[thread_index_in_simdgroup]]) {" +
                                    body + "}"));
  };
  constexpr const char* mark = "::assay_shader_side::diverging";
  EXPECT_THAT(translated("a[i] = simd_sum(a[i]);"), Not(HasSubstr(mark)));
  EXPECT_THAT(translated("if (i < 5) a[i] = simd_sum(a[i]);"), HasSubstr(std::string("simd_sum(a[i], ") + mark));
  EXPECT_THAT(translated("if (i < 5) a[i] = inner(a[i]);"), HasSubstr(std::string("simd_sum(x, ") + mark));
  EXPECT_THAT(translated("if (i < 5) a[i] = simd_is_first();"), HasSubstr(std::string("simd_is_first(") + mark));
}

}  // namespace
}  // namespace assay::metal::nvidia::test
