// What holds of the hosts of all operations, on mocks: what the device computes and what the CPU does, refusals,
// pipelines.
#include "tests/host/operations.h"

#include <gtest/gtest.h>

#include "tests/host/host_stream.h"
#include "tests/matchers.h"

namespace assay::metal::test {
namespace {

template <class Operation>
class Hosts : public testing::Test {
 protected:
  using Host = typename Operation::Host;
  using Call = OperationCall<Operation>;

  Host host(KernelPath path = KernelPath::production) const {
    typename Operation::Options options;
    options.path = path;
    return Host::create(stream_.device, stream_.library, options).value();
  }

  HostStream stream_;
};
TYPED_TEST_SUITE(Hosts, Operations);

TYPED_TEST(Hosts, WithoutADeviceAreTheCpus) {
  const auto host = TypeParam::Host::create(nullptr).value();
  EXPECT_FALSE(host.template is_on_device<float>());
  EXPECT_FALSE(host.reload_if_changed().value());
  expect_cpus_results<TypeParam, float>(host);
  expect_cpus_results<TypeParam, Half>(host);
}

TYPED_TEST(Hosts, OfBfloatAreTheCpusIfTheLibraryHasNoSuchKernel) {
  for (const KernelPath path : {KernelPath::production, KernelPath::plain}) {
    const auto host = this->host(path);
    this->stream_.function_names = {"another_bfloat"};
    EXPECT_TRUE(host.template is_on_device<float>());
    EXPECT_TRUE(host.template is_on_device<Half>());
    EXPECT_FALSE(host.template is_on_device<BFloat16>());
    expect_cpus_results<TypeParam, BFloat16>(host);
    EXPECT_THAT(this->stream_.dispatches(), IsEmpty());
    this->stream_.function_names.push_back(TypeParam::bfloat_kernel(path));
    EXPECT_TRUE(host.template is_on_device<BFloat16>());
  }
}

TYPED_TEST(Hosts, CopyInRunAndCopyOut) {
  typename TestFixture::Call call;
  testing::InSequence order;
  EXPECT_CALL(*this->stream_.commands, compute_encoder(DispatchType::serial));
  EXPECT_CALL(*this->stream_.encoder, end_encoding());
  EXPECT_CALL(*this->stream_.commands, commit());
  EXPECT_CALL(*this->stream_.commands, wait_until_completed());
  ASSERT_TRUE(call.on(this->host()));
  for (const auto& [label, values] : TypeParam::copied(TypeParam::small_case()))
    EXPECT_EQ(this->stream_.template table<float>(label), values) << label;
  EXPECT_TRUE(call.results.hold_only(0.0F)) << "the contents of the mocks' buffers";
}

TYPED_TEST(Hosts, RefuseWhatTheCpuRefusesInTheSameWords) {
  const auto host = this->host();
  for (const auto& spoil : TypeParam::invalid_problems()) {
    auto c = TypeParam::small_case();
    spoil(c);
    const typename TypeParam::template Inputs<float> inputs(c);
    typename TestFixture::Call device, cpu;
    const std::string refusal = refusal_of([&] { TypeParam::cpu(inputs.problem(), cpu.results.spans()); });
    EXPECT_NE(refusal, "accepted");
    EXPECT_EQ(refusal_of([&] { (void)host(inputs.problem(), device.results.spans()); }), refusal);
    EXPECT_TRUE(device.results.hold_only(poison));
  }
  EXPECT_THAT(this->stream_.lengths, IsEmpty());
}

TYPED_TEST(Hosts, RefuseOutputsOfAnotherSizeInTheSameWords) {
  const auto host = this->host();
  for (const auto& spoil : TypeParam::invalid_outputs()) {
    typename TestFixture::Call call;
    spoil(call.results);
    const std::string refusal = refusal_of([&] { call.on_cpu(); });
    EXPECT_THAT(refusal, HasSubstr(".size() = "));
    EXPECT_EQ(refusal_of([&] { (void)call.on(host); }), refusal);
  }
  EXPECT_THAT(this->stream_.lengths, IsEmpty());
}

TYPED_TEST(Hosts, MakeEachPipelineOnceUntilAReload) {
  const auto host = this->host();
  typename TestFixture::Call call;
  ASSERT_TRUE(call.on(host));
  const std::vector<std::string> pipelines = this->stream_.pipelines;
  EXPECT_CALL(*this->stream_.library, reload_if_changed())
      .WillOnce(testing::Return(false))
      .WillOnce(testing::Return(error(Error::Kind::compile, "line 3")))
      .WillOnce(testing::Return(true));
  EXPECT_FALSE(host.reload_if_changed().value());
  EXPECT_EQ(host.reload_if_changed().error(), (Error{Error::Kind::compile, "reloading the kernels: line 3"}));
  ASSERT_TRUE(call.on(host));
  EXPECT_EQ(this->stream_.pipelines, pipelines) << "unchanged, or not to be compiled";
  EXPECT_TRUE(host.reload_if_changed().value());
  ASSERT_TRUE(call.on(host));
  EXPECT_EQ(this->stream_.pipelines.size(), 2 * pipelines.size());
}

TYPED_TEST(Hosts, TryAgainToMakeAPipeline) {
  const auto host = this->host();
  typename TestFixture::Call call;
  this->stream_.fail(0, Failure::error);
  EXPECT_FALSE(call.on(host));
  EXPECT_TRUE(call.on(host));
}

TYPED_TEST(Hosts, NeedBothDeviceAndLibrary) {
  EXPECT_THAT(TypeParam::Host::create(this->stream_.device, std::shared_ptr<Library>()).error().text,
              HasSubstr("library = null"));
  EXPECT_THAT(TypeParam::Host::create(nullptr, this->stream_.library).error().text, HasSubstr("device = null"));
}

}  // namespace
}  // namespace assay::metal::test
