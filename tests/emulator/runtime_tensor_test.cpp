// Products of matrices by Metal Performance Primitives: against sums in the test, and each misuse beside a twin that is
// right. All numbers are small integers, so that the sums are exact.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>

#include "tests/emulator/bench.h"
#include "tests/matchers.h"

namespace assay::metal::emulator::test {
namespace {

const std::string prelude =
    "#include <metal_stdlib>\n#include <metal_tensor>\n"
    "#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>\n"
    "using namespace metal;\nusing namespace mpp::tensor_ops;\n";

struct Matrix {
  int rows, columns;
  std::vector<float> values = {};

  Matrix(int r, int c, int seed) : rows(r), columns(c) {
    for (int n = 0; n < r * c; ++n) values.push_back(static_cast<float>((n * 7 + seed) % 11 - 5));
  }
  float at(int row, int column) const { return values[static_cast<std::size_t>(row * columns + column)]; }
};

std::vector<std::int32_t> bits(const std::vector<float>& values) {
  std::vector<std::int32_t> words(values.size());
  std::memcpy(words.data(), values.data(), values.size() * sizeof(float));
  return words;
}

/// a b, where `a` or `b` may be stored transposed, plus `start`.
std::vector<float> product(const Matrix& a, const Matrix& b, bool transpose_a, bool transpose_b, float start) {
  const int m = transpose_a ? a.columns : a.rows, k = transpose_a ? a.rows : a.columns;
  const int n = transpose_b ? b.rows : b.columns;
  std::vector<float> sums;
  for (int row = 0; row < m; ++row)
    for (int column = 0; column < n; ++column) {
      float sum = start;
      for (int i = 0; i < k; ++i)
        sum += (transpose_a ? a.at(i, row) : a.at(row, i)) * (transpose_b ? b.at(column, i) : b.at(i, column));
      sums.push_back(sum);
    }
  return sums;
}

struct Result {
  std::vector<float> c;
  std::vector<Report> reports;
};

/// A kernel `f` on one threadgroup, with a, b and c, which begins as `start` everywhere.
struct Call {
  std::string kernel;
  Matrix a, b;
  std::size_t count;  ///< of numbers in c
  std::uint64_t threads;
  float start = 0;
};

/// One shader has all kernels, since its compilation takes most of the time.
std::vector<Result> run(const std::vector<Call>& calls) {
  std::string source = prelude;
  for (std::size_t n = 0; n < calls.size(); ++n)
    source += "namespace n" + std::to_string(n) + " {" + calls[n].kernel + "\n}\n";
  for (std::size_t n = 0; n < calls.size(); ++n) {
    const std::size_t at = source.find(" f(");
    source.replace(at, 3, " f" + std::to_string(n) + "(");
  }
  Bench bench;
  const auto library = or_throw(bench.device.new_library(source));
  std::vector<Result> results;
  for (std::size_t n = 0; n < calls.size(); ++n) {
    const auto& [kernel, a, b, count, threads, start] = calls[n];
    bench.buffers.clear();
    bench.device.clear_reports();
    bench.with(bits(a.values)).with(bits(b.values)).with(bits(std::vector<float>(count, start)));
    const auto error = bench.run(or_throw(library->new_function("f" + std::to_string(n))), {threads}, {threads});
    EXPECT_EQ(error.has_value(), kinds(bench.reports()).find("memcheck") != std::string::npos);
    std::vector<float> c(count);
    std::memcpy(c.data(), bench.buffers[2]->contents(), count * sizeof(float));
    results.push_back({c, bench.reports()});
  }
  return results;
}

/// A kernel for four simdgroups that multiplies what lies in device memory.
std::string in_memory(const Matrix& a, const Matrix& b, int m, int n, const std::string& descriptor) {
  return fmt::format(R"(
kernel void f(device float* a, device float* b, device float* c) {{
  auto A = tensor<device float, dextents<int, 2>, tensor_inline>(a, dextents<int, 2>({}, {}));
  auto B = tensor(b, dextents<int, 2>({}, {}), array<int, 2>({{1, {}}}));
  auto C = tensor(c, dextents<int, 2>({}, {}));
  constexpr auto what = matmul2d_descriptor({});
  matmul2d<what, execution_simdgroups<4>> op;
  op.run(A, B, C);
}})",
                     a.columns, a.rows, b.columns, b.rows, b.columns, n, m, descriptor);
}

TEST(Matmul2d, MultipliesWhatIsInMemory) {
  const struct {
    int m, n, k;
    bool transpose_a, transpose_b, accumulates;
  } cases[] = {{64, 32, 40, false, false, false},
               {64, 32, 40, true, false, true},
               {32, 48, 7, false, true, false},
               {20, 24, 33, false, false, true},
               {16, 16, 16, true, true, false}};
  std::vector<Call> calls;
  std::vector<std::vector<float>> expected;
  for (const auto& one : cases) {
    const Matrix a(one.transpose_a ? one.k : one.m, one.transpose_a ? one.m : one.k, 3);
    const Matrix b(one.transpose_b ? one.n : one.k, one.transpose_b ? one.k : one.n, 8);
    const std::string what =
        fmt::format("64, 64, static_cast<int>(dynamic_extent), {}, {}, false, matmul2d_descriptor::mode::{}",
                    one.transpose_a, one.transpose_b, one.accumulates ? "multiply_accumulate" : "multiply");
    calls.push_back({in_memory(a, b, one.m, one.n, what), a, b, static_cast<std::size_t>(one.m * one.n), 128, 2});
    expected.push_back(product(a, b, one.transpose_a, one.transpose_b, one.accumulates ? 2.0F : 0.0F));
  }
  const auto results = run(calls);
  for (std::size_t n = 0; n < calls.size(); ++n) {
    EXPECT_EQ(results[n].c, expected[n]) << n;
    EXPECT_THAT(results[n].reports, IsEmpty()) << n;
  }
}

/// ggml's fault of 2026 (llama.cpp pull request 27450): a fixed K, and fewer elements than that.
TEST(Matmul2d, TakesAFixedKAtItsWord) {
  const Matrix a(64, 20, 1), b(20, 32, 2);
  const auto results = run(
      {{in_memory(a, b, 64, 32, "64, 32, 32"), a, b, 2048, 128}, {in_memory(a, b, 64, 32, "64, 32"), a, b, 2048, 128}});
  ASSERT_FALSE(results[0].reports.empty());
  const Report& found = results[0].reports[0];
  EXPECT_EQ(found.check, Check::memcheck);
  EXPECT_EQ(found.event.position.line, 13U);
  EXPECT_THAT(found.address, HasSubstr("index 20 of"));
  EXPECT_THAT(found.address, HasSubstr("tensor along K"));
  EXPECT_THAT(results[1].reports, IsEmpty());
}

/// Each lane fills its elements of the factors, as MLX's kernels do, by their indices.
std::string in_registers(bool transpose_a, bool transpose_b) {
  return fmt::format(R"(
kernel void f(device float* a, device float* b, device float* c) {{
  constexpr auto what = matmul2d_descriptor(16, 32, 16, {}, {}, true, matmul2d_descriptor::mode::multiply_accumulate);
  matmul2d<what, execution_simdgroup> op;
  auto x = op.get_left_input_cooperative_tensor<half, bfloat, float>();
  auto y = op.get_right_input_cooperative_tensor<half, bfloat, float>();
  auto z = op.get_destination_cooperative_tensor<decltype(x), decltype(y), float>();
  for (ushort n = 0; n < x.get_capacity(); ++n)
    x[n] = half(a[x.get_multidimensional_index(n)[1] * 16 + x.get_multidimensional_index(n)[0]]);
  for (ushort n = 0; n < y.get_capacity(); ++n) {{
    auto at = y.get_multidimensional_index(n);
    y[n] = bfloat(b[at[1] * {} + at[0]]);
  }}
  for (ushort n = 0; n < z.get_capacity(); ++n) z[n] = 1;
  op.run(x, y, z);
  for (ushort n = 0; n < z.get_capacity(); ++n)
    if (z.is_valid_element(n)) c[z.get_multidimensional_index(n)[1] * 32 + z.get_multidimensional_index(n)[0]] = z[n];
}})",
                     transpose_a, transpose_b, transpose_b ? 16 : 32);
}

