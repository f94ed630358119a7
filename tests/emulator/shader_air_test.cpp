// The reader of compiled libraries: what it finds, and that nothing in a file can lead it outside.
#include <gtest/gtest.h>

#include <random>

#include "metal/emulator/air/declarations.h"
#include "metal/emulator/air/library_file.h"
#include "metal/emulator/air/metadata.h"
#include "metal/emulator/air/words.h"
#include "metal/emulator/compile/compile.h"
#include "metal/emulator/compile/compiled_kernel.h"
#include "metal/emulator/compile/library_path.h"
#include "tests/emulator/metallib.h"
#include "tests/emulator/shader_stand_in.h"
#include "tests/matchers.h"

namespace assay::metal::emulator::test {
namespace {

/// A text in memory, which fails the test if it is asked for what it does not have.
air::Bytes in_memory(const std::string& text) {
  return {text.size(), [&text](std::uint64_t offset, std::uint64_t size) -> Result<std::string> {
            if (offset > text.size() || size > text.size() - offset) throw std::logic_error("read outside of the file");
            return text.substr(offset, size);
          }};
}

std::string two_kernels() {
  return metallib({{"first", "BITCODE OF ONE"}, {"second", "AND OF TWO"}});
}

std::string library_refusal(const std::string& text) {
  const auto libraries = air::find_libraries(in_memory(text));
  return libraries ? std::string() : libraries.error().text;
}

TEST(AirLibrary, NamesItsKernels) {
  const std::string text = two_kernels();
  const auto libraries = or_throw(air::find_libraries(in_memory(text)));
  ASSERT_THAT(libraries, SizeIs(1));
  ASSERT_THAT(libraries[0].kernels, SizeIs(2));
  EXPECT_EQ(libraries[0].kernels[1].name, "second");
  EXPECT_EQ(text.substr(libraries[0].kernels[1].offset, libraries[0].kernels[1].bytes), "AND OF TWO");
  EXPECT_EQ(libraries[0].kernels[0].air, (air::Version{2, 6}));
  EXPECT_EQ(libraries[0].kernels[0].language, (air::Version{3, 1}));
  EXPECT_EQ(libraries[0].system, "macOS 14.0");
}

TEST(AirLibrary, IsFoundInsideOtherFiles) {
  const std::string one = two_kernels(), other = metallib({{"third", "X"}});
  // The magic bytes by themselves are no library, nor are those inside of a library another one.
  const std::string program = "\xcf\xfa\xed\xfe some code MTLB more" + one + "between" + other + "MTL";
  const auto libraries = or_throw(air::find_libraries(in_memory(program)));
  ASSERT_THAT(libraries, SizeIs(2));
  EXPECT_EQ(libraries[1].kernels[0].name, "third");
  const LibraryFile file(program, "program.dylib");
  EXPECT_TRUE(is_library_file(file.path()));
  EXPECT_EQ(or_throw(find_kernel(file.path(), "third")).bytes, 1U);
  EXPECT_EQ(or_throw(libraries_in(file.path().string() + "#2"))[0].library.kernels[0].name, "third");
  EXPECT_THAT(libraries_in(file.path().string() + "#3").error().text, HasSubstr("it has 2 libraries"));
  for (const char* wrong : {"#0", "#-1", "#abc", "#"})
    EXPECT_THAT(libraries_in(file.path().string() + wrong).error().text, HasSubstr("it has 2 libraries")) << wrong;
  EXPECT_EQ(find_kernel(file.path().string() + "#1", "third").error().kind, Error::Kind::not_found);
}

TEST(AirLibrary, RefusesWhatDoesNotFitByItsPlace) {
  const std::string text = two_kernels();
  EXPECT_THAT(library_refusal("no library"), HasSubstr("begins with MTLB"));
  EXPECT_THAT(library_refusal(text.substr(0, 60)), HasSubstr("a header of 88 bytes"));
  EXPECT_THAT(library_refusal(text.substr(0, text.size() - 1)), HasSubstr("its size is"));
  const auto with = [&](std::size_t at, std::uint64_t value) {
    std::string changed = text, number;
    append_number(number, value);
    return library_refusal(changed.replace(at, 8, number));
  };
  EXPECT_THAT(with(16, ~std::uint64_t{0}), HasSubstr("its size is 18446744073709551615 bytes"));
  EXPECT_THAT(with(24, ~std::uint64_t{0} - 4), HasSubstr("its functions are"));
  EXPECT_THAT(with(32, ~std::uint64_t{0}), HasSubstr("its functions are 18446744073709551615 bytes"));
  EXPECT_THAT(with(72, ~std::uint64_t{0} - 8), HasSubstr("its bitcode is"));
  EXPECT_THAT(with(80, 3), HasSubstr("function 0 `first`: its bitcode is 14 bytes from byte 0 on"));
  EXPECT_EQ(with(16, text.size()), "");
}

TEST(AirLibrary, ReadsNothingOutsideOfDamagedFiles) {
  const std::string whole = two_kernels() + "padding" + metallib({{"third", "X"}});
  std::mt19937 random(1);
  const auto below = [&](std::size_t size) { return random() % std::max<std::size_t>(size, 1); };
  int refused = 0;
  for (int n = 0; n < 20'000; ++n) {
    std::string text = whole;
    const std::size_t at = below(text.size());
    if (n % 4 == 0) text.resize(at);
    if (n % 4 == 1) text = text.substr(0, at) + text.substr(below(at));
    for (int k = 0; k < n % 4 && !text.empty(); ++k)
      text[below(std::min<std::size_t>(text.size(), 300))] = static_cast<char>(random());
    if (n % 8 == 3)
      text.replace(std::min<std::size_t>(text.size(), 16 + 8 * below(9)), 8, "\xff\xff\xff\xff\xff\xff\xff\xff", 8);
    EXPECT_NO_THROW(refused += library_refusal(text).empty() ? 0 : 1) << n;
  }
  EXPECT_GT(refused, 2'000);
  EXPECT_LT(refused, 19'000);
}

TEST(AirLibrary, OfNoBitcodeIsRefusedByItsKernel) {
  const LibraryFile file(two_kernels());
  const auto read = read_kernel(file.path(), {"first"});
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().kind, Error::Kind::compile);
  EXPECT_THAT(read.error().text, HasSubstr("kernel first: its bitcode cannot be read"));
  EXPECT_THAT(read_kernel(file.path(), {}).error().text, HasSubstr("has 2 kernels: expected the name of one"));
}

TEST(AirMetadata, HasArgumentsAndWhatTheyAre) {
  const auto metadata = or_throw(air::read_metadata(R"(
!air.kernel = !{!0}
!air.function_constants = !{!8}
!air.compile_options = !{!9}
!0 = !{ptr @"odd name", !1, !2, !7}
!1 = !{}
!2 = !{!3, !5, !6}
!3 = !{i32 0, !"air.buffer", !"air.buffer_size", i32 12, !"air.location_index", i32 6, i32 1, !"air.read", !"air.address_space", i32 2, !"air.struct_type_info", !4, !"air.arg_type_size", i32 12, !"air.arg_type_align_size", i32 4, !"air.arg_type_name", !"a::Params<int>", !"air.arg_name", !"params", !"air.arg_unused"}
!4 = !{i32 0, i32 4, i32 0, !"int", !"T", i32 4, i32 4, i32 2, !"float", !"scale"}
!5 = !{i32 1, !"air.function_constant", !10, !"air.buffer", !"air.location_index", i32 0, i32 1, !"air.read_write", !"air.address_space", i32 3, !"air.arg_type_size", i32 2, !"air.arg_type_align_size", i32 2, !"air.arg_type_name", !"half", !"air.arg_name", !"shared"}
!6 = !{i32 2, !"air.thread_position_in_threadgroup", !"air.arg_type_name", !"uint3", !"air.arg_name", !"tid"}
!7 = !{!"air.max_work_group_size", i32 256}
!8 = !{ptr addrspace(2) @has, !"bool", !"has_mask", i32 20, i1 true}
!9 = !{!"air.compile.denorms_disable"}
!10 = !{ptr addrspace(2) @__predicate, !"bool", !"has_mask"}
)"));
  EXPECT_EQ(metadata.function, "@\"odd name\"");
  EXPECT_EQ(metadata.max_threads, 256U);
  EXPECT_THAT(metadata.compile_options, ElementsAre("air.compile.denorms_disable"));
  ASSERT_THAT(metadata.arguments, SizeIs(3));
  const auto& [params, shared, tid] = std::tie(metadata.arguments[0], metadata.arguments[1], metadata.arguments[2]);
  EXPECT_EQ(air::written_type(params), "constant a::Params<int>&");
  EXPECT_EQ(air::element_name(params, 0), "Params_int");
  EXPECT_EQ(params.index, 6U);
  ASSERT_THAT(params.fields, SizeIs(2));
  EXPECT_EQ(params.fields[1].name, "scale");
  EXPECT_EQ(params.fields[1].offset, 4U);
  EXPECT_EQ(params.fields[1].count, 2U);
  EXPECT_EQ(air::written_type(shared), "threadgroup half*");
  EXPECT_EQ(shared.kind, abi::ArgumentKind::threadgroup);
  EXPECT_EQ(shared.condition, "has_mask");
  EXPECT_EQ(tid.attribute, "thread_position_in_threadgroup");
  ASSERT_THAT(metadata.constants, SizeIs(1));
  EXPECT_EQ(metadata.constants[0].index, 20U);
  EXPECT_EQ(metadata.constants[0].variable, "@has");
}

TEST(AirWords, LosePromisesAndKeepNames) {
  EXPECT_EQ(air::without_promises("  %9 = add nuw nsw i32 %exact, %nsw"), "  %9 = add i32 %exact, %nsw");
  EXPECT_EQ(air::without_promises("  %3 = load [4 x ptr addrspace(1)], ptr addrspace(2) %\"a fast b\", align 4"),
            "  %3 = load [4 x ptr], ptr %\"a fast b\", align 4");
  EXPECT_EQ(
      air::without_promises("void @k(ptr addrspace(1) noundef \"air-buffer-no-alias\" %0, ptr dereferenceable(4) %1)"),
      "void @k(ptr %0, ptr %1)");
  EXPECT_EQ(air::without_promises("  %5 = fdiv reassoc nsz arcp contract afn float %1, %2"),
            "  %5 = fdiv float %1, %2");
  EXPECT_EQ(
      air::without_promises("declare void @llvm.memcpy.p3.p1.i64(ptr addrspace(3) noalias nocapture writeonly, i64)"),
      "declare void @llvm.memcpy.p0.p0.i64(ptr, i64)");
  EXPECT_EQ(air::plain_name("@_ZZ7softmaxIfEvPKfE9local_max"), "local_max");
  EXPECT_EQ(air::plain_name("@scratch"), "scratch");
}

TEST(AirListing, NamesKernelsOrOneWithItsArguments) {
  const LibraryFile file(
      metallib({{"k", assembled(air_module("store float 1.0, ptr addrspace(1) %at.out"))}, {"l", "X"}}));
  CompileOptions with = options();
  EXPECT_THAT(or_throw(list_file(file.path(), with)).kernels, SizeIs(2));
  with.kernels = {"k"};
  const ShaderListing one = or_throw(list_file(file.path(), with));
  ASSERT_THAT(one.kernels, SizeIs(1));
  ASSERT_THAT(one.kernels[0].arguments, SizeIs(4));
  EXPECT_EQ(one.kernels[0].arguments[0].type, "device const float*");
  EXPECT_EQ(one.kernels[0].arguments[3].place, "thread_position_in_threadgroup");
}

}  // namespace
}  // namespace assay::metal::emulator::test
