// Which products of matrices become one instruction of the tensor cores, and which must not.
#include "metal/nvidia/matrix_products.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "metal/device/or_throw.h"
#include "metal/device/read_file.h"
#include "metal/nvidia/ptx.h"
#include "tests/matchers.h"
#include "tests/nvidia/ptxas.h"

namespace assay::metal::nvidia::test {
namespace {

std::string joined(const std::string& body) {
  return with_matrix_products(".visible .entry f()\n{\n" + body + "\tret;\n}\n");
}

const std::string first = "\tassay.product.bf16 {%f1, %f2}, {%r1}, {%r5}, {%f1, %f2};\n",
                  below = "\tassay.product.bf16 {%f3, %f4}, {%r2}, {%r5}, {%f3, %f4};\n",
                  next = "\tassay.product.bf16 {%f1, %f2}, {%r3}, {%r6}, {%f1, %f2};\n",
                  next_below = "\tassay.product.bf16 {%f3, %f4}, {%r4}, {%r6}, {%f3, %f4};\n";
constexpr const char *sixteen = "mma.sync.aligned.m16n8k16", *eight = "mma.sync.aligned.m16n8k8.";

TEST(MatrixProducts, OfTwoRowsAndTwoStepsAreOneInstruction) {
  EXPECT_EQ(joined(first + below + next + next_below),
            ".visible .entry f()\n{\n"
            "\tmma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, "
            "{%r5, %r6}, {%f1, %f2, %f3, %f4};\n\tret;\n}\n");
}

TEST(MatrixProducts, AloneAreHalfAnInstruction) {
  EXPECT_THAT(joined(first), HasSubstr("%assay_other<2>; mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%f1, %f2, "
                                       "%assay_other0, %assay_other1}, {%r1, %r1}, {%r5}, {%f1, %f2, %f1, %f2};"));
  EXPECT_EQ(with_matrix_products("no product"), "no product");
}

/// A register in between: the sum is read, or a factor is written, or a block ends.
TEST(MatrixProducts, StayApartWhereALineBetweenNeedsThem) {
  for (const char* const line : {"\tst.f32 [%rd1], %f1;\n", "\tmov.b32 %r1, 0;\n", "\tmov.f32 %f2, 0f00000000;\n",
                                 "\tld.shared.v2.u32 {%r7, %r5}, [%rd1];\n", "$L__BB0_1:\n",
                                 "$L__BB0_1:   // =>This Inner Loop Header: Depth=1\n", "\t@%p1 bra $L__BB0_1;\n"}) {
    EXPECT_THAT(joined(first + line + next), Not(HasSubstr(sixteen))) << line;
    EXPECT_THAT(joined(first + line + below), HasSubstr("assay_other")) << line;
  }
  EXPECT_THAT(joined(first + "\tld.shared.u32 %r6, [%rd1];\n\t// end inline asm\n" + next), HasSubstr(sixteen));
}

/// A sum that two others go on from, one that goes on in another register, and another type.
TEST(MatrixProducts, StayApartWhereASumHasTwoUses) {
  const std::string on = "\tassay.product.bf16 {%f7, %f8}, {%r3}, {%r6}, {%f1, %f2};\n";
  EXPECT_THAT(joined(first + on + "\tst.f32 [%rd1], %f1;\n"), Not(HasSubstr(sixteen)));
  const std::string begin = "\tassay.product.bf16 {%f1, %f2}, {%r1}, {%r5}, {%f5, %f6};\n";
  EXPECT_THAT(joined(begin + on), HasSubstr("{%f7, %f8, %assay_other0, %assay_other1}, {%r1, %r1, %r3, %r3}"));
  EXPECT_THAT(joined(first + "\tassay.product.f16 {%f3, %f4}, {%r2}, {%r5}, {%f3, %f4};\n"), HasSubstr(eight));
}

std::string ptx_of(const std::string& body, const std::string& architecture = "sm_90") {
  return or_throw(
      compile_ptx("#include <metal_stdlib>\nusing namespace metal;\n"
                  "kernel void f(device bfloat* a, device float* c) {" +
                      body + "}",
                  "f.metal", {}, architecture));
}

/// Where lanes' elements are seen they lie as on Apple's GPUs, which tensor cores do not take.
TEST(MatrixProducts, OfSixteenBitsRunOnTensorCoresIfNoLaneLooks) {
  const std::string product =
      "simdgroup_bfloat8x8 x, y; simdgroup_load(x, a); simdgroup_load(y, a, 8, ulong2(0, 0), true);"
      "simdgroup_float8x8 z; simdgroup_multiply(z, x, y); simdgroup_store(z, c);";
  const std::string ptx = ptx_of(product);
  EXPECT_THAT(ptx, HasSubstr("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32"));
  EXPECT_THAT(ptx, Not(HasSubstr("movmatrix"))) << "a transposed right factor is loaded as it is needed";
  assemble(ptx, "sm_90");
  EXPECT_THAT(ptx_of(product + "z.thread_elements()[0] = 1;"), Not(HasSubstr(".bf16.bf16.f32")));
  EXPECT_THAT(ptx_of(product, "sm_75"), Not(HasSubstr(".bf16.bf16.f32")));
  const std::string turned =
      "simdgroup_bfloat8x8 x; simdgroup_load(x, a); simdgroup_float8x8 z; simdgroup_multiply(z, x, x);"
      "simdgroup_store(z, c);";
  EXPECT_THAT(ptx_of(turned), HasSubstr("movmatrix"));
  assemble(ptx_of(turned), "sm_90");
}

TEST(MatrixProducts, OfCrossEntropyFillTheirInstructions) {
  const std::filesystem::path file = std::filesystem::path(ASSAY_KERNELS) / "cce/cce.metal";
  const std::string ptx = or_throw(compile_ptx(or_throw(read_file(file)), file, {}, "sm_90"));
  EXPECT_THAT(ptx, HasSubstr(sixteen));
  EXPECT_THAT(ptx, Not(HasSubstr(eight)));
  EXPECT_THAT(ptx, Not(HasSubstr("movmatrix")));
}

}  // namespace
}  // namespace assay::metal::nvidia::test
