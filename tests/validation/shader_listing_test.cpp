// What `assay metal list` says of a compiled library: names alone, or all that a kernel's metadata holds.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/emulator/metallib.h"
#include "tests/matchers.h"
#include "validation/shader/library_listing.h"

namespace assay::validation {
namespace {

using metal::emulator::test::air_module;
using metal::emulator::test::assembled;
using metal::emulator::test::LibraryFile;
using metal::emulator::test::metallib;
using nlohmann::json;

/// A kernel whose first buffer is a struct with an array in it.
std::string module_with_struct() {
  std::string text = air_module("store float 1.0, ptr addrspace(1) %at.out");
  const auto change = [&](const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    if (at == std::string::npos) throw std::logic_error("the module has no " + from);
    text.replace(at, from.size(), to);
  };
  change(
      "!\"air.read\", !\"air.address_space\", i32 1, !\"air.arg_type_size\", i32 4",
      "!\"air.read\", !\"air.address_space\", i32 2, !\"air.struct_type_info\", !20, !\"air.arg_type_size\", i32 16");
  change("!\"float\", !\"air.arg_name\", !\"in\"", "!\"Shape<int>\", !\"air.arg_name\", !\"in\"");
  return text + "!20 = !{i32 0, i32 4, i32 0, !\"int\", !\"rows\", i32 4, i32 4, i32 3, !\"float\", !\"scales\"}\n";
}

LibraryFile two_kernels() {
  return LibraryFile(metallib({{"first", "no bitcode"}, {"k", assembled(module_with_struct())}}));
}

bool is_k(const std::string& name) {
  return name == "k";
}

TEST(LibraryListing, OfAllHasTheirNames) {
  const LibraryFile file = two_kernels();
  const LibraryListing listing = list_library(file.path());
  EXPECT_EQ(listing.text, "kernel first\nkernel k\n");
  const json all = json::parse(listing.json);
  EXPECT_EQ(all.at("kernels"), json::parse(R"([{"name": "first"}, {"name": "k"}])"));
  EXPECT_EQ(all.at("function_constants"), json::array());
  ASSERT_EQ(all.at("libraries").size(), 1U);
  EXPECT_EQ(all.at("libraries")[0].at("kernels"), 2);
  EXPECT_EQ(all.at("libraries")[0].at("system"), "macOS 14.0");
}

TEST(LibraryListing, OfOneHasItsArgumentsAndHowItWasCompiled) {
  const LibraryFile file = two_kernels();
  EXPECT_EQ(list_library(file.path(), is_k).text,
            "kernel k\n"
            "  buffer(0)                        in               constant Shape<int>*\n"
            "    at 0      int rows\n"
            "    at 4      float scales[3]\n"
            "  buffer(1)                        out              device float*\n"
            "  thread_position_in_grid          i                uint\n"
            "  thread_position_in_threadgroup   tid              uint\n"
            "  AIR 2.6, Metal 3.1, air.compile.fast_math_disable\n");
  const json said = json::parse(list_library(file.path(), is_k).json);
  ASSERT_THAT(said["kernels"], SizeIs(1));
  const json& kernel = said["kernels"][0];
  ASSERT_THAT(kernel["arguments"], SizeIs(4));
  EXPECT_EQ(kernel["arguments"][0], json::parse(R"({"name": "in", "type": "constant Shape<int>*", "kind": "buffer",
      "index": 0, "element_type": "Shape_int", "element_size": 16, "is_written": false, "is_reference": false,
      "attribute": "", "condition": "", "fields": [
        {"name": "rows", "type": "int", "offset": 0, "size": 4, "count": 0},
        {"name": "scales", "type": "float", "offset": 4, "size": 4, "count": 3}]})"));
  EXPECT_EQ(kernel["arguments"][1]["is_written"], true);
  EXPECT_EQ(kernel["arguments"][3]["attribute"], "thread_position_in_threadgroup");
  EXPECT_EQ(kernel["air_version"], "2.6");
  EXPECT_EQ(kernel["compile_options"], json::array({"air.compile.fast_math_disable"}));
}

TEST(LibraryListing, RefusesNamesThatItDoesNotHaveAndBitcodeThatIsNone) {
  const LibraryFile file = two_kernels();
  const auto refusal = [&](const std::string& wanted) -> std::string {
    try {
      list_library(file.path(), [&](const std::string& name) { return name == wanted; });
    } catch (const std::invalid_argument& cause) {
      return cause.what();
    }
    return "nothing was refused";
  };
  EXPECT_THAT(refusal("second"), HasSubstr("it has no kernel of this name"));
  EXPECT_THAT(refusal("first"), HasSubstr("kernel first: its bitcode cannot be read"));
}

}  // namespace
}  // namespace assay::validation
