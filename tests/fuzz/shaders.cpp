// Shaders: the translator of the emulator, which takes preprocessed text, and the comments and files that allow
// findings.
#include "metal/emulator/air/library_file.h"
#include "metal/emulator/translate/lexer.h"
#include "metal/emulator/translate/translate.h"
#include "tests/emulator/metallib.h"
#include "tests/fuzz/targets.h"
#include "validation/shader/allow.h"

namespace assay::validation::fuzz {

namespace emulator = metal::emulator;

void run_translate(const std::string& text) {
  emulator::lex(text);
  static_cast<void>(emulator::translate(text));
  static_cast<void>(emulator::translate(text, {"main"}));
  static_cast<void>(emulator::list_kernels(text));
  static_cast<void>(emulator::translate_for_ptx(text));
  static_cast<void>(emulator::translate_for_lint(text));
  emulator::is_safe(emulator::with_safe_sections(text));
}

std::vector<std::string> translate_seeds() {
  std::vector<std::string> texts;
  for (const auto& entry : std::filesystem::directory_iterator(ASSAY_TEST_SHADERS))
    if (entry.path().extension() == ".metal") texts.push_back(content_of(entry.path()));
  return texts;
}

void run_library(const std::string& text) {
  const emulator::air::Bytes bytes{text.size(), [&](std::uint64_t offset, std::uint64_t size) {
                                     if (offset > text.size() || size > text.size() - offset)
                                       throw std::logic_error("read outside of the file");
                                     return metal::Result<std::string>(text.substr(offset, size));
                                   }};
  const auto libraries = emulator::air::find_libraries(bytes);
  if (!libraries) require_words(libraries.error().text);
}

std::vector<std::string> library_seeds() {
  const std::string two = emulator::test::metallib({{"first", "bitcode"}, {"second", "and more"}});
  return {two, "before" + two + "between" + emulator::test::metallib({{"third", ""}})};
}

void run_allowances(const std::string& text) {
  const std::filesystem::path path = file_of(text);
  may_refuse([&] { static_cast<void>(Suppressions(path).reason("racecheck", {path.string(), 3})); });
  may_refuse([&] { static_cast<void>(Allowances().find("racecheck", {{path.string(), 3}})); });
}

std::vector<std::string> allowances_seeds() {
  return {"# of release 1.4\nracecheck kernels/sort.metal:120 - all threads write the same value\n",
          "kernel void f() {\n  // assay: allow racecheck - all threads write 1\n  flag[0] = 1;\n  g();  // assay: "
          "allow lint - "
          "meant\n}\n"};
}

}  // namespace assay::validation::fuzz