TEST(Matmul2d, MultipliesWhatLanesHold) {
  std::vector<Call> calls;
  std::vector<std::vector<float>> expected;
  for (const bool transpose_a : {false, true})
    for (const bool transpose_b : {false, true}) {
      const Matrix a(16, 16, 4), b(transpose_b ? 32 : 16, transpose_b ? 16 : 32, 6);
      calls.push_back({in_registers(transpose_a, transpose_b), a, b, 512, 32});
      expected.push_back(product(a, b, transpose_a, transpose_b, 1));
    }
  const auto results = run(calls);
  for (std::size_t n = 0; n < calls.size(); ++n) {
    EXPECT_EQ(results[n].c, expected[n]) << n;
    EXPECT_THAT(results[n].reports, IsEmpty()) << n;
  }
}

/// Lane 0 has four neighbours of row 0 and four of row 8 in the fragment that MLX calls its own.
TEST(CooperativeTensor, HasThePlacesThatPublishedKernelsExpect) {
  const std::string kernel = R"(
kernel void f(device float* a, device float* b, device float* c, uint lane [[thread_index_in_simdgroup]]) {
  constexpr auto what = matmul2d_descriptor(16, 32, 16);
  matmul2d<what, execution_simdgroup> op;
  auto z = op.get_destination_cooperative_tensor<half, half, float>();
  for (ushort n = 0; n < 16; ++n) {
    const short quarter = lane >> 2, i = n % 8;
    const short row = ((quarter & 4) | ((lane >> 1) & 3)) + (i >> 2) * 8;
    const short column = ((quarter & 2) | (lane & 1)) * 4 + i % 4 + n / 8 * 16;
    auto at = z.get_multidimensional_index(n);
    c[row * 32 + column] = at[0] == column && at[1] == row;
  }
})";
  const Result result = run({{kernel, Matrix(1, 1, 0), Matrix(1, 1, 0), 512, 32}})[0];
  EXPECT_EQ(result.c, std::vector<float>(512, 1));
  EXPECT_THAT(result.reports, IsEmpty());
}

