// A library that cannot be what it says is refused before anything is judged.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "tests/matchers.h"
#include "tests/plugin/plugins.h"
#include "validation/cce/operation.h"
#include "validation/ctc/operation.h"
#include "validation/registry.h"
#include "validation/svd/operation.h"
#include "validation/transport/library/plugin.h"

namespace assay::validation::transport {
namespace {

TEST(Loading, RefusesWhatIsNoLibrary) {
  const auto text = std::filesystem::temp_directory_path() / "assay-no-library.so";
  std::ofstream(text) << "no library\n";
  EXPECT_THAT([&] { kernel_called<CtcOperation>(text); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("assay-no-library.so")));
  std::filesystem::remove(text);
  EXPECT_THAT([&] { kernel_called<CtcOperation>(text); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("there is no such file")));
  EXPECT_THAT([] { kernel_called<SvdOperation>(ASSAY_TEST_PLUGINS); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("it is a folder; expected a shared library")));
  EXPECT_THAT([] { kernel_called<CtcOperation>("./a b.so"); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("without spaces")));
}

TEST(Loading, NamesWhatIsExportedInstead) {
  EXPECT_THAT([] { kernel_called<SvdOperation>(built("minimal")); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("it exports no assay_svd; it exports assay_ctc")));
}

struct Lie {
  const char* plugin;
  const char* words;
};

class LyingPlugin : public testing::TestWithParam<Lie> {};

TEST_P(LyingPlugin, IsRefused) {
  EXPECT_THAT([] { kernel_called<CtcOperation>(built(GetParam().plugin)); },
              ThrowsMessage<std::invalid_argument>(HasSubstr(GetParam().words)));
}

const Lie lies[] = {
    {"newer_version", "is of version 2 of assay_plugin.h, and this program knows version 1"},
    {"no_version", "is of version 0"},
    {"tiny_struct", "struct_size is 8: expected"},
    {"huge_struct", "struct_size is 2147483648: expected"},
    {"newer_and_uses_it", "declares what this program does not know"},
    {"no_run", "assay_ctc.run is NULL"},
    {"bad_dtype", "assay_ctc.dtype is 9: expected ASSAY_FLOAT32"},
    {"bad_roundoff", "assay_ctc.unit_roundoff is 3: expected"},
    {"bad_limit", "assay_ctc.largest_activation is -1: expected 0 for no limit"},
    {"bad_flags", "assay_ctc.unsupported is 1073741824: expected"},
};

INSTANTIATE_TEST_SUITE_P(Lies, LyingPlugin, testing::ValuesIn(lies),
                         [](const auto& tested) { return std::string(tested.param.plugin); });

TEST(Loading, RefusesRoundoffsThatAreTogetherMoreThanThoseOfBfloat16) {
  EXPECT_THAT([] { kernel_called<CceOperation>(built("large_exp_error")); },
              ThrowsMessage<std::invalid_argument>(
                  HasSubstr("assay_cce.exp_error is 65537: expected at most 65536 where the roundoff is 5.96046e-08")));
  EXPECT_THAT([] { kernel_called<SvdOperation>(built("many_sweeps")); },
              ThrowsMessage<std::invalid_argument>(
                  HasSubstr("assay_svd.sweeps is 11: expected at most 10 where the roundoff is 0.00390625")));
}

TEST(Loading, TakesStructsOfOtherLengths) {
  EXPECT_TRUE(kernel_called<CtcOperation>(built("newer"))->info().support.limits.empty());
  EXPECT_FALSE(kernel_called<CtcOperation>(built("older_struct"))->info().support.does("log_probs"));
}

TEST(Loading, SurvivesLibrariesThatDoNot) {
  set_time_limit(0.3);
  EXPECT_THAT([] { kernel_called<CtcOperation>(built("hangs_loading")); },
              ThrowsMessage<std::runtime_error>(
                  AnyOf(HasSubstr("not loaded within 0.3 s"), HasSubstr("not loaded within 1.8 s"))));
  set_time_limit(10);
  EXPECT_THAT([] { kernel_called<CtcOperation>(built("dies_loading")); },
              ThrowsMessage<std::runtime_error>(HasSubstr("while being loaded it was ended by signal 6")));
  EXPECT_THAT([] { kernel_called<CtcOperation>(built("reads_null_loading")); },
              ThrowsMessage<std::runtime_error>(HasSubstr("while being loaded it was ended by signal 11")));
}

TEST(Loading, IsWhatAPathMeansAmongTheNamesOfKernels) {
  EXPECT_EQ(kernel_called<CtcOperation>(built("full_ctc"))->info().name, built("full_ctc"));
  EXPECT_EQ(kernel_called<CceOperation>(built("full_cce"))->info().name, built("full_cce"));
  EXPECT_THAT([] { kernel_called<SvdOperation>("./none.so"); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("there is no such file")));
  EXPECT_TRUE(is_library("libmine.so"));
  EXPECT_TRUE(is_library("./mine"));
  EXPECT_FALSE(is_library("cpu"));
  EXPECT_FALSE(is_library("./mine.json"));
}

}  // namespace
}  // namespace assay::validation::transport
