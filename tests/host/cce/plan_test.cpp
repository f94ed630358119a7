// What is particular to the plans of this operation; plans_test.cpp has what holds of all.
#include "metal/host/cce/plan.h"

#include <gtest/gtest.h>

#include "metal/host/cce/cce.h"
#include "tests/host/host_stream.h"
#include "tests/host/operations.h"
#include "tests/matchers.h"

namespace assay::metal::test {
namespace {

using testing::_;

constexpr CceWork everything = {true, true, true, true};

class CcePlanOf : public testing::Test {
 protected:
  LinearCrossEntropy loss(const CceOptions& options = {}) {
    return LinearCrossEntropy::create(stream_.device, stream_.library, options).value();
  }
  CcePlan plan(const CceCase& c, const CceWork& work = everything, const CceOptions& options = {}) {
    const Typed<float> typed(c);
    CceProblem<float> problem = typed.problem();
    problem.hidden = problem.weight = {};
    return loss(options).prepare(problem, work).value();
  }
  /// The caller's buffers. Each part begins at an offset.
  CceBuffers buffers(const CcePlan& plan) {
    return {part("hidden", 4, plan.hidden_bytes()),    part("weight", 8, plan.weight_bytes()),
            part("bias", 12, plan.bias_bytes()),       part("loss", 16, plan.loss_bytes()),
            part("lse", 24, plan.lse_bytes()),         part("dhidden", 20, plan.dhidden_bytes()),
            part("dweight", 28, plan.dweight_bytes()), part("dbias", 32, plan.dbias_bytes())};
  }

  HostStream stream_;

 private:
  BufferPart part(const char* name, std::uint64_t offset, std::uint64_t bytes) {
    if (bytes == 0) return {};
    return {stream_.make_buffer(name, offset + bytes), offset};
  }
};

TEST_F(CcePlanOf, TakesOnlyTheBuffersOfItsWork) {
  const CcePlan backward = plan(CceOperation::small_case(), {.dweight = true});
  EXPECT_EQ(backward.loss_bytes() + backward.dhidden_bytes() + backward.dbias_bytes(), 0U);
  EXPECT_EQ(backward.lse_bytes(), 3U * 8) << "given, of the tokens that count";
  ASSERT_TRUE(backward.encode(*stream_.encoder, buffers(backward)));
  for (const Dispatch& dispatch : stream_.dispatches()) {
    EXPECT_EQ(dispatch.bindings.at(cce::lse_index), (Binding{"lse", 24}));
    EXPECT_FALSE(dispatch.bindings.contains(cce::dhidden_index));
    EXPECT_FALSE(dispatch.bindings.contains(cce::loss_index));
  }
  EXPECT_FALSE(stream_.lengths.contains("cce lse"));
}

TEST_F(CcePlanOf, RefusesWhatItCannotPrepare) {
  const auto prepared = [&](const CceCase& c, const CceWork& work) {
    return loss().prepare(Typed<float>(c).problem(), work);
  };
  CceCase c = some_cce(4, 3, 7);
  EXPECT_EQ(prepared(c, everything).error(),
            (Error{Error::Kind::argument, "work.dbias = true: expected false, for the problem has no bias"}));
  c.targets[1] = 7;
  EXPECT_THAT(refusal_of([&] { (void)prepared(c, {.forward = true}); }), HasSubstr("targets[n=1] = 7"));
  EXPECT_EQ(
      LinearCrossEntropy::create(nullptr).value().prepare(Typed<float>(some_cce(4, 3, 7)).problem(), {}).error().kind,
      Error::Kind::environment);
  stream_.function_names.clear();
  EXPECT_THAT(loss().prepare(Typed<BFloat16>(some_cce(4, 3, 7)).problem(), {}).error().text,
              HasSubstr("cce_logits_bfloat"));
}

TEST_F(CcePlanOf, NothingTakesNoBuffers) {
  const CcePlan none = plan(some_cce(0, 3, 7), {.forward = true, .dhidden = true});
  EXPECT_TRUE(none.encode(*stream_.encoder, {{}, {stream_.make_buffer("weight", 84), 0}}));
  EXPECT_TRUE(stream_.dispatches().empty());
  EXPECT_TRUE(plan(CceOperation::small_case(), {}).dispatches().empty());
}

}  // namespace
}  // namespace assay::metal::test