/// A factor in threadgroup memory, with `barrier` between its writes and the product.
std::string staged(const std::string& barrier, const std::string& condition = "true") {
  return R"(
kernel void f(device float* a, device float* b, device float* c, uint t [[thread_index_in_threadgroup]]) {
  threadgroup float tile[16 * 16];
  for (uint n = t; n < 256; n += 64) tile[n] = a[n];
  )" + barrier +
         R"(
  auto A = tensor<threadgroup float, dextents<int, 2>, tensor_inline>(tile, dextents<int, 2>(16, 16));
  constexpr auto what = matmul2d_descriptor(16, 16, 16);
  matmul2d<what, execution_simdgroups<2>> op;
  auto z = op.get_destination_cooperative_tensor<decltype(A), decltype(A), float>();
  if ()" +
         condition +
         R"() op.run(A, tensor(b, dextents<int, 2>(16, 16)), z);
  z.store(tensor(c, dextents<int, 2>(16, 16)));
})";
}

TEST(Matmul2d, IsHeldToTheBarriersOfItsFactorsAndNeedsAllLanes) {
  const Matrix a(16, 16, 4), b(16, 16, 6);
  const std::string barrier = "threadgroup_barrier(mem_flags::mem_threadgroup);";
  const auto results = run(
      {{staged(""), a, b, 256, 64}, {staged(barrier), a, b, 256, 64}, {staged(barrier, "t % 32 < 16"), a, b, 256, 64}});
  EXPECT_EQ(kinds(results[0].reports), "racecheck");
  EXPECT_EQ(results[0].reports[0].event.position.line, 15U);
  EXPECT_EQ(results[1].c, product(a, b, false, false, 0));
  EXPECT_THAT(results[1].reports, IsEmpty());
  ASSERT_FALSE(results[2].reports.empty());
  EXPECT_EQ(results[2].reports[0].check, Check::simdcheck);
  EXPECT_THAT(results[2].reports[0].message, HasSubstr("matmul2d::run"));
}

TEST(Matmul2d, SumsIntegersExactly) {
  const std::string kernel = R"(
kernel void f(device char* a, device char* b, device int* c) {
  constexpr auto what = matmul2d_descriptor(16, 16, static_cast<int>(dynamic_extent));
  matmul2d<what, execution_simdgroup> op;
  op.run(tensor(a, dextents<int, 2>(16, 16)), tensor(b, dextents<int, 2>(16, 16)), tensor(c, dextents<int, 2>(16, 16)));
})";
  const std::vector<std::int32_t> sums = bits(run({{kernel, Matrix(16, 16, 1), Matrix(16, 16, 1), 256, 32}})[0].c);
  const auto bytes_of = [](const Matrix& matrix) {
    std::vector<signed char> bytes(256);
    std::memcpy(bytes.data(), matrix.values.data(), bytes.size());
    return bytes;
  };
  const auto a = bytes_of(Matrix(16, 16, 1));
  for (std::size_t row = 0; row < 16; ++row)
    for (std::size_t column = 0; column < 16; ++column) {
      int sum = 0;
      for (std::size_t k = 0; k < 16; ++k) sum += a[row * 16 + k] * a[k * 16 + column];
      EXPECT_EQ(sums[row * 16 + column], sum);
    }
}

TEST(Matmul2d, RefusesWhatItHasNot) {
  const auto refusal = [](const std::string& source) {
    EmulatorDevice device;
    const auto library = device.new_library(prelude + source);
    return library ? std::string() : library.error().text;
  };
  const std::string body = R"(
    matmul2d<what, execution_simdgroups<SG>> op;
    auto x = op.get_left_input_cooperative_tensor<half, half, float>();
    auto z = op.get_destination_cooperative_tensor<decltype(x), decltype(x), float>();
    op.run(x, x, z);
  })";
  const std::string head = "kernel void f(device half* a) { constexpr auto what = matmul2d_descriptor";
  EXPECT_EQ(refusal("#define SG 1\n" + head + "(16, 16, 16);" + body), "");
  EXPECT_THAT(refusal("#define SG 2\n" + head + "(16, 16, 16);" + body),
              HasSubstr("a factor in a cooperative tensor needs execution_simdgroup"));
  EXPECT_THAT(refusal("#define SG 1\n" + head + "(8, 8, 16);" + body),
              HasSubstr("at least one of M and N must be a multiple of 16"));
  EXPECT_THAT(refusal("kernel void f(tensor<device half, dextents<int, 2>, tensor_handle> a [[buffer(0)]]) {}"),
              HasSubstr("6:15: error: parameter 'a' of the kernel is a tensor of the host's, which is not supported"));
}

}  // namespace
}  // namespace assay::metal::emulator::test
