#include "metal/emulator/air/places.h"

#include <fmt/format.h>

#include "metal/emulator/air/words.h"

namespace assay::metal::emulator::air {

namespace {

constexpr std::size_t unit = 1'000'000;  // beyond the numbers of the module's own metadata
constexpr std::size_t longest = 120;     // of an instruction's text

}  // namespace

Places::Places(std::string file) : file_(std::move(file)), next_(unit + 4) {}

void Places::enter_function(std::string_view name, std::size_t line) {
  function_ = plain_name(name);
  block_ = "0";
  function_line_ = line;
  scope_ = number();
  nodes_ += fmt::format(
      "!{} = distinct !DISubprogram(name: {}, scope: !{}, file: !{}, line: {}, type: !{}, spFlags: "
      "DISPFlagDefinition, unit: !{})\n",
      scope_, quoted_text(function_), unit + 1, unit + 1, line, unit + 2, unit);
}

void Places::enter_instruction(std::string_view text, std::size_t line) {
  instruction_ = text.size() > longest ? fmt::format("{}...", text.substr(0, longest)) : std::string(text);
  line_ = line;
}

std::string Places::described() const {
  return fmt::format("{}({}, block {}: {})", file_, function_, block_, instruction_);
}

std::string Places::of_function() const {
  return fmt::format("!dbg !{}", scope_);
}

std::string Places::of_entry(std::string_view own_scope) {
  const std::size_t location = number();
  const std::string scope = own_scope.empty() ? fmt::format("!{}", scope_) : std::string(own_scope);
  nodes_ += fmt::format("!{} = !DILocation(line: {}, scope: {})\n", location, function_line_, scope);
  return fmt::format("!dbg !{}", location);
}

std::string Places::of_instruction() {
  const std::size_t file = number(), block = number(), location = number();
  nodes_ += fmt::format("!{} = !DIFile(filename: {}, directory: \".\")\n", file, quoted_text(described()));
  nodes_ += fmt::format("!{} = !DILexicalBlockFile(scope: !{}, file: !{}, discriminator: 0)\n", block, scope_, file);
  nodes_ += fmt::format("!{} = !DILocation(line: {}, column: {}, scope: !{})\n", location, line_, column, block);
  return fmt::format("!dbg !{}", location);
}

std::string Places::site(const Builtin& builtin) {
  const std::size_t n = sites_++;
  const auto text = [&](const char* what, const std::string& value) {
    constants_ += fmt::format("@assay.air.{}.{} = internal constant [{} x i8] c{}\n", what, n, value.size() + 1,
                              quoted_text(value + '\0'));
  };
  text("file", described());
  text("operation", builtin.operation);
  constants_ += fmt::format(
      "@assay.air.site.{0} = internal constant {{ ptr, i32, i32, ptr, i32 }} {{ ptr @assay.air.file.{0}, "
      "i32 {1}, i32 {2}, ptr @assay.air.operation.{0}, i32 {3} }}\n",
      n, line_, column, builtin.needs);
  return fmt::format("@assay.air.site.{}", n);
}

std::string Places::definitions() const {
  return constants_ +
         fmt::format(
             "!llvm.dbg.cu = !{{!{0}}}\n"
             "!{0} = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !{1}, isOptimized: false, "
             "runtimeVersion: 0, emissionKind: LineTablesOnly)\n"
             "!{1} = !DIFile(filename: {2}, directory: \".\")\n"
             "!{3} = !DISubroutineType(types: !{4})\n"
             "!{4} = !{{null}}\n",
             unit, unit + 1, quoted_text(file_), unit + 2, unit + 3) +
         nodes_;
}

}  // namespace assay::metal::emulator::air
