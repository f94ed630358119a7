// Kernels of compiled libraries as PTX: small modules of the test's own, on a driver without a GPU.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <regex>

#include "metal/emulator/air/divergence.h"
#include "metal/emulator/air/module.h"
#include "metal/nvidia/nvidia_device.h"
#include "metal/nvidia/nvidia_queue.h"
#include "metal/nvidia/ptx.h"
#include "tests/emulator/metallib.h"
#include "tests/matchers.h"
#include "tests/nvidia/fake_driver.h"
#include "tests/nvidia/ptxas.h"

namespace assay::metal::nvidia::test {
namespace {

using emulator::test::air_module;
using emulator::test::assembled;
using emulator::test::LibraryFile;
using emulator::test::metallib;
namespace air = emulator::air;

Result<std::string> ptx_of_module(const std::string& module, const std::string& architecture = "sm_90") {
  const LibraryFile file(metallib({{"k", assembled(module)}}));
  emulator::CompileOptions options;
  options.kernels = {"k"};
  auto ptx = compile_ptx_of_library(file.path(), options, architecture);
  if (ptx) assemble(*ptx, architecture);
  return ptx;
}

/// The text of the entry alone, without the functions that are inlined into it.
std::string entry_of(const std::string& ptx) {
  const std::size_t begin = ptx.find(".entry assay_launch_0(");
  return begin == std::string::npos ? "" : ptx.substr(begin, ptx.find("\n}\n", begin) - begin);
}

std::string replaced_once(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::logic_error("the module has no " + from);
  return text.replace(at, from.size(), to);
}

TEST(PtxOfLibrary, HasThreadgroupMemoryBarriersAndCollectives) {
  const std::string ptx = or_throw(ptx_of_module(air_module(R"(
  %x = load float, ptr addrspace(1) %at.in
  %sum = call float @air.simd_sum.f32(float %x)
  store float %sum, ptr addrspace(3) %at.shared
  call void @air.wg.barrier(i32 2, i32 1)
  %y = load float, ptr addrspace(3) getelementptr inbounds ([64 x float], ptr addrspace(3) @_ZZ1kE6shared, i64 0, i64 63)
  %z = call float @air.log.f32(float %y)
  store float %z, ptr addrspace(1) %at.out)")));
  const std::string entry = entry_of(ptx);
  EXPECT_THAT(ptx, HasSubstr(".target sm_90"));
  EXPECT_THAT(ptx, HasSubstr("_ZZ1kE6shared[256];"));
  EXPECT_THAT(ptx, Not(HasSubstr(".extern .func")));
  for (const char* instruction : {"st.shared", "ld.shared", "bar.sync", "shfl.sync"})
    EXPECT_THAT(entry, HasSubstr(instruction));
  EXPECT_THAT(entry, Not(HasSubstr(".local"))) << "nothing is in memory of the thread's own";
}

TEST(PtxOfLibrary, ContractsNothingAndKeepsSubnormalNumbers) {
  const std::string entry = entry_of(or_throw(ptx_of_module(air_module(R"(
  %x = load float, ptr addrspace(1) %at.in
  %p = fmul fast float %x, 3.0
  %y = fadd fast float %p, %x
  %q = fdiv fast float %y, %x
  store float %q, ptr addrspace(1) %at.out)"))));
  EXPECT_THAT(entry, HasSubstr("mul.rn.f32"));
  EXPECT_THAT(entry, HasSubstr("add.rn.f32"));
  EXPECT_THAT(entry, HasSubstr("div.rn.f32"));
  EXPECT_THAT(entry, Not(HasSubstr("fma")));
  EXPECT_THAT(entry, Not(HasSubstr("ftz")));
}

TEST(PtxOfLibrary, ServesOldGpusToo) {
  const std::string module = air_module(R"(
  %x = load float, ptr addrspace(1) %at.in
  %h = fptrunc float %x to half
  %s = fadd half %h, %h
  %f = fpext half %s to float
  %b = call bfloat @air.convert.f.bf16.f.f32(float %f)
  %t = fadd bfloat %b, %b
  %y = fpext bfloat %t to float
  store float %y, ptr addrspace(1) %at.out)",
                                        "declare bfloat @air.convert.f.bf16.f.f32(float)");
  for (const char* architecture : {"sm_70", "sm_80", "sm_90"}) {
    const auto ptx = ptx_of_module(module, architecture);
    ASSERT_TRUE(ptx) << ptx.error().text;
    EXPECT_THAT(entry_of(*ptx), HasSubstr("add.rn.f16"));
    EXPECT_THAT(*ptx, Not(HasSubstr(".extern .func")));
  }
}

TEST(PtxOfLibrary, MultipliesMatricesAsSourcesDo) {
  const std::string module = air_module(
      R"(
  %a = call <64 x float> @air.simdgroup_matrix_8x8_load.v64f32.p1f32(ptr addrspace(1) %in, <2 x i64> <i64 8, i64 8>, <2 x i64> <i64 1, i64 8>, <2 x i64> zeroinitializer)
  %c = call <64 x float> @air.simdgroup_matrix_8x8_init_filled.v64f32.f32(float 0.0)
  %d = call <64 x float> @air.simdgroup_matrix_8x8_multiply_accumulate.v64f32.v64f32.v64f32.v64f32(<64 x float> %a, <64 x float> %a, <64 x float> %c)
  call void @air.simdgroup_matrix_8x8_store.v64f32.p1f32(<64 x float> %d, ptr addrspace(1) %out, <2 x i64> <i64 8, i64 8>, <2 x i64> <i64 1, i64 8>, <2 x i64> zeroinitializer))",
      R"(
declare <64 x float> @air.simdgroup_matrix_8x8_load.v64f32.p1f32(ptr addrspace(1), <2 x i64>, <2 x i64>, <2 x i64>)
declare <64 x float> @air.simdgroup_matrix_8x8_init_filled.v64f32.f32(float)
declare <64 x float> @air.simdgroup_matrix_8x8_multiply_accumulate.v64f32.v64f32.v64f32.v64f32(<64 x float>, <64 x float>, <64 x float>)
declare void @air.simdgroup_matrix_8x8_store.v64f32.p1f32(<64 x float>, ptr addrspace(1), <2 x i64>, <2 x i64>, <2 x i64>))");
  EXPECT_THAT(entry_of(or_throw(ptx_of_module(module))), HasSubstr("mma.sync.aligned.m8n8k4"));
  EXPECT_THAT(entry_of(or_throw(ptx_of_module(module, "sm_89"))), Not(HasSubstr("mma.sync")));
}

TEST(PtxOfLibrary, RefusesByName) {
  const std::string body = "store float 1.0, ptr addrspace(1) %at.out";
  const auto refusal = [&](const std::string& module) {
    const auto ptx = ptx_of_module(module);
    return ptx ? std::string() : ptx.error().text;
  };
  EXPECT_EQ(refusal(air_module(body)), "");
  EXPECT_THAT(refusal(air_module(body, "declare float @air.frobnicate.f32(float)")), HasSubstr("air.frobnicate.f32"));
  EXPECT_THAT(refusal(air_module(body, "declare void @__tensorops_run(ptr)")), HasSubstr("__tensorops_run"));
  EXPECT_THAT(refusal(replaced_once(air_module(body), "!\"air.buffer\"", "!\"air.texture\"")),
              HasSubstr("air.texture"));
}

/// What stands behind the block in which lanes meet: else they would not meet but end.
constexpr const char* store = "  store float 7.0, ptr addrspace(1) %at.out";

/// Blocks of a body in which lanes have parted.
class PartedBlocks : public testing::Test {
 protected:
  static bool have_parted(const std::string& body, const std::string& block, const std::string& more = "") {
    const std::string module = air_module(body, more);
    const air::Divergence divergence(module, or_throw(air::read_metadata(module)));
    return divergence.have_parted(block.starts_with("@") ? block : "@k", block.starts_with("@") ? "" : block);
  }
  /// A branch on `condition`, which `before` computes.
  static std::string branch(const std::string& before) {
    return before + "\n  br i1 %c, label %yes, label %no\nyes:\n  call void @air.wg.barrier(i32 2, i32 1)\n" +
           "  br label %join\nno:\n  br label %join\njoin:\n  %p = phi i32 [ 1, %yes ], [ 2, %no ]\n" +
           "  %again = icmp eq i32 %p, 1\n  br i1 %again, label %late, label %end\nlate:\n  br label %end\nend:\n" +
           store;
  }
};

TEST_F(PartedBlocks, AreThoseBehindAConditionThatVaries) {
  const std::map<std::string, bool> conditions = {
      {"  %c = icmp ult i32 %tid, 5", true},
      {"  %c = icmp ult i32 %i, 5", true},
      {"  %c = icmp eq ptr addrspace(1) %in, %out", false},
      {"  %x = load float, ptr addrspace(1) %at.in\n  %c = fcmp olt float %x, 1.0", true},
      {"  %x = load float, ptr addrspace(1) %in\n  %c = fcmp olt float %x, 1.0", false},
      {"  %x = load float, ptr addrspace(1) %at.in\n  %s = call float @air.simd_sum.f32(float %x)\n"
       "  %c = fcmp olt float %s, 1.0",
       false},
      {"  %x = load float, ptr addrspace(1) %at.in\n  %v = fcmp olt float %x, 1.0\n"
       "  %s = call i1 @air.simd_any(i1 %v)\n  %c = and i1 %s, true",
       false},
      {"  %s = call i32 @air.simd_shuffle.u.i32(i32 %tid, i16 31)\n  %c = icmp eq i32 %s, 3", false},
      {"  %n = trunc i32 %i to i16\n  %s = call i32 @air.simd_shuffle.u.i32(i32 %tid, i16 %n)\n  %c = icmp eq i32 %s, "
       "3",
       true},
      {"  %s = call i32 @air.simd_prefix_inclusive_sum.u.i32(i32 1)\n  %c = icmp eq i32 %s, 3", true},
      {"  %x = load float, ptr addrspace(1) %at.in\n  %s = call float @air.log.f32(float %x)\n"
       "  %c = fcmp olt float %s, 1.0",
       true},
      {"  %s = call i32 @air.atomic.global.add.u.i32(ptr addrspace(1) %in, i32 1, i32 0, i32 2, i1 true)\n"
       "  %c = icmp eq i32 %s, 0",
       true},
      {"  %own = alloca i32\n  store i32 %tid, ptr %own\n  %x = load i32, ptr %own\n  %c = icmp eq i32 %x, 0", true},
      {"  %x = call i1 @same(i32 %tid)\n  %c = and i1 %x, true", true},
  };
  const std::string more = "define internal i1 @same(i32 %a) {\n  %r = icmp eq i32 %a, 3\n  ret i1 %r\n}\n";
  for (const auto& [before, varies] : conditions) {
    EXPECT_EQ(have_parted(branch(before), "yes", more), varies) << before;
    EXPECT_EQ(have_parted(branch(before), "no", more), varies) << before;
    EXPECT_EQ(have_parted(branch(before), "late", more), varies) << "a value chosen by the branch: " << before;
    EXPECT_FALSE(have_parted(branch(before), "join", more)) << before;
    EXPECT_FALSE(have_parted(branch(before), "end", more)) << before;
    EXPECT_FALSE(have_parted(branch(before), "", more)) << before;
  }
}

TEST_F(PartedBlocks, AreTheWholeLoopThatLanesLeaveAtDifferentTimes) {
  const auto loop = [](const std::string& bound) {
    return "  br label %again\nagain:\n  %n = phi i32 [ 0, %0 ], [ %m, %more ]\n  br label %more\nmore:\n" +
           std::string("  %m = add i32 %n, 1\n  %go = icmp ult i32 %m, ") + bound +
           "\n  br i1 %go, label %again, label %done\ndone:\n  %odd = icmp ult i32 %m, 3\n" +
           "  br i1 %odd, label %late, label %end\nlate:\n  br label %end\nend:\n" + store;
  };
  for (const char* block : {"again", "more", "late"}) {
    EXPECT_TRUE(have_parted(loop("%tid"), block)) << block;
    EXPECT_FALSE(have_parted(loop("7"), block)) << block;
  }
  EXPECT_FALSE(have_parted(loop("%tid"), "done"));
}

/// Lanes that part and meet in each round of a loop leave it together.
TEST_F(PartedBlocks, LeaveACounterAsItIsWhereLanesMeet) {
  const auto loop = [](const std::string& in_few) {
    return "  br label %head\nhead:\n  %k = phi i32 [ 0, %0 ], [ %next, %few ], [ %next, %latch.end ]\n" +
           std::string("  %c = icmp ult i32 %tid, 5\n  br i1 %c, label %some, label %latch\nsome:\n") +
           "  br label %latch\nlatch:\n  %same = phi i32 [ " + in_few + ", %some ], [ %k, %head ]\n" +
           "  %next = add i32 %same, 1\n  %go = icmp ult i32 %next, 7\n  br i1 %go, label %test, label %done\n" +
           "test:\n  %d = icmp ult i32 %tid, 9\n  br i1 %d, label %few, label %latch.end\nfew:\n  br label %head\n" +
           "latch.end:\n  br label %head\ndone:\n  %odd = icmp ult i32 %next, 3\n" +
           "  br i1 %odd, label %late, label %end\nlate:\n  br label %end\nend:\n" + store;
  };
  for (const char* block : {"some", "few"}) EXPECT_TRUE(have_parted(loop("%k"), block)) << block;
  for (const char* block : {"head", "latch", "test", "done", "late"}) {
    EXPECT_FALSE(have_parted(loop("%k"), block)) << block;
    EXPECT_EQ(have_parted(loop("%tid"), block), std::string(block) != "done") << block;
  }
}

TEST_F(PartedBlocks, AreNotThoseBehindAnEarlyReturn) {
  const std::string early = "  %c = icmp ult i32 %tid, 5\n  br i1 %c, label %go, label %end\ngo:\n" +
                            std::string("  store float 1.0, ptr addrspace(1) %at.out\n  br label %end\nend:");
  EXPECT_FALSE(have_parted(early, "go"));
  EXPECT_FALSE(have_parted(early + "\n  call void @llvm.lifetime.end.p0(i64 4, ptr %own) #8", "go"));
  EXPECT_TRUE(have_parted(early + "\n  store float 2.0, ptr addrspace(1) %at.out", "go")) << "more is done at the end";
  const std::string loop = "  br label %go\ngo:\n  %n = phi i32 [ 0, %0 ], [ %m, %go ]\n  %m = add i32 %n, 1\n" +
                           std::string("  %c = icmp ult i32 %m, %tid\n  br i1 %c, label %go, label %end\nend:");
  EXPECT_TRUE(have_parted(loop, "go")) << "those that end wait for the others behind the loop";
}

TEST_F(PartedBlocks, AreThoseOfASwitchAndOfFunctionsThatAreCalledThere) {
  const std::string function = "define internal void @inner() {\n  ret void\n}\n";
  const auto cases = [](const std::string& value) {
    return "  switch i32 " + value + ", label %end [\n    i32 1, label %one\n    i32 2, label %two\n  ]\none:\n" +
           "  call void @inner()\n  br label %end\ntwo:\n  br label %end\nend:\n" + store;
  };
  for (const char* block : {"one", "two", "@inner"}) {
    EXPECT_TRUE(have_parted(cases("%tid"), block, function)) << block;
    EXPECT_FALSE(have_parted(cases("7"), block, function)) << block;
  }
}

TEST_F(PartedBlocks, HaveCollectivesOfTheLanesThatAreThere) {
  const auto of_condition = [](const std::string& condition) {
    const std::string module = air_module("  %c = icmp ult i32 " + condition + ", 5\n" + R"(
  br i1 %c, label %yes, label %end
yes:
  %x = load float, ptr addrspace(1) %at.in
  %s = call float @air.simd_sum.f32(float %x)
  store float %s, ptr addrspace(1) %at.out
  br label %end
end:
)" + std::string(store));
    const auto metadata = or_throw(air::read_metadata(module));
    return std::pair(or_throw(air::translate_module(module, metadata, "k.metallib", air::Target::nvidia)).text,
                     entry_of(or_throw(ptx_of_module(module))));
  };
  const auto [parted, ptx_parted] = of_condition("%tid");
  const auto [together, ptx_together] = of_condition("7");
  EXPECT_THAT(parted, HasSubstr("@air.simd_sum.f32(float %x, ptr @assay.air.parted)"));
  EXPECT_THAT(together, HasSubstr("@air.simd_sum.f32(float %x, ptr @assay.air.together)"));
  EXPECT_THAT(ptx_parted, Not(HasSubstr("bar.warp.sync"))) << "lanes would be waited for that never come";
  EXPECT_THAT(ptx_parted, HasSubstr("activemask"));
}

/// A module with a function constant, on which a buffer and a variable depend.
std::string with_constant() {
  std::string text = air_module(R"(
  %f = load i8, ptr addrspace(2) @twice
  %is.set = icmp ne i8 %f, 0
  %by = select i1 %is.set, float 2.0, float 1.0
  %x = load float, ptr addrspace(1) %at.in
  %y = fmul float %x, %by
  store float %y, ptr addrspace(1) %at.out)",
                                "!air.function_constants = !{!20}\n"
                                "!20 = !{ptr addrspace(2) @twice, !\"bool\", !\"twice\", i32 7}\n");
  return replaced_once(text, "define weak_odr",
                       "@twice = internal addrspace(2) externally_initialized constant i8 undef, section "
                       "\"air.fc_initializer\", align 1\ndefine weak_odr");
}

class CompiledLibraryOnNvidia : public testing::Test {
 protected:
  std::shared_ptr<FakeDriver> driver_ = std::make_shared<FakeDriver>();
  std::shared_ptr<NvidiaDevice> device_ = or_throw(NvidiaDevice::create(driver_));
};

TEST_F(CompiledLibraryOnNvidia, RunsOneOfItsKernels) {
  const LibraryFile file(metallib({{"k", assembled(with_constant())}, {"broken", "no bitcode"}}));
  const auto library = or_throw(device_->new_library_from_file(file.path()));
  EXPECT_THAT(library->function_names(), testing::ElementsAre("k", "broken"));
  EXPECT_THAT(library->new_function("broken").error().text, HasSubstr("kernel broken: its bitcode cannot be read"));
  EXPECT_EQ(library->new_function("none").error().kind, Error::Kind::not_found);
  EXPECT_THAT(library->new_function("k").error().text, HasSubstr("function constant 7 `twice`"));
  FunctionConstants constants;
  constants.set(7, true);
  const auto function = or_throw(library->new_function("k", constants));
  EXPECT_EQ(function->arguments().size(), 4U);
  EXPECT_EQ(function->arguments()[1].name, "out");

  const auto pipeline = or_throw(device_->new_pipeline(function));
  EXPECT_THAT(driver_->ptx, HasSubstr(".entry assay_set_constants("));
  const auto buffer = or_throw(device_->new_buffer(512, ""));
  const auto commands = device_->new_command_queue()->command_buffer();
  const auto encoder = or_throw(commands->compute_encoder());
  encoder->set_pipeline(pipeline);
  encoder->set_buffer(buffer, 0, 0);
  encoder->set_buffer(buffer, 256, 1);
  encoder->dispatch_threads({64}, {64});
  EXPECT_TRUE(encoder->end_encoding() && commands->commit() && commands->wait_until_completed());
  ASSERT_EQ(driver_->launches.size(), 1U);
  EXPECT_EQ(driver_->launches[0].call.buffers[1], buffer->contents() + 256);
  EXPECT_FALSE(or_throw(library->reload_if_changed()));
}

}  // namespace
}  // namespace assay::metal::nvidia::test
