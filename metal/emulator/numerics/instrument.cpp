#include "metal/emulator/numerics/instrument.h"

#include <fmt/format.h>

#include "metal/emulator/numerics/function_rewriter.h"
#include "metal/emulator/numerics/ir_module.h"

namespace assay::metal::emulator {

namespace {

std::string escaped(std::string_view text) {
  std::string all;
  for (const char letter : text)
    if (letter == '"' || letter == '\\' || static_cast<unsigned char>(letter) < 32)
      all += fmt::format("\\{:02X}", static_cast<unsigned char>(letter));
    else
      all += letter;
  return all;
}

/// The layout of abi::Site. `linkage` is that of the registers in which functions pass entries.
std::string definitions(const Sites& sites, std::string_view linkage) {
  std::string text = fmt::format(
      "\n@assay.argument.entries = {0} global [64 x i32] zeroinitializer\n"
      "@assay.argument.places = {0} global [64 x ptr] zeroinitializer\n"
      "@assay.result.entry = {0} global i32 0\n"
      "@assay.result.place = {0} global ptr null\n"
      "@assay.site.now = {0} global ptr @assay.site.0\n"
      "@assay.none = private constant [1 x i8] zeroinitializer\n",
      linkage);
  for (std::size_t n = 0; n < sites.all().size(); ++n) {
    const ir::SourceLine& site = sites.all()[n];
    text += fmt::format("@assay.file.{} = private constant [{} x i8] c\"{}\\00\"\n", n, site.file.size() + 1,
                        escaped(site.file));
    text += fmt::format(
        "@assay.site.{0} = private constant {{ ptr, i32, i32, ptr, i32 }} {{ ptr @assay.file.{0}, i32 {1}, i32 {2}, "
        "ptr @assay.none, i32 0 }}\n",
        n, site.line, site.column);
  }
  return text;
}

std::string instrumented(const ir::Module& module, std::size_t size, std::string_view linkage,
                         const StatedFunctions& stated) {
  Sites sites;
  std::string result;
  result.reserve(size * 2);
  const auto& lines = module.lines();
  for (std::size_t n = 0; n < lines.size(); ++n) {
    result.append(lines[n]).append("\n");
    if (!lines[n].starts_with("define ")) continue;
    const auto signature = ir::call(lines[n]);
    const ir::DefinedFunction* const function = signature ? module.function(signature->callee) : nullptr;
    if (!function || function->is_skipped) continue;
    const std::size_t first = n + 1;
    while (n + 1 < lines.size() && lines[n + 1] != "}") ++n;
    result += instrumented(module, sites, *function, stated_of(stated, signature->callee),
                           {lines.data() + first, n + 1 - first});
  }
  return result + definitions(sites, linkage);
}

}  // namespace

std::string instrument_numerics(std::string_view text, const std::string& headers, const StatedFunctions& stated) {
  const ir::Module module(text, [&](const std::string& file) { return file.starts_with(headers); });
  return instrumented(module, text.size(), "internal", stated);
}

std::string instrument_library_numerics(std::string_view text, const StatedFunctions& stated) {
  const auto is_standard = [](const std::string& file) { return file.find("/include/c++/") != std::string::npos; };
  return instrumented(ir::Module(text, is_standard, true), text.size(), "weak hidden thread_local", stated);
}

}  // namespace assay::metal::emulator
