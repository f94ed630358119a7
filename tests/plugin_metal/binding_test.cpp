// Every fault of a binding is refused before anything runs, by its key, its value and what was expected.
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/matchers.h"
#include "tests/plugin_metal/shader_folder.h"
#include "tests/refusal.h"
#include "validation/cce/fields.h"
#include "validation/ctc/operation.h"
#include "validation/registry.h"
#include "validation/transport/declaration/declaration.h"

namespace assay::validation::transport::test {
namespace {

struct Fault {
  const char* name;
  std::string before, after;  ///< in the binding
  std::vector<std::string> said;
};

class BrokenBinding : public testing::TestWithParam<Fault> {};

TEST_P(BrokenBinding, IsRefusedByName) {
  const ShaderFolder folder("ctc");
  folder.edit_binding(GetParam().before, GetParam().after);
  const std::string refusal = refusal_of([&] { kernel_called<CtcOperation>(folder.binding()); });
  EXPECT_THAT(refusal, HasSubstr(folder.binding()));
  for (const auto& words : GetParam().said) EXPECT_THAT(refusal, HasSubstr(words));
}

TEST(BindingOfRoundoffs, IsRefusedWhereTheyAreTogetherMoreThanThoseOfBfloat16) {
  const auto refusal = [](const std::string& declared) {
    const auto kernel = BindingNode::of("{\"declares\": {" + declared + "}}", "mine.json");
    return refusal_of([&] {
      CceKernelInfo info;
      read_declares<CceFields>(kernel, info);
    });
  };
  EXPECT_THAT(
      refusal(R"("exp_error": 65537)"),
      HasSubstr("mine.json: declares.exp_error = 65537: expected a number from 0 to 65536 where the roundoff is"));
  EXPECT_THAT(refusal(R"("exp_error": 5, "unit_roundoff": "2^-8")"), HasSubstr("a number from 0 to 4 where"));
  EXPECT_THAT(refusal(R"("bfloat16_roundings": 5)"), HasSubstr("an integer from 0 to 4"));
}

INSTANTIATE_TEST_SUITE_P(
    Every, BrokenBinding,
    testing::Values(
        Fault{"no_json", R"("operation": "ctc",)", R"("operation": "ctc")", {"parse error at line 3"}},
        Fault{"operation", R"("operation": "ctc")", R"("operation": "cce")", {"operation = \"cce\"", "\"ctc\""}},
        Fault{"missing_key", R"("operation": "ctc",)", "", {"'operation' is missing"}},
        Fault{
            "unknown_key", R"("operation")", R"("colour": 1, "operation")", {"colour = 1", "name, operation, passes"}},
        Fault{"key_twice",
              R"("operation")",
              R"("name": "a", "name": "b", "operation")",
              {"name: expected each key of an object once, got 'name' twice"}},
        Fault{"source", R"("source": ")", R"("source": "lost)", {"source = \"lost/", "expected a file"}},
        Fault{"source_device",
              "ctc.metal\"",
              "../../../../../../../../dev/zero\"",
              {"/dev/zero\"", "expected a file, no pipe or device"}},
        Fault{
            "arithmetic", R"("log_space")", R"("logs")", {"declares.arithmetic = \"logs\"", "log_space, probability"}},
        Fault{
            "roundoff", R"("2^-24")", R"("-1")", {"declares.unit_roundoff = \"-1\"", "a number from 0 to 0.00390625"}},
        Fault{"support", R"("largest_S": 1000)", R"("largest": 1000)", {"support.largest = 1000", "largest_S"}},
        Fault{"flag", R"("logits": false)", R"("logits": 0)", {"support.logits = 0", "true or false"}},
        Fault{"input", R"("logits": false, )", "", {"bind log_probs", "\"logits\": false"}},
        Fault{"type_name",
              R"("target_offsets": "uint")",
              R"("target_offsets": "u32")",
              {"\"u32\"", "one of float, half"}},
        Fault{"type_kind", R"("target_offsets": "uint")", R"("target_offsets": "float")", {"an integer type"}},
        Fault{"type_mismatch",
              R"("target_offsets": "uint")",
              R"("target_offsets": "long")",
              {"passes[0]: buffers 2", "target_offsets is long", "device const uint* offsets",
               "types.target_offsets = \"uint\""}},
        Fault{"dtype", R"("operation")", R"("dtype": "float64", "operation")", {"dtype = \"float64\"", "bfloat16"}},
        Fault{"half_in_a_float_shader",
              R"("operation")",
              R"("dtype": "float16", "operation")",
              {"log_probs is half", "device const float* log_probs"}},
        Fault{"scratch", R"("elements": "B")", R"("elements": "B * X")", {"scratch.log_p.elements", "X", "T, B, C"}},
        Fault{"function",
              R"("ctc_beta")",
              R"("beta")",
              {"passes[2].passes[0].function = \"beta\"", "ctc_alpha, ctc_beta"}},
        Fault{"array", R"("array": "upstream")", R"("array": "weights")", {"array = \"weights\"", "log_probs", "loss"}},
        Fault{"index_not_taken",
              R"({"index": 9, "array": "gradient"})",
              R"({"index": 12, "array": "gradient"})",
              {"passes[2].passes[1]: buffers 12: ctc_gradient does not take it", "buffer(9) device float* gradient"}},
        Fault{"index_not_bound",
              R"({"index": 9, "array": "gradient"},)",
              "",
              {"passes[2].passes[1]: ctc_gradient: buffer(9) device float* gradient: expected index 9 among its "
               "buffers"}},
        Fault{"index_twice",
              R"({"index": 8, "array": "upstream"})",
              R"({"index": 9, "array": "upstream"})",
              {"bound twice"}},
        Fault{"wide_index", R"({"index": 8, "array)", R"({"index": 31, "array)", {"index = 31", "from 0 to 30"}},
        Fault{"struct_size",
              R"({"type": "uint", "value": "zero_infinity"},)",
              "",
              {"passes[0]: buffers 6", "24 bytes", "constant Shape& shape", "28 bytes"}},
        Fault{"truth_for_a_number",
              R"("type": "uint", "value": "t")",
              R"("type": "uint", "value": true)",
              {"value = true", "a number or an expression"}},
        Fault{"truth_for_a_limit", R"("operation")", R"("step_limit": true, "operation")", {"step_limit = true"}},
        Fault{"macro_name",
              R"("operation")",
              R"("macros": {"A B": "1"}, "operation")",
              {"macros.A B = \"1\"", "an identifier as the macro's name"}},
        Fault{"macro_of_two_lines",
              R"("operation")",
              R"("macros": {"A": "1\n2"}, "operation")",
              {R"(macros.A = "1\n2")", "a value of one line"}},
        Fault{"constant_index",
              R"("operation")",
              R"("constants": [{"index": 65536, "type": "uint", "value": 1}], "operation")",
              {"constants[0].index = 65536", "from 0 to 65535"}},
        Fault{"constant_without_type",
              R"("operation")",
              R"("constants": [{"index": 0, "value": 1}], "operation")",
              {"constants[0]", "'type' is missing"}},
        Fault{"arrays_of_a_script", R"("operation")", R"("arrays": {}, "operation")", {"arrays = {}", "unknown"}},
        Fault{"textures_of_a_script",
              R"("function": "ctc_beta")",
              R"("textures": [], "function": "ctc_beta")",
              {"passes[2].passes[0].textures = []", "unknown"}},
        Fault{"literal_that_does_not_fit",
              R"("type": "uint", "value": "t")",
              R"("type": "uint", "value": -1)",
              {"value = -1", "expected what uint holds"}},
        Fault{"two_grids",
              R"("grid": ["T", "B"])",
              R"("grid": ["T", "B"], "groups": [1])",
              {"expected one of grid, in threads, groups and threadgroups"}},
        Fault{"value_type", R"("type": "uint", "value": "t")", R"("type": "int", "value": "t")", {"constant uint& t"}},
        Fault{"threadgroup", R"([{"index": 0, "bytes": "2 * L * 4"}])", "[]", {"threadgroup float* columns"}},
        Fault{"grid", R"("grid": ["T", "B"])", R"("grid": "T")", {"grid = \"T\"", "a list"}},
        Fault{"repeat", R"("variable": "t")", R"("variable": "T")", {"variable = \"T\"", "stands for nothing yet"}}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(Binding, OfASourceThatDoesNotCompileShowsTheCompilersWords) {
  const ShaderFolder folder("ctc");
  folder.edit_source("float total = -INFINITY;", "float total = -INFINITE;");
  EXPECT_THAT(refusal_of([&] { kernel_called<CtcOperation>(folder.binding()); }),
              AllOf(HasSubstr("does not compile"), HasSubstr("ctc.metal:63"), HasSubstr("INFINITE")));
}

TEST(Binding, ThatIsNotThereIsRefused) {
  EXPECT_THAT([] { kernel_called<CtcOperation>("/nowhere/mine.json"); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("/nowhere/mine.json: expected a file that can be read")));
}

}  // namespace
}  // namespace assay::validation::transport::test
